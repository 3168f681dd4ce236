"""Forces in loops as wrenches: in place of a closure they do what it did, for every kind of it."""

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest
from hypothesis import assume, given, settings

import phalanx as px
from equations.loops.four_bar import GUESS, Y, four_bar
from equations.loops.random_loops import CLOSURES, closed_machines, world_poses
from evaluate import close
from phalanx.equations.loops import constrained, loop_wrenches
from phalanx.equations.loops.assembly.assemble import assemble
from phalanx.mechanism import PlanarPin


def values(equation, mechanism, *arguments, **options):
    function = px.expression(equation, mechanism, **options)
    return [np.asarray(x) for x in function.call([ca.DM(x) for x in arguments])]


def forces(x, seed=3):
    """A closed state in motion, its accelerations, and the wrenches in its loops (loops, 12)."""
    m = x.mechanism
    rng = np.random.default_rng(seed)
    start = assemble(m, x.q, rng.standard_normal(m.nv))
    assume(not start.is_singular and start.condition < 1e3)
    tau = rng.standard_normal(m.nv)
    a, force = values(constrained, m, start.q, start.v, tau)
    (W,) = values(loop_wrenches, m, start.q, force)
    return start.q, start.v, tau, a.ravel(), W


@pytest.mark.parametrize("kind", CLOSURES)
def test_wrenches_take_the_place_of_a_closure(kind):
    """On the open tree they make the motion of the closed machine; action is reaction; and what
    the closure leaves free is not loaded."""

    @settings(max_examples=3, deadline=None)
    @given(closed_machines(kind))
    def law(x):
        q, v, tau, a, W = forces(x)
        X = world_poses(x.mechanism, q)
        on_frames = {}
        for loop, own in zip(x.mechanism.loops, W, strict=True):
            on_frames |= {loop.frame_a: own[:6], loop.frame_b: own[6:]}
            size = 1 + np.abs(own).max()
            check_reaction(own / size, X[loop.frame_a], X[loop.frame_b])
            unloaded = np.array(free_components(loop.motion, own / size))
            close(unloaded, np.zeros(len(unloaded)), 1e-9)
        (found,) = values(
            px.forward_dynamics.factorized,
            replace(x.mechanism, loops=()),
            *(q, v, tau, *on_frames.values()),
            wrenches=list(on_frames),
        )
        close(found.ravel(), a, 1e-7)

    law()


def check_reaction(wrenches, a, b):
    """Opposite forces, and opposite moments about the root."""
    force, moment, reaction_force, reaction_moment = wrenches.reshape(4, 3)
    pull, push = a.rotation @ force, b.rotation @ reaction_force
    close(pull, -push, 1e-9)
    close(
        a.rotation @ moment + np.cross(a.translation, pull),
        -b.rotation @ reaction_moment - np.cross(b.translation, push),
        1e-8,
    )


def free_components(motion, wrenches):
    """What a closure cannot transmit, by its kind."""
    force, moment, _, reaction_moment = wrenches.reshape(4, 3)
    axis = getattr(motion, "axis", np.zeros(3))
    match motion.kind:
        case "revolute":
            return [moment @ axis]
        case "prismatic":
            return [force @ axis]
        case "cylindrical":
            return [force @ axis, moment @ axis]
        case "universal":
            return [moment @ motion.first, reaction_moment @ motion.second]
        case "spherical":
            return moment
        case "planar":
            return [*np.cross(force, axis), moment @ axis]
        case "planar pin":
            return [force @ axis, *reaction_moment]
        case "fixed distance":
            return [*moment, *reaction_moment]
        case _:
            return []


def test_a_rod_in_tension_pulls_its_ends_together():
    """Two masses on a rail that are pushed apart: the rod carries the push."""
    bodies = [px.Body("rail"), *(px.Body(x, 1.0, inertia=np.eye(3)) for x in ("left", "right"))]
    along = px.mechanism.Prismatic(axis=(1.0, 0.0, 0.0))
    m = px.Mechanism(
        "pair",
        bodies,
        [px.Joint(f"slide_{x}", "rail", x, along) for x in ("left", "right")],
        loops=[px.Loop("rod", "left", "right", px.FixedDistance(2.0))],
    )
    a, force = values(constrained, m, [0.0, 2.0], [0.0, 0.0], [-3.0, 3.0])
    close(a.ravel(), np.zeros(2), 1e-14)
    (W,) = values(loop_wrenches, m, [0.0, 2.0], force)
    close(W, np.array([[3.0, 0, 0, 0, 0, 0, -3.0, 0, 0, 0, 0, 0]]), 1e-14)


def test_a_pin_of_the_four_bar_holds_its_rocker():
    """Moments about the rocker's foot: what the pin gives is what the rocker alone needs."""
    mechanism = four_bar(PlanarPin(Y))
    x = assemble(mechanism, GUESS, np.array([2.0, 0.0, 0.0]))
    a, force = values(constrained, mechanism, x.q, x.v, [0.5, 0.0, 0.0])
    (W,) = values(loop_wrenches, mechanism, x.q, force)
    X = world_poses(mechanism, x.q)
    pushed = X["rocker_end"].rotation @ W[0, 6:9]
    arm = X["rocker_end"].translation - X["rocker"].translation
    rocker = mechanism.bodies[3]
    inertia = rocker.inertia[1, 1] + rocker.mass * rocker.com[0] ** 2
    weight = np.cross(X["rocker"].rotation @ rocker.com, rocker.mass * mechanism.gravity)
    close(np.cross(arm, pushed)[1] + weight[1], inertia * a.ravel()[2], 1e-12)
