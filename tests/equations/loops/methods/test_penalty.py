"""Loops held by springs: forces, load, and bad numbers."""

import casadi as ca
import numpy as np
import pytest

import phalanx as px
from equations.loops.four_bar import GUESS, Y, four_bar
from evaluate import Numbers, close
from phalanx.equations import loops
from phalanx.equations.loops.assembly.assemble import assemble
from phalanx.equations.loops.assembly.independent import independent_rows
from phalanx.equations.loops.closure.equations import closure, constraint, rows_of_loops
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


def opened_platform():
    """The planar platform with its three loops open, two equations each, and moving."""
    mechanism = px.library.planar_3rrr()
    q = px.assemble(mechanism).q + 0.01 * np.cos(np.arange(9.0))
    v = 0.1 * np.sin(np.arange(9.0))
    return mechanism, Numbers(mechanism), q, v


def test_springs_of_a_loop_by_name():
    """The force in each equation is that of its own loop's spring and damper."""
    mechanism, n, q, v = opened_platform()
    tau = np.zeros(9)
    names = [loop.name for loop in mechanism.loops]
    stiff = dict(zip(names, (1e3, 2e4, 5e5), strict=True))
    damped = dict(zip(names, (3.0, 0.0, 700.0), strict=True))
    _, force = n(loops.sprung, q, v, tau, stiffness=stiff, damping=damped)
    _, c = n(loops.sprung, q, 0 * v, tau, stiffness=1.0, damping=0.0)
    _, both = n(loops.sprung, q, v, tau, stiffness=1.0, damping=1.0)
    owners = rows_of_loops(n.model)
    assert len(owners) == len(force) == 6
    wanted = [stiff[o] * c[k] + damped[o] * (both[k] - c[k]) for k, o in enumerate(owners)]
    close(force, wanted, 1e-9)
    own_damping = {name: 2 * np.sqrt(k) for name, k in stiff.items()}
    given = n(loops.penalty, q, v, tau, stiffness=stiff, damping=own_damping)
    close(n(loops.penalty, q, v, tau, stiffness=stiff), given, 1e-12)


def test_springs_of_each_equation():
    _, n, q, v = opened_platform()
    tau = np.zeros(9)
    stiff = 1e3 * np.arange(1.0, 7.0)
    _, force = n(loops.sprung, q, v, tau, stiffness=stiff, damping=np.zeros(6))
    _, c = n(loops.sprung, q, 0 * v, tau, stiffness=1.0, damping=0.0)
    close(force, stiff * c, 1e-9)
    alike = n(loops.penalty, q, v, tau, stiffness=[1e4] * 6, damping=[50.0] * 6)
    close(n(loops.penalty, q, v, tau, stiffness=1e4, damping=50.0), alike, 1e-14)


def test_springs_of_equations_of_which_one_is_redundant():
    """A ball joint of a planar four-bar: the equation without a spring has a number too."""
    mechanism = four_bar(Spherical())
    x = state(mechanism)
    n = Numbers(mechanism)
    stiff = np.array([1e3, 2e4, 3e5])
    _, force = n(loops.sprung, x.q + 0.01, x.v, TAU, stiffness=stiff, damping=[0.0] * 3)
    _, c = n(loops.sprung, x.q + 0.01, x.v, TAU, stiffness=1.0, damping=0.0)
    assert (c != 0).sum() == 2
    close(force, stiff * c, 1e-9)


def test_loops_are_pulled_together_each_in_its_own_way():
    """Baumgarte: c'' = -2 alpha c' - beta² c, equation by equation."""
    mechanism, n, q, v = opened_platform()
    tau = np.zeros(9)
    rows = list(independent_rows(mechanism))
    owners = [rows_of_loops(n.model)[row] for row in rows]
    names = [loop.name for loop in mechanism.loops]
    alpha = dict(zip(names, (1.0, 20.0, 5.0), strict=True))
    beta = np.arange(2.0, 8.0)

    def bent(stabilization):
        a = n(loops.multipliers, q, v, tau, stabilization=stabilization)
        return n.function(acceleration_of_loops)(q, v, a).full().ravel()[rows]

    def acceleration_of_loops(model, q, v, a):
        equations = constraint(model, q, v)
        return equations.A @ a + equations.b

    def opening(model, q, v):
        equations = constraint(model, q, v)
        return ca.vertcat(equations.c, equations.A @ v)

    c, rate = n.function(opening)(q, v).full().ravel().reshape(2, 6)[:, rows]
    wanted = [
        -2 * alpha[o] * rate[k] - beta[row] ** 2 * c[k]
        for k, (o, row) in enumerate(zip(owners, rows, strict=True))
    ]
    close(bent(loops.Baumgarte(alpha, beta)), wanted, 1e-9)


@pytest.mark.parametrize(
    ("gains", "message"),
    [
        ({"leg": 1.0}, "no loop 'leg'"),
        ({}, "no number for loop"),
        ([1.0, 2.0], r"has shape \(2,\); .* has 6 closure equations \("),
        ("1e5", "stiffness"),
    ],
)
def test_gains_that_fit_no_loop(gains, message):
    with pytest.raises(px.PhalanxError, match=message):
        px.expression(loops.penalty, px.library.planar_3rrr(), stiffness=gains)


def test_a_list_for_a_loop():
    names = [loop.name for loop in px.library.planar_3rrr().loops]
    gains = dict.fromkeys(names, 1.0) | {names[0]: [1.0, 2.0]}
    with pytest.raises(px.InvalidInput, match="expected a number"):
        px.expression(loops.penalty, px.library.planar_3rrr(), stiffness=gains)


@pytest.mark.parametrize("stiffness", [0.0, -1.0, np.inf, np.nan])
def test_stiffness_must_be_positive(stiffness):
    with pytest.raises(px.InvalidInput, match="stiffness"):
        px.expression(loops.penalty, four_bar(PlanarPin(Y)), stiffness=stiffness)


def test_damping_must_not_be_negative():
    with pytest.raises(px.InvalidInput, match="damping"):
        px.expression(loops.penalty, four_bar(PlanarPin(Y)), damping=-1.0)
