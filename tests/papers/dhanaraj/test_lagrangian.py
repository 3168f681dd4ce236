"""Dhanaraj (1990), app. A: Newton-Euler against Lagrange (acceptance check 2 of the spec).

Lagrange's equations are taken three times as the appendix prints them, and once more from the
energies of tests/physics, differentiated automatically.
"""

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings

import phalanx as px
from evaluate import Numbers, close
from phalanx import equations as eq
from phalanx.base.errors import InvalidModel
from strategies import menagerie, moving

LAGRANGIANS = [
    getattr(px.inverse_dynamics.lagrangian, n) for n in px.inverse_dynamics.lagrangian.__all__
]
ARMS = [px.library.puma560, px.library.stanford]
by_name = pytest.mark.parametrize("method", LAGRANGIANS, ids=lambda method: method.__name__)


def state(n: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((3, n))


@by_name
@pytest.mark.parametrize("make", ARMS, ids=lambda make: make.__name__)
def test_six_joint_arms(make, method):
    arm = make()
    n = Numbers(arm)
    for seed in range(3):
        x = state(6, seed)
        np.testing.assert_allclose(n(method, *x), n.inverse(*x), rtol=0, atol=1e-9)


@by_name
@settings(max_examples=8)
@given(machine=moving(kinds=("revolute", "prismatic", "universal", "cylindrical"), max_bodies=5))
def test_trees_of_turning_and_sliding_joints(method, machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    close(n(method, x.q, x.v, x.a), n.inverse(x.q, x.v, x.a), 1e-11)


def from_energy(arm: px.Mechanism) -> ca.Function:
    """d/dt dT/dv - dT/dq + dU/dq by automatic differentiation."""
    q, v, a = (ca.SX.sym(name, arm.nv) for name in "qva")
    T, U = eq.kinetic_energy(arm, q, v), eq.potential_energy(arm, q)
    momentum = ca.gradient(T, v)
    rate = ca.jtimes(momentum, q, v) + ca.jtimes(momentum, v, a)
    return ca.Function("lagrange", [q, v, a], [rate - ca.gradient(T - U, q)])


@pytest.mark.parametrize("make", [px.library.puma560_listing, px.library.stanford_listing])
def test_the_energies_of_the_arms_give_the_same_torques(make):
    arm = make()
    lagrange, n = from_energy(arm), Numbers(arm)
    for seed in range(3):
        x = state(6, seed)
        expected = np.array(lagrange(*x)).ravel()
        for method in (px.inverse_dynamics.modified, px.inverse_dynamics.conventional):
            np.testing.assert_allclose(n(method, *x), expected, rtol=0, atol=1e-9)


@by_name
def test_other_joints_are_refused(method):
    with pytest.raises(InvalidModel, match=rf"{method.__name__} takes turning and sliding joints"):
        px.expression(method, menagerie())
