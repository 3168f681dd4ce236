"""Forward and inverse dynamics undo each other, and both agree with M a + c."""

import numpy as np
import pytest
from hypothesis import given

import phalanx as px
from evaluate import Numbers, close
from phalanx import equations as eq
from strategies import menagerie, moving, state_of

# Solving M a = b and multiplying back leaves a residual of a few hundred rounding errors (1e-16)
# of |M||a|; ill-posed random machines have |M||a| some 1e4 times |tau|.
SOLVED = 1e-9
# Two ways through some hundred operations that cancel at most a few digits.
ROUNDING = 1e-11

METHODS = [px.forward_dynamics.factorized, px.forward_dynamics.articulated_body]


@pytest.mark.parametrize("forward", METHODS, ids=lambda f: f.__name__)
@given(moving(mimics=False))
def test_inverse_dynamics_returns_the_forces_that_forward_dynamics_was_given(forward, machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    close(n.inverse(x.q, x.v, n(forward, x.q, x.v, x.tau)), x.tau, SOLVED)


@pytest.mark.parametrize("forward", METHODS, ids=lambda f: f.__name__)
@given(moving(mimics=False))
def test_forward_dynamics_returns_the_acceleration_that_inverse_dynamics_was_given(
    forward, machine
):
    mechanism, x = machine
    n = Numbers(mechanism)
    M = n.mass_matrix(x.q)
    # the acceleration is known as well as M lets it be
    tolerance = 1e-14 * np.linalg.cond(M) + ROUNDING
    close(n(forward, x.q, x.v, n.inverse(x.q, x.v, x.a)), x.a, tolerance)


@given(moving())
def test_mimics_too_for_the_factorized_method(machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    close(n.inverse(x.q, x.v, n.forward(x.q, x.v, x.tau)), x.tau, SOLVED)


def test_every_joint_at_once():
    mechanism = menagerie()
    n, x = Numbers(mechanism), state_of(mechanism, 1)
    close(n.inverse(x.q, x.v, n.forward(x.q, x.v, x.tau)), x.tau, SOLVED)


def test_articulated_bodies_refuse_mimics_and_say_what_to_use():
    with pytest.raises(px.InvalidModel, match=r"mimic joints.*forward_dynamics\.factorized"):
        px.expression(px.forward_dynamics.articulated_body, menagerie())


@given(moving())
def test_inverse_dynamics_is_mass_times_acceleration_plus_bias(machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    tau = n.mass_matrix(x.q) @ x.a + n(eq.bias, x.q, x.v)
    close(n.inverse(x.q, x.v, x.a), tau, ROUNDING)


@given(moving())
def test_gravity_is_the_bias_at_rest(machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    close(n(eq.gravity, x.q), n(eq.bias, x.q, 0 * x.v), ROUNDING)


@given(moving())
def test_forces_of_gravity_are_the_slope_of_the_potential(machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    slope = [
        n.along(lambda q: n(eq.potential_energy, q), x.q, unit) for unit in np.eye(mechanism.nv)
    ]
    # differences of an energy near 100 J: 1e-16 · 100 / 1e-4
    close(n(eq.gravity, x.q), slope, 1e-9)
