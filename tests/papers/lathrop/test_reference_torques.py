"""Checks 1 and 2: the reference that everything else is compared with is right by itself."""

from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from papers.lathrop.golden import (
    GOLDEN_A6,
    GOLDEN_DW6,
    GOLDEN_F1,
    GOLDEN_N1,
    GOLDEN_STATE,
    GOLDEN_TAU,
    GOLDEN_TAU_AT_REST,
    GOLDEN_TAU_FREE,
    GOLDEN_W6,
    GOLDEN_WRENCH,
    PLANAR_STATE,
    PLANAR_TAU,
    TIP,
    golden_chain,
    planar_2r,
    random_chain,
    random_state,
)
from papers.lathrop.numbers import Arrays, number_chain, off, torques, values, wide
from papers.lathrop.oracle import lagrangian_torques
from phalanx.equations import inverse_dynamics
from phalanx.equations.inverse_dynamics.vector_forms.linear import linear_form, linear_motions

METHODS = (inverse_dynamics.staggered, inverse_dynamics.prefix, inverse_dynamics.recursive)
PRINTED = 1e-10  # values are given to ten decimals


@pytest.mark.parametrize("method", METHODS)
def test_the_six_joints_of_the_specification_take_its_torques(method):
    arm = golden_chain()
    loaded = values(method, arm, GOLDEN_STATE, wrenches={TIP: wide(GOLDEN_WRENCH)})
    np.testing.assert_allclose(loaded, GOLDEN_TAU, rtol=1e-9, atol=PRINTED)
    free = values(method, arm, GOLDEN_STATE)
    np.testing.assert_allclose(free, GOLDEN_TAU_FREE, rtol=1e-9, atol=PRINTED)
    rest = values(method, arm, (GOLDEN_STATE[0], np.zeros(6), np.zeros(6)))
    np.testing.assert_allclose(rest, GOLDEN_TAU_AT_REST, rtol=1e-9, atol=PRINTED)


def test_motions_and_loads_at_the_ends_of_the_chain_are_those_of_the_specification():
    chain = number_chain(golden_chain(), GOLDEN_STATE, tip=TIP, wrench=wide(GOLDEN_WRENCH))
    last = linear_motions(Arrays(), chain)[-1]
    first = linear_form(Arrays(), chain)[0]
    for actual, wanted in (
        (last.w, GOLDEN_W6),
        (last.dw, GOLDEN_DW6),
        (last.a, GOLDEN_A6),
        (first.f, GOLDEN_F1),
        (first.n, GOLDEN_N1),
    ):
        np.testing.assert_allclose(actual, wanted, rtol=0, atol=1e-11)


@pytest.mark.parametrize("method", METHODS)
def test_two_joints_in_a_plane_agree_with_the_textbook(method):
    tau = values(method, planar_2r(), PLANAR_STATE)
    np.testing.assert_allclose(tau, PLANAR_TAU, rtol=1e-9)
    np.testing.assert_allclose(tau, _textbook(*PLANAR_STATE), rtol=1e-14)


def test_rates_come_as_third_coordinates_and_torques_are_those_of_the_joint_s_axes():
    """F10, G1: inputs stand behind two zeros; the source reads torques where they are not.

    It takes the third coordinate of the moment in axes of O_i, while the joint's axis is the third
    of O_{i-1}. In these the third coordinate is the torque of any arm; in those of O_i where the
    two axes of a link are parallel, as in a plane.
    """
    chain = number_chain(golden_chain(), GOLDEN_STATE)
    for link, v, a in zip(chain.links, GOLDEN_STATE[1], GOLDEN_STATE[2], strict=True):
        np.testing.assert_array_equal(link.rate, [0, 0, v])
        np.testing.assert_array_equal(link.acceleration, [0, 0, a])
    for arm, state, tau, right in (
        (planar_2r(), PLANAR_STATE, PLANAR_TAU, True),
        (golden_chain(), GOLDEN_STATE, GOLDEN_TAU_FREE, False),
    ):
        chain = number_chain(arm, state)
        loads = linear_form(Arrays(), chain)
        pairs = list(zip(chain.links, loads, strict=True))
        carried = [load.n if link.turns else load.f for link, load in pairs]
        before = [link.A @ x for link, x in zip(chain.links, carried, strict=True)]
        np.testing.assert_allclose([x[2] for x in before], tau, rtol=1e-9)
        third = np.array([x[2] for x in carried])
        assert (off(third, tau) < 1e-9) is right
        assert right or off(third, tau) > 0.1


def _textbook(q, v, a):
    """Craig's closed form of two links in a vertical plane, written out with these numbers."""
    m1, m2, l1, c1, c2, I1, I2, g = 2.0, 1.5, 1.0, 0.5, 0.4, 0.1, 0.05, 9.81
    h = m2 * l1 * c2
    M11 = I1 + m1 * c1**2 + I2 + m2 * (l1**2 + c2**2) + 2 * h * np.cos(q[1])
    M12 = I2 + m2 * c2**2 + h * np.cos(q[1])
    M22 = I2 + m2 * c2**2
    spin = h * np.sin(q[1])
    g2 = m2 * c2 * g * np.cos(q[0] + q[1])
    g1 = (m1 * c1 + m2 * l1) * g * np.cos(q[0]) + g2
    return np.array(
        [
            M11 * a[0] + M12 * a[1] - spin * (2 * v[0] * v[1] + v[1] ** 2) + g1,
            M12 * a[0] + M22 * a[1] + spin * v[0] ** 2 + g2,
        ]
    )


def test_linear_newton_euler_agrees_with_a_lagrangian_on_120_random_chains():
    rng = np.random.default_rng(1983)
    for k in range(120):
        n = 1 + k % 12
        arm, state = random_chain(n, rng), random_state(n, rng)
        chain = number_chain(arm, state)
        tau = torques(chain, linear_form(Arrays(), chain))
        assert off(tau, lagrangian_torques(chain)) <= 1e-9
        if k < 12:  # both took their links from axis to axis; nodes know nothing of such frames
            assert off(tau, values(inverse_dynamics.recursive, arm, state)) <= 1e-9


def test_power_at_the_joints_is_the_rate_of_energy():
    """No rotation matrix of the forms in it: energies come from forward kinematics."""
    rng = np.random.default_rng(7)
    arm, (q, v, a) = golden_chain(), random_state(6, rng)
    energy = px.expression(px.equations.energy, arm)
    h = 1e-4

    def at(t: float) -> float:
        return float(energy(q + v * t + a * t * t / 2, v + a * t))

    rate = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)
    assert values(inverse_dynamics.staggered, arm, (q, v, a)) @ v == pytest.approx(rate, rel=1e-9)
