"""Motors of machines with loops: what they must do, alone or against each other."""

import numpy as np
import pytest

import phalanx as px
from equations.loops.four_bar import GUESS, Y, four_bar
from evaluate import Numbers, close
from phalanx.equations.loops import actuation, constrained
from phalanx.equations.loops.assembly.assemble import assemble
from phalanx.mechanism import PlanarPin, Revolute

TAU = np.array([0.7, 0.0, 0.0])


def motion(mechanism, tau):
    """A consistent state, and the acceleration that given torques make."""
    x = assemble(mechanism, GUESS, np.array([2.0, 0.0, 0.0]))
    a, force = Numbers(mechanism)(constrained, x.q, x.v, tau)
    return x, a, force


@pytest.mark.parametrize("closure", [PlanarPin(Y), Revolute(axis=Y)], ids=lambda c: c.kind)
@pytest.mark.parametrize("joint", ["a", "b", "c"])
def test_one_motor_does_what_it_did(closure, joint):
    mechanism = four_bar(closure)
    tau = np.zeros(3)
    tau[mechanism.v_slices[joint]] = 0.7
    x, a, force = motion(mechanism, tau)
    found, loop = Numbers(mechanism)(actuation, x.q, x.v, a, actuated=(joint,))
    close(found, np.array([0.7]), 1e-11)
    close(loop, force, 1e-10)


def test_two_motors_share_by_weight():
    """Against the textbook solution with the machine's freedom as a null vector of A."""
    mechanism = four_bar(PlanarPin(Y))
    x, a, _ = motion(mechanism, TAU)
    n = Numbers(mechanism)
    along = assemble(mechanism, x.q, np.array([1.0, 0.0, 0.0])).v  # spans the null space
    needed = along @ n.inverse(x.q, x.v, a)
    g = along[[0, 2]]
    for weights in ((1.0, 1.0), (1.0, 5.0)):
        tau, _ = n(actuation, x.q, x.v, a, actuated=("a", "c"), weights=weights)
        H = g / np.array(weights)
        close(tau, H * needed / (g @ H), 1e-11)


def test_a_given_split_is_kept():
    mechanism = four_bar(PlanarPin(Y))
    x, a, _ = motion(mechanism, TAU)
    tau, _ = Numbers(mechanism)(actuation, x.q, x.v, a, actuated=("a", "c"), split=((2.0,), (1.0,)))
    close(tau[0], 2 * tau[1], 1e-12)


def test_all_motors_at_once_put_the_motion_back():
    mechanism = four_bar(PlanarPin(Y))
    x, a, _ = motion(mechanism, TAU)
    n = Numbers(mechanism)
    tau, _ = n(actuation, x.q, x.v, a, actuated=("a", "b", "c"))
    close(n(constrained, x.q, x.v, tau)[0], a, 1e-10)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"actuated": ()}, "determine 0"),
        ({"actuated": ("a", "a")}, "twice"),
        ({"actuated": ("z",)}, "no joint 'z'"),
        ({"actuated": ("a", "c"), "weights": (1.0, -1.0)}, "positive"),
        ({"actuated": ("a", "c"), "weights": (1.0,)}, "2 positive"),
        ({"actuated": ("a", "c"), "split": ((1.0, 2.0),)}, "row for each of 2"),
        ({"actuated": ("a",), "weights": (1.0,), "split": ((1.0,),)}, "not both"),
    ],
)
def test_motors_that_do_not_fit(options, message):
    with pytest.raises(px.PhalanxError, match=message):
        px.expression(actuation, four_bar(PlanarPin(Y)), **options)


def test_a_piston_drives_a_crank_though_not_from_its_dead_point():
    """The library's slider-crank stands at a dead point of its slider."""
    m = px.library.slider_crank()
    n = Numbers(m)
    x = assemble(m, [0.5, -0.2, 0.0], np.array([1.0, 0.0, 0.0]))
    tau = np.zeros(3)
    tau[m.v_slices["slider"]] = 5.0
    a, _ = n(constrained, x.q, x.v, tau)
    close(n(actuation, x.q, x.v, a, actuated=("slider",))[0], np.array([5.0]), 1e-9)


def test_the_front_door_knows_loops():
    mechanism = four_bar(PlanarPin(Y))
    x, a, force = motion(mechanism, TAU)
    d = px.Dynamics(mechanism, actuated=["a"])
    close(d.forward_dynamics(x.q, x.v, TAU), a, 1e-11)
    batch = d.loop_forces(np.tile(x.q, (5, 1)), x.v, TAU)
    close(batch.loop_force[4], force, 1e-11)
    close(d.actuation(x.q, x.v, a).tau, TAU[:1], 1e-11)
    with pytest.raises(px.InvalidInput, match="it has no loops"):
        px.Dynamics(px.library.puma560()).kernel("actuation")


def test_derivatives_of_the_open_tree_are_not_taken_for_those_of_the_machine():
    d = px.Dynamics(four_bar(PlanarPin(Y)))
    assert "forward_dynamics_derivatives" not in d.quantities
    with pytest.raises(px.InvalidInput, match="loops are closed"):
        d.kernel("forward_dynamics_derivatives")
    with pytest.raises(px.InvalidInput, match="actuated="):
        d.kernel("actuation")
