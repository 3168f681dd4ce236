"""Forces in loops have names: whose they are, where they act, in which axes."""

import numpy as np
import pytest

import phalanx as px
from equations.loops.four_bar import GUESS, Y, four_bar
from equations.loops.perturbed import with_frame_moved, with_joint_tilted
from phalanx.mechanism.read import ModelWarning


@pytest.fixture(scope="module")
def stewart():
    return px.Dynamics(px.library.stewart())


def test_legs_carry_the_platform(stewart):
    """Newton's and Euler's laws for the platform, in a batch of falling machines."""
    m = stewart.mechanism
    rng = np.random.default_rng(0)
    x = px.assemble(m, None, rng.standard_normal(m.nv))
    tau = 10 * rng.standard_normal((4, m.nv))
    tau[:, :6] = 0.0  # nothing else acts on the platform
    a, force = stewart.loop_forces(x.q, x.v, tau)
    wrenches = stewart.loop_wrenches(x.q, force)
    assert list(wrenches) == [loop.name for loop in m.loops]
    body = m.body("platform")
    R = stewart.forward_kinematics(x.q, frame="platform")[:3, :3]
    A = stewart.frame_acceleration(x.q, x.v, a, frame="platform")
    w = R.T @ stewart.frame_velocity(x.q, x.v, frame="platform")[3:]
    # frame_a of each loop sits on the platform, parallel to it: the rods push it
    total = sum(wrench.force for wrench in wrenches.values())
    np.testing.assert_allclose(total @ R.T, body.mass * (A[:, :3] - m.gravity), atol=1e-10)
    arms = {name: m.frame(name).pose.translation for name in wrenches}
    moment = sum(np.cross(arms[name], wrenches[name].force) for name in wrenches)
    spin = A[:, 3:] @ R @ body.inertia + np.cross(w, body.inertia @ w)
    np.testing.assert_allclose(moment, spin, atol=1e-10)


def test_wrenches_are_what_wrenches_of_the_open_tree_take():
    """Fields in the order that ``wrenches=`` has, both ends of a loop."""
    m = four_bar(px.mechanism.Revolute(axis=Y))
    x = px.assemble(m, GUESS, np.array([2.0, 0.0, 0.0]))
    tau = np.array([0.7, 0.1, -0.2])
    closed = px.Dynamics(m)
    a, force = closed.loop_forces(x.q, x.v, tau)
    pin = closed.loop_wrenches(x.q, force)["pin"]
    assert pin.on_a.shape == pin.on_b.shape == (6,)
    cut = px.Dynamics(
        px.Mechanism(m.name, m.bodies, m.joints, m.frames), wrenches=["coupler_end", "rocker_end"]
    )
    found = cut.forward_dynamics(x.q, x.v, tau, pin.on_a, pin.on_b)
    np.testing.assert_allclose(found, a, rtol=1e-11)


def test_a_machine_that_closes_but_for_rounding_is_as_good():
    """Its pin is pressed in: motions pass the check, and wrenches act at the frames as written."""
    m = with_frame_moved(px.library.four_bar(), [0.0, 4e-6, 0.0])
    m = with_joint_tilted(m, "rocker", (1, 0, 0), 4e-6)
    with pytest.warns(ModelWarning, match="closed as assembled"):
        x = px.assemble(m, [1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [1.0, 0.0, 0.0], held=["crank"])
    d = px.Dynamics(m, actuated=["crank"])
    tau, force = d.actuation(x.q, x.v, x.a)
    np.testing.assert_allclose(d.complete_motion(x.q, [2.0], [1.0]).a, x.a, atol=1e-9)
    pin = d.loop_wrenches(x.q, force)["pin"]
    loop = m.loops[0]
    cut = px.Dynamics(
        px.Mechanism(m.name, m.bodies, m.joints, m.frames), wrenches=[loop.frame_a, loop.frame_b]
    )
    joints = np.concatenate([tau, np.zeros(2)])
    found = cut.forward_dynamics(x.q, x.v, joints, pin.on_a, pin.on_b)
    np.testing.assert_allclose(found, x.a, atol=1e-9)


def test_rows_say_whose_they_are():
    m = four_bar(px.mechanism.Revolute(axis=Y))
    rows = px.Dynamics(m).loop_rows
    assert [row.loop for row in rows] == ["pin"] * 5
    assert [row.equation for row in rows] == [0, 1, 2, 3, 4]
    assert [row.unit for row in rows] == ["N", "N", "N", "N·m", "N·m"]
    assert sum(not row.is_redundant for row in rows) == 2
    x = px.assemble(m, GUESS, np.array([2.0, 0.0, 0.0]))
    force = px.Dynamics(m).loop_forces(x.q, x.v, np.ones(3)).loop_force
    assert [number == 0.0 for number in force] == [row.is_redundant for row in rows]


def test_a_machine_without_loops_has_no_wrenches():
    d = px.Dynamics(px.library.puma560())
    assert d.loop_rows == ()
    with pytest.raises(px.InvalidInput, match="no loop_wrenches: it has no loops"):
        d.loop_wrenches(np.zeros(6), np.zeros(0))
