"""The decimal reference against laws, and against the compiled equations."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import phalanx as px
import strategies
from phalanx.bench.chains.extended import (
    TooFewDigits,
    _cosine_and_sine,
    exact,
    forward_dynamics,
    inverse_dynamics,
    relative_error,
)
from phalanx.dynamics.evaluators.bodies import bodies_of
from phalanx.dynamics.evaluators.method import still_root


def chain_with_state(count: int, joint: str = "revolute", seed: int = 0):
    m = px.library.chain(count, joint, alternate=joint == "revolute")
    rng = np.random.default_rng(seed)
    q = m.random_positions(1, rng)[0]
    return m, q, rng.standard_normal(m.nv), rng.standard_normal(m.nv)


@given(strategies.mechanisms(), st.integers(0, 99))
@settings(max_examples=15, deadline=None)
def test_forces_come_back_to_nearly_all_digits(m: px.Mechanism, seed: int) -> None:
    """ID(FD(tau)) = tau, for trees of all joints, with a moving root and wrenches on nodes."""
    assume(m.nv > 0 and not any(joint.mimic for joint in m.joints))
    bodies, rng = bodies_of(m), np.random.default_rng(seed)
    q = m.random_positions(1, rng)[0]
    v, tau, root = rng.standard_normal(m.nv), rng.standard_normal(m.nv), rng.standard_normal(9)
    external = rng.standard_normal((len(bodies), 6))
    a = forward_dynamics(bodies, q, v, tau, root, external)
    back = inverse_dynamics(bodies, q, v, a, root, external)
    assert relative_error(tau, back) < 1e-30  # of 50 digits; light links on heavy ones take some


@given(strategies.mechanisms(), st.integers(0, 99))
@settings(max_examples=10, deadline=None)
def test_inverse_dynamics_is_that_of_the_conventional_recursion(m: px.Mechanism, seed: int) -> None:
    assume(m.nv > 0 and not any(joint.mimic for joint in m.joints))
    rng = np.random.default_rng(seed)
    q = m.random_positions(1, rng)[0]
    v, a = rng.standard_normal(m.nv), rng.standard_normal(m.nv)
    tau = inverse_dynamics(bodies_of(m), q, v, a, still_root(m)[0])
    f = px.expression(px.inverse_dynamics.recursive, m)
    scale = max(1.0, *(abs(float(x)) for x in tau))
    found = np.array(f(q, v, a)).ravel()
    assert np.abs(found - tau.astype(float)).max() < 1e-11 * scale  # rounding, twenty joints


def test_wrenches_act_as_in_the_compiled_equations() -> None:
    m, q, v, a = chain_with_state(5)
    bodies = bodies_of(m)
    node, R, p = bodies.place("link_3")
    wrench = np.array([1.0, -2.0, 3.0, 0.4, 0.5, -0.6])
    external = np.zeros((len(bodies), 6))
    force = R @ wrench[:3]
    external[node] = np.concatenate([force, R @ wrench[3:] + np.cross(p, force)])
    tau = px.Dynamics(m, wrenches=["link_3"]).inverse_dynamics(q, v, a, wrench)
    assert (
        relative_error(tau, inverse_dynamics(bodies, q, v, a, still_root(m)[0], external)) < 1e-13
    )


def test_a_root_that_moves_is_a_link_whose_motion_is_given() -> None:
    m, q, v, a = chain_with_state(4)
    whole = inverse_dynamics(bodies_of(m), q, v, a, still_root(m)[0])
    rest = px.Mechanism(
        "rest",
        [px.Body("link_1"), *m.bodies[2:]],
        m.joints[1:],
        gravity=m.gravity,
    )
    c, s = math.cos(q[0]), math.sin(q[0])
    R = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    y = np.array([0.0, 1.0, 0.0])
    root = np.concatenate([v[0] * y, a[0] * y, -R.T @ m.gravity])
    part = inverse_dynamics(bodies_of(rest), q[1:], v[1:], a[1:], root)
    assert relative_error(part.astype(float), whole[1:]) < 1e-14


def test_a_long_chain_of_balls_keeps_its_digits() -> None:
    """Inertias that are not kept symmetric lose a digit every three bodies there."""
    m, q, v, tau = chain_with_state(40, "spherical")
    bodies, root = bodies_of(m), still_root(m)[0]
    a = forward_dynamics(bodies, q, v, tau, root)
    assert relative_error(tau, inverse_dynamics(bodies, q, v, a, root)) < 1e-40


def test_too_few_digits_are_said() -> None:
    m, q, v, tau = chain_with_state(3)
    with pytest.raises(TooFewDigits, match="Take more digits"):
        forward_dynamics(bodies_of(m), q, v, tau, still_root(m)[0], digits=12)


@pytest.mark.parametrize("angle", [0.0, 1e-30, 0.3, -3.0, math.pi / 2, 100.0, 12345.678])
def test_cosine_and_sine(angle: float) -> None:
    with localcontext() as context:
        context.prec = 50
        c, s = _cosine_and_sine(Decimal(angle))
        assert abs(c * c + s * s - 1) < Decimal("1e-47")
    assert float(c) == pytest.approx(math.cos(angle), abs=1e-16)
    assert float(s) == pytest.approx(math.sin(angle), rel=1e-15)


def test_more_digits_change_nothing_that_counts() -> None:
    """Fifty digits are enough: with seventy, the first thirty of a long chain are the same."""
    m, q, v, tau = chain_with_state(100)
    root = still_root(m)[0]
    fifty = forward_dynamics(bodies_of(m), q, v, tau, root)
    seventy = forward_dynamics(bodies_of(m), q, v, tau, root, digits=70)
    largest = max(abs(x) for x in seventy)
    assert max(abs(x) for x in fifty - seventy) < Decimal("1e-30") * largest


def test_numbers_are_taken_with_all_their_digits() -> None:
    tenth = np.array([0.1])
    assert exact(tenth)[0] == Decimal(tenth[0]) != Decimal("0.1")
