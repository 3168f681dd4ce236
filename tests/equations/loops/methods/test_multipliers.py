"""Loops stay closed, their forces do no work, and redundant equations change nothing."""

import casadi as ca
import numpy as np
import pytest

import phalanx as px
from equations.loops.four_bar import GUESS, Y, four_bar
from evaluate import Numbers, close
from phalanx import equations as eq
from phalanx.equations.loops import constrained
from phalanx.equations.loops.assembly.assemble import assemble
from phalanx.equations.loops.assembly.independent import independent_rows
from phalanx.equations.loops.assembly.open_loop import OpenLoop
from phalanx.equations.loops.closure.equations import constraint
from phalanx.equations.model_of import model_of
from phalanx.mechanism import FixedDistance, PlanarPin, Revolute, Spherical

CLOSURES = [Revolute(axis=Y), Spherical(), PlanarPin(Y)]
TAU = np.array([0.3, -0.2, 0.5])


def moving(mechanism, speed=2.0):
    """A consistent state in motion."""
    return assemble(mechanism, GUESS, np.array([speed, 0.0, 0.0]))


@pytest.mark.parametrize("closure", CLOSURES, ids=lambda c: c.kind)
def test_redundant_equations_are_found_and_change_nothing(closure):
    mechanism = four_bar(closure)
    assert len(independent_rows(mechanism)) == 2
    x = assemble(mechanism, GUESS, np.array([2.0, 0.0, 0.0]))
    assert x.mobility == 1 and not x.is_singular
    reference = four_bar(PlanarPin(Y))
    a = Numbers(mechanism)(constrained, x.q, x.v, TAU)[0]
    close(a, Numbers(reference)(constrained, x.q, x.v, TAU)[0], 1e-11)


def test_accelerations_keep_the_loop_closed():
    """The second derivative of the opening along the motion, by finite differences."""
    mechanism = four_bar(PlanarPin(Y))
    x = moving(mechanism)
    a, _ = Numbers(mechanism)(constrained, x.q, x.v, TAU)
    model = model_of(mechanism)
    q, v = ca.SX.sym("q", 3), ca.SX.sym("v", 3)
    opening = ca.Function("c", [q], [constraint(model, q, v).c])
    h = 1e-4
    path = [x.q + s * x.v + s**2 / 2 * a for s in (-h, 0.0, h)]
    before, now, after = (np.asarray(opening(p)).ravel() for p in path)
    close((after - 2 * now + before) / h**2, np.zeros(2), 1e-6)


def test_loop_forces_do_no_work():
    """Power of the motors is the rate of the energy."""
    mechanism = four_bar(Spherical())
    x = moving(mechanism)
    n = Numbers(mechanism)
    a, _ = n(constrained, x.q, x.v, TAU)
    h = 1e-5
    energies = [n(eq.energy, x.q + s * x.v + s**2 / 2 * a, x.v + s * a) for s in (-h, h)]
    close((energies[1] - energies[0]) / (2 * h), TAU @ x.v, 1e-7)


def test_forces_and_accelerations_obey_newton_and_euler():
    mechanism = four_bar(Spherical())
    x = moving(mechanism)
    n = Numbers(mechanism)
    a, force = n(constrained, x.q, x.v, TAU)
    q, v = ca.SX.sym("q", 3), ca.SX.sym("v", 3)
    A = ca.Function("A", [q], [constraint(model_of(mechanism), q, v).A])
    close(n.inverse(x.q, x.v, a), TAU - np.asarray(A(x.q)).T @ force, 1e-11)


def test_a_rod_keeps_its_distance():
    """A rocker replaced by a massless rod of the same length: the end moves on the same circle."""
    mechanism = four_bar(FixedDistance(0.4))
    x = assemble(mechanism, GUESS)
    ends = [
        Numbers(mechanism)(eq.forward_kinematics, x.q, frame=frame)[:3, 3]
        for frame in ("coupler_end", "rocker_end")
    ]
    close(np.linalg.norm(ends[0] - ends[1]), 0.4, 1e-12)
    assert x.mobility == 2


def test_loops_that_cannot_close_say_how_near_they_came():
    from dataclasses import replace

    from equations.loops.four_bar import along_x
    from phalanx.mechanism import Frame

    short = replace(
        four_bar(PlanarPin(Y)),
        frames=[
            Frame("coupler_end", "coupler", along_x(0.05)),
            Frame("rocker_end", "rocker", along_x(0.1)),
        ],
    )
    # ground 0.7 against 0.2 + 0.05 + 0.1 at full stretch
    with pytest.raises(OpenLoop, match="'pin'") as caught:
        assemble(short)
    assert caught.value.residual > 0.2


def test_compiled_in_batches():
    mechanism = four_bar(Revolute(axis=Y))
    x = moving(mechanism)
    kernel = px.compile(px.expression(constrained, mechanism))
    a, force = kernel(np.tile(x.q, (9, 1)), x.v, TAU)
    single = Numbers(mechanism)(constrained, x.q, x.v, TAU)
    close(a[7], single[0], 1e-12)
    close(force[7], single[1], 1e-12)
