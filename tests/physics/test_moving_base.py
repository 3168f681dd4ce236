"""A root that moves: the same machine on a floating joint whose motion is prescribed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import phalanx as px
from evaluate import Numbers, close
from strategies import moving

ROUNDING = 1e-10  # velocities of the base square into forces some ten times the machine's own


def on_floating_joint(mechanism, q, v, a, base, dbase):
    """The state of the machine on a floating joint at neutral, which moves as given.

    Velocities of a floating joint are in child axes, and so turn with the base: their rates are
    the base's acceleration less w × u.
    """
    u, w = base[:3], base[3:]
    rates = np.array([*(dbase[:3] - np.cross(w, u)), *dbase[3:]])
    neutral = np.array([0, 0, 0, 0, 0, 0, 1.0])
    return np.r_[neutral, q], np.r_[base, v], np.r_[rates, a]


@given(moving(max_bodies=6), st.integers(0, 2**32 - 1))
def test_joint_forces_are_those_of_the_machine_on_a_floating_joint(machine, seed):
    mechanism, x = machine
    base, dbase = np.random.default_rng(seed).standard_normal((2, 6))
    n = Numbers(mechanism)
    tau = n(px.inverse_dynamics.recursive, x.q, x.v, x.a, base, dbase, moving_base=True)
    floating = px.with_floating_base(mechanism)
    assert floating.v_slices["floating_base"] == slice(0, 6)
    state = on_floating_joint(mechanism, x.q, x.v, x.a, base, dbase)
    close(tau, Numbers(floating).inverse(*state)[6:], ROUNDING)


@given(moving(max_bodies=6), st.integers(0, 2**32 - 1))
def test_uniform_translation_of_the_base_is_not_felt(machine, seed):
    mechanism, x = machine
    base = np.zeros(6)
    base[:3] = np.random.default_rng(seed).standard_normal(3)
    n = Numbers(mechanism)
    tau = n(px.inverse_dynamics.recursive, x.q, x.v, x.a, base, np.zeros(6), moving_base=True)
    close(tau, n.inverse(x.q, x.v, x.a), 1e-14)


@given(moving(max_bodies=6))
def test_a_base_that_falls_freely_is_weightless(machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    fall = np.array([*mechanism.gravity, 0, 0, 0])
    still = 0 * x.v
    tau = n(px.inverse_dynamics.recursive, x.q, still, still, 0 * fall, fall, moving_base=True)
    close(tau, still, 1e-13)


@pytest.mark.parametrize("forward", ["factorized", "articulated_body"])
@given(moving(mimics=False, max_bodies=5), st.integers(0, 2**32 - 1))
def test_forward_dynamics_undoes_inverse_dynamics_on_a_moving_base(forward, machine, seed):
    mechanism, x = machine
    base, dbase = np.random.default_rng(seed).standard_normal((2, 6))
    n = Numbers(mechanism)
    method = getattr(px.forward_dynamics, forward)
    a = n(method, x.q, x.v, x.tau, base, dbase, moving_base=True)
    tau = n(px.inverse_dynamics.recursive, x.q, x.v, a, base, dbase, moving_base=True)
    close(tau, x.tau, 1e-9)  # a residual of M, as in test_forward_and_inverse
