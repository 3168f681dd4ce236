"""Loops held by springs: forces, load, and bad numbers."""

import casadi as ca
import numpy as np
import pytest

import phalanx as px
from equations.loops.four_bar import GUESS, Y, four_bar
from evaluate import Numbers, close
from phalanx.equations import loops
from phalanx.equations.loops.assembly.assemble import assemble
from phalanx.equations.loops.closure.equations import closure
from phalanx.mechanism import PlanarPin, Spherical

TAU = np.array([0.3, -0.2, 0.5])
FASTER = np.array([0.0, 0.3, 0.1])  # than the loop allows


def state(mechanism):
    return assemble(mechanism, GUESS, np.array([2.0, 0.0, 0.0]))


def test_springs_pull_on_what_is_open():
    """lambda = k c + d dc/dt, with the rate by differences along the motion."""
    mechanism = four_bar(PlanarPin(Y))
    x = state(mechanism)
    q, v = x.q + np.array([0.01, 0.0, -0.02]), x.v + FASTER
    n = Numbers(mechanism)
    _, force = n(loops.sprung, q, v, TAU, stiffness=700.0, damping=11.0)
    at = ca.SX.sym("q", 3)
    c = ca.Function("c", [at], [closure(n.model, at)])

    def opening(x):
        return np.array(c(x)).ravel()

    close(force, 700.0 * opening(q) + 11.0 * n.along(opening, q, v), 1e-9)


def test_damping_is_twice_the_root_of_stiffness_unless_given():
    mechanism = four_bar(PlanarPin(Y))
    x = state(mechanism)
    v = x.v + FASTER
    n = Numbers(mechanism)
    given = n(loops.penalty, x.q, v, TAU, stiffness=400.0, damping=40.0)
    close(n(loops.penalty, x.q, v, TAU, stiffness=400.0), given, 1e-14)


def test_redundant_equations_get_no_spring():
    """A ball joint of a planar four-bar is stiff in the plane only: the third equation is idle."""
    mechanism = four_bar(Spherical())
    x = state(mechanism)
    _, force = Numbers(mechanism)(loops.sprung, x.q + 0.01, x.v, TAU)
    assert (force == 0).sum() == 1


def test_a_tree_is_left_alone():
    arm = px.library.puma560()
    q, v, tau = np.linspace(0.1, 0.9, 18).reshape(3, 6)
    n = Numbers(arm)
    close(n(loops.penalty, q, v, tau), n.forward(q, v, tau), 1e-12)


@pytest.mark.parametrize("stiffness", [0.0, -1.0, np.inf, np.nan])
def test_stiffness_must_be_positive(stiffness):
    with pytest.raises(px.InvalidInput, match="stiffness"):
        px.expression(loops.penalty, four_bar(PlanarPin(Y)), stiffness=stiffness)


def test_damping_must_not_be_negative():
    with pytest.raises(px.InvalidInput, match="damping"):
        px.expression(loops.penalty, four_bar(PlanarPin(Y)), damping=-1.0)
