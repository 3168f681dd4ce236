"""Displacements between positions: what integrate takes back, the shorter way, a constant speed."""

import numpy as np
import pytest
from hypothesis import given

import phalanx as px
from evaluate import Numbers, close
from phalanx import equations as eq
from phalanx.mechanism import Body, Continuous, Floating, Joint, Mechanism, Planar, Spherical
from phalanx.mechanism.motion import joint_pose
from strategies import menagerie, moving, state_of

# positions of metres and radians; a chord is undone with terms of a few times its length
ROUNDING = 1e-11
# around the switches between series and closed form, and up to the half turn
ANGLES = [0.0, 1e-12, 1e-6, 0.0199, 0.0201, 0.2235, 0.2237, 1.0, 3.0, 3.14159]


def turning(motion):
    body = Body("b", 1.0, inertia=np.eye(3))
    return Mechanism("one", [Body("root"), body], [Joint("j", "root", "b", motion)])


def turns(mechanism, d, limit):
    """Displacements with turns about balls, planes and free bodies scaled below ``limit``."""
    d = d.copy()
    for joint in mechanism.moving_joints:
        s = mechanism.v_slices[joint.name]
        part = {"spherical": s, "floating": slice(s.start + 3, s.stop)}.get(joint.motion.kind)
        if joint.motion.kind == "planar":
            part = slice(s.start + 2, s.stop)
        if part is not None:
            d[part] *= limit / max(limit, np.linalg.norm(d[part]))
    return d


@given(moving())
def test_a_displacement_comes_back(machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    d = turns(mechanism, 3 * x.v, 3.0)
    close(n(eq.difference, x.q, n.move(x.q, d)), d, ROUNDING)


@given(moving())
def test_it_leads_to_the_other_posture(machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    end = mechanism.random_positions(seed=5)
    reached = n.move(x.q, n(eq.difference, x.q, end))
    for frame in mechanism.frame_names:
        wanted = n(eq.forward_kinematics, end, frame=frame)
        close(n(eq.forward_kinematics, reached, frame=frame), wanted, ROUNDING, frame)


@given(moving())
def test_the_way_there_is_the_way_back(machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    end = n.move(x.q, turns(mechanism, x.v, 3.0))
    close(n(eq.difference, end, x.q), -n(eq.difference, x.q, end), ROUNDING)


@pytest.mark.parametrize("angle", ANGLES)
@pytest.mark.parametrize("motion", [Spherical(), Floating(), Planar((0, 0, 1))])
def test_every_angle(motion, angle):
    mechanism = turning(motion)
    n, rng = Numbers(mechanism), np.random.default_rng(4)
    q, d = mechanism.random_positions(seed=rng), rng.standard_normal(mechanism.nv)
    turn = slice(2, 3) if motion.kind == "planar" else slice(-3, None)
    d[turn] *= angle / np.linalg.norm(d[turn])
    close(n(eq.difference, q, n.move(q, d)), d, 1e-12)


@pytest.mark.parametrize("motion", [Spherical(), Floating(), Planar((0, 0, 1))])
def test_no_turn_is_more_than_half_a_turn(motion):
    mechanism = turning(motion)
    n, rng = Numbers(mechanism), np.random.default_rng(6)
    for _ in range(20):
        q, d = mechanism.random_positions(seed=rng), 9 * rng.standard_normal(mechanism.nv)
        end = n.move(q, d)
        found = n(eq.difference, q, end)
        turn = slice(2, 3) if motion.kind == "planar" else slice(-3, None)
        assert np.linalg.norm(found[turn]) <= np.pi + 1e-12
        reached = joint_pose(motion, n.move(q, found)).matrix
        close(reached, joint_pose(motion, end).matrix, 1e-11)


@pytest.mark.parametrize("length", [-1.0, 1e-3, 700.0])
def test_quaternions_of_any_length_stand_for_the_same_attitude(length):
    n = Numbers(turning(Spherical()))
    q0, q1 = n.mechanism.random_positions(2, seed=1)
    close(n(eq.difference, length * q0, q1), n(eq.difference, q0, q1), 1e-14)


def test_hinges_count_turns():
    n = Numbers(turning(Continuous((0, 0, 1))))
    assert n(eq.difference, [0.5], [20.5]) == [20.0]


@given(moving())
def test_the_way_between_is_taken_at_constant_speed(machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    end = n.move(x.q, turns(mechanism, x.v, 3.0))
    whole = n(eq.difference, x.q, end)
    for s in (0.0, 0.25, 0.5, 1.0):
        part = n(eq.difference, x.q, n.function(eq.interpolate)(x.q, end, s))
        close(part, s * whole, ROUNDING, f"s = {s}")


def test_batches_broadcast_and_write_to_out():
    mechanism = menagerie()
    d = px.Dynamics(mechanism)
    q0, q1 = state_of(mechanism, 1).q, mechanism.random_positions(4, seed=2)
    s = np.linspace(0, 1, 5)[:, None]
    found = d.interpolate(q0, q1, s)
    assert found.shape == (5, 4, mechanism.nq)
    single = d.integrate(q0, s[3] * d.difference(q0, q1[2]))
    np.testing.assert_allclose(found[3, 2], single, atol=1e-14)
    out = np.empty((4, mechanism.nv))
    assert d.difference(q0, q1, out=out) is out
    n = Numbers(mechanism)
    close(out[1], n(eq.difference, q0, q1[1]), 1e-14)


def test_single_precision():
    mechanism = turning(Floating())
    q0, q1 = mechanism.random_positions(2, seed=3)
    single, double = (px.Dynamics(mechanism, dtype=x).difference(q0, q1) for x in ("f4", "f8"))
    np.testing.assert_allclose(single, double, atol=3e-6)
