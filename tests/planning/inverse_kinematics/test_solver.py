"""Postures found bring frames to their targets: closed forms, Pinocchio, limits, loops."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import phalanx as px
from phalanx.equations.loops.assembly.closed_loops import closed_loops
from phalanx.equations.loops.assembly.search import CLOSED
from phalanx.mechanism import Mechanism, Revolute
from planning.inverse_kinematics.closed_forms import (
    LOWER,
    UPPER,
    apart,
    planar_arm,
    planar_postures,
    puma_postures,
)
from strategies import mechanisms

TOLERANCE = 1e-8


def poses(mechanism: Mechanism, q: np.ndarray, frame: str) -> np.ndarray:
    return px.Dynamics(mechanism).forward_kinematics(q, frame=frame)


def seven_joints() -> Mechanism:
    """An arm with shoulder, elbow and wrist, within limits, of 1.2 m."""
    axes = [(0, 0, 1), (0, 1, 0), (0, 0, 1), (0, 1, 0), (0, 0, 1), (0, 1, 0), (0, 0, 1)]
    up = [0.3, 0.0, 0.35, 0.0, 0.35, 0.0, 0.2]
    bodies = [px.Body("base"), *(px.Body(f"link_{k}", 1.0) for k in range(1, 8))]
    joints = [
        px.Joint(
            f"joint_{k}",
            bodies[k - 1].name,
            f"link_{k}",
            Revolute(np.array(axis, dtype=float)),
            px.Pose(translation=np.array([0.02 * k, 0.0, z])),
            lower=-2.8 if k % 2 else -2.0,
            upper=2.8 if k % 2 else 2.0,
        )
        for k, (axis, z) in enumerate(zip(axes, up, strict=True), start=1)
    ]
    hand = px.Frame("hand", "link_7", px.Pose.from_rpy((0.05, 0, 0.1), (0.2, 0.1, 0.0)))
    return px.Mechanism("seven", bodies, joints, [hand])


def two_arms() -> Mechanism:
    """A trunk that floats, with two arms of four joints."""
    bodies, joints, frames = [px.Body("trunk", 5.0, inertia=np.eye(3))], [], []
    for name, y in (("left", 0.2), ("right", -0.2)):
        before = "trunk"
        for k, axis in enumerate([(0, 1, 0), (1, 0, 0), (0, 0, 1), (0, 1, 0)]):
            bodies.append(px.Body(f"{name}_{k}", 1.0))
            place = np.array([0.0, y, 0.0]) if k == 0 else np.array([0.05, 0.0, -0.25])
            turn = Revolute(np.array(axis, dtype=float))
            pose = px.Pose(translation=place)
            joints.append(
                px.Joint(f"{name}_j{k}", before, f"{name}_{k}", turn, pose, lower=-2, upper=2)
            )
            before = f"{name}_{k}"
        frames.append(px.Frame(f"{name}_hand", before, px.Pose(translation=np.array([0, 0, -0.2]))))
    return px.with_floating_base(px.Mechanism("two_arms", bodies, joints, frames))


ARM = seven_joints()
Q = ARM.random_positions(300, seed=5)
TARGETS = poses(ARM, Q, "hand")
IK = px.InverseKinematics(ARM, frame="hand")


# -- what is found is right ----------------------------------------------------------------------


def test_reachable_targets_are_reached():
    found = IK.solve(TARGETS)
    assert found.converged.mean() >= 0.995
    reached = poses(ARM, found.q[found.converged], "hand")
    wanted = TARGETS[found.converged]
    assert np.linalg.norm(reached[:, :3, 3] - wanted[:, :3, 3], axis=-1).max() <= TOLERANCE
    # √2 times the angle
    off = np.linalg.norm(reached[:, :3, :3] - wanted[:, :3, :3], axis=(-1, -2))
    assert off.max() <= np.sqrt(2) * TOLERANCE * (1 + 1e-6)
    assert (found.errors[found.converged] <= TOLERANCE).all()
    assert found.parts == ("hand position [m]", "hand orientation [rad]")


def test_pinocchio_agrees():
    pytest.importorskip("pinocchio")
    from phalanx.bench.peers.pinocchio import peer

    theirs = peer(ARM, "hand").one("forward_kinematics", "hand")
    found = IK.solve(TARGETS[:20])
    assert found.converged.all()
    for q, wanted in zip(found.q, TARGETS, strict=False):
        assert np.abs(theirs(q) - wanted).max() < 2 * TOLERANCE


def test_two_links_in_the_plane():
    arm = planar_arm()
    ik = px.InverseKinematics(arm, tasks=[px.PointTask("tip")])
    rng = np.random.default_rng(0)
    for radius, angle in zip(rng.uniform(0.25, 0.75, 6), rng.uniform(-3, 3, 6), strict=True):
        x, y = radius * np.cos(angle), radius * np.sin(angle)
        known = planar_postures(x, y)
        each = ik.from_each_start([x, y, 0.0], starts=12)
        assert each.converged.any()
        for q in each.q[each.converged]:
            assert min(apart(q, other) for other in known) < 1e-6
        for other in known:  # neither is missed
            assert min(apart(q, other) for q in each.q[each.converged]) < 1e-6


def test_all_eight_postures_of_a_puma():
    arm = px.library.puma560()
    ik = px.InverseKinematics(arm, frame="tool")
    for q in arm.random_positions(3, seed=3):
        X = poses(arm, q, "tool")
        known = puma_postures(X)
        assert np.abs(poses(arm, np.array(known), "tool") - X).max() < 1e-12  # the formula is right
        each = ik.from_each_start(X, starts=200)
        good = each.q[each.converged]
        nearest = np.array([[apart(one, other) for other in known] for one in good])
        assert nearest.min(axis=1).max() < 1e-5
        assert nearest.min(axis=0).max() < 1e-5


@settings(max_examples=6, deadline=None)
@given(
    mechanisms(max_bodies=5, max_freedoms=8, rotors=False),
    st.integers(0, 2**32 - 1),
    st.booleans(),
)
def test_limits_are_never_exceeded(mechanism, seed, within_reach):
    rng = np.random.default_rng(seed)
    joints = []
    for joint in mechanism.joints:
        if joint.motion.nq == joint.motion.nv and joint.mimic is None:
            lower = rng.uniform(-1.0, 0.5, joint.motion.nv)
            joint = replace(joint, lower=lower, upper=lower + rng.uniform(0.1, 1.5))
        joints.append(joint)
    machine = replace(mechanism, joints=joints)
    try:
        ik = px.InverseKinematics(machine, frame="tool")
    except px.InvalidInput as error:
        assert "nothing moves" in str(error)
        return
    q = machine.random_positions(8, seed=rng)
    X = poses(machine, q, "tool")
    if not within_reach:
        X[:, :3, 3] += rng.uniform(-2, 2, 3)
    found = ik.solve(X, q0=10 * q, starts=4, posture=q[0])
    assert (poses(machine, found.q, "tool")[found.converged] - X[found.converged] < 1e-7).all()
    for joint in machine.moving_joints:
        own = found.q[:, machine.q_slices[joint.name]]
        if joint.motion.nq == joint.motion.nv:
            assert (own >= joint.lower).all() and (own <= joint.upper).all()
        else:
            assert np.allclose(np.linalg.norm(own[:, -4:], axis=1), 1.0, atol=1e-12)


# -- several frames, floating bases, postures ----------------------------------------------------


def test_several_frames_of_a_floating_machine():
    machine = two_arms()
    tasks = [
        px.PoseTask("left_hand"),
        px.PointTask("right_hand", weight=0.5),
        px.DirectionTask("trunk", axis=(0, 0, 1)),
    ]
    ik = px.InverseKinematics(machine, tasks=tasks)
    q = machine.random_positions(20, seed=1)
    left, right, trunk = (poses(machine, q, f) for f in ("left_hand", "right_hand", "trunk"))
    found = ik.solve([left, right[:, :3, 3], trunk[:, :3, 2]])
    assert found.converged.all()
    assert np.abs(poses(machine, found.q, "left_hand") - left).max() < 1e-7
    assert np.abs(poses(machine, found.q, "right_hand")[:, :3, 3] - right[:, :3, 3]).max() < 1e-7
    assert np.abs(poses(machine, found.q, "trunk")[:, :3, 2] - trunk[:, :3, 2]).max() < 1e-7
    assert found.error("trunk").shape == (20,)
    with pytest.raises(px.UnknownName, match="foot"):
        found.error("foot")


def test_a_liked_posture_is_approached_and_costs_nothing():
    preferred = Q[::-1][:60]
    plain = IK.solve(TARGETS[:60], preferred)
    found = IK.solve(TARGETS[:60], preferred, posture=preferred)
    assert (found.converged == plain.converged).all()
    assert (found.distance <= plain.distance).all()
    assert found.distance.mean() < 0.98 * plain.distance.mean()


def test_the_nearest_of_all_starts():
    near = IK.solve(TARGETS[:20], Q[:20], nearest=True, starts=16)
    each = IK.from_each_start(TARGETS[:20], Q[:20], starts=16)
    assert each.q.shape == (20, 16, 7)
    assert (near.start == 0).all()  # the given posture is there already
    away = IK.solve(TARGETS[:20], Q[::-1][:20], nearest=True, starts=16)
    each = IK.from_each_start(TARGETS[:20], Q[::-1][:20], starts=16)
    assert np.array_equal(away.distance, np.where(each.converged, each.distance, np.inf).min(-1))
    assert np.allclose(away.distance, np.linalg.norm(away.q - Q[::-1][:20], axis=-1))


# -- the same numbers however they are asked for -------------------------------------------------


def test_a_target_alone_is_found_as_in_a_batch():
    batch = IK.solve(TARGETS[:33])
    for k in (0, 7, 32):
        alone = IK.solve(TARGETS[k])
        assert np.array_equal(alone.q, batch.q[k]) and alone.start == batch.start[k]
        # a Pose has exact zeros and ones where rounding left something close to them
        assert np.abs(IK(px.Pose(TARGETS[k][:3, :3], TARGETS[k][:3, 3])) - alone.q).max() < 1e-6
    one_thread = px.InverseKinematics(ARM, frame="hand", threads=1).solve(TARGETS[:33])
    assert np.array_equal(one_thread.q, batch.q)
    grid = IK.solve(TARGETS[:6].reshape(2, 3, 4, 4))
    assert grid.q.shape == (2, 3, 7)
    assert np.array_equal(grid.q.reshape(6, 7), batch.q[:6])


def test_a_seed_stands_for_its_starts():
    hard = TARGETS[~IK.solve(TARGETS, starts=1).converged]
    assert len(hard)
    one, same, other = (IK.solve(hard, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(one.q, same.q)
    assert not np.array_equal(one.q, other.q)


# -- machines with loops -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "frame"),
    [("four_bar", "coupler"), ("five_bar", "tool"), ("planar_3rrr", "platform"), ("delta", "tool")],
)
def test_loops_are_closed(name, frame):
    machine = px.library.by_name(name)
    rng = np.random.default_rng(0)
    d, home = px.Dynamics(machine), px.assemble(machine).q
    ways = 0.1 * rng.standard_normal((4, machine.nv))
    q = np.array([px.assemble(machine, d.integrate(home, way)).q for way in ways])
    X = d.forward_kinematics(q, frame=frame)
    ik = px.InverseKinematics(machine, frame=frame)
    found = ik.solve(X)
    assert found.converged.all()
    assert np.abs(d.forward_kinematics(found.q, frame=frame) - X).max() < 2 * TOLERANCE
    assert found.opening.max() <= CLOSED
    assert not any(closed_loops(machine).open_loops(one) for one in found.q)
    # out of reach: as near as it gets, and closed all the same
    X[:, :3, 3] += 10.0
    far = ik.solve(X, starts=2)
    assert not far.converged.any()
    assert not any(closed_loops(machine).open_loops(one) for one in far.q)


# -- targets out of reach ------------------------------------------------------------------------


def test_how_close_a_target_out_of_reach_can_be_come():
    arm = planar_arm()
    ik = px.InverseKinematics(arm, tasks=[px.PointTask("tip")])
    found = ik.solve([[2.0, 0.0, 0.0], [0.05, 0.0, 0.0], [0.0, 0.6, 0.3]])
    assert not found.converged.any()
    # the ring between radii 0.2 and 0.8, in its plane
    assert found.error("tip") == pytest.approx([1.2, 0.15, 0.3], abs=1e-6)
    assert "0 of 3 converged" in repr(found)


def test_the_error_says_which_part_fails():
    arm = planar_arm(lower=0.0, upper=2.0)
    ik = px.InverseKinematics(arm, frame="tip")
    turned = px.Pose.from_rpy((0.5, 0.3, 0.0), (0.0, 1.0, 0.0))
    with pytest.raises(
        px.UnreachableTarget, match=r"orientation of 'tip' cannot be reached: .* 1 rad"
    ) as e:
        ik(turned)
    assert e.value.alone[0] == 0 and e.value.alone[1] == pytest.approx(1.0, abs=1e-6)
    with pytest.raises(
        px.UnreachableTarget, match=r"position of 'tip' cannot be reached: .* 1.2 m"
    ):
        ik(px.Pose.from_rpy((2.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
    with pytest.raises(px.UnreachableTarget, match="each part can be reached by itself") as e:
        ik(px.Pose.from_rpy((0.5, 0.3, 0.0), (0.0, 0.0, 3.0)))
    assert e.value.solution.errors.shape == (2,)
    bent = px.InverseKinematics(planar_arm(lower=0.5, upper=2.0), tasks=[px.PointTask("tip")])
    with pytest.raises(px.UnreachableTarget, match="elbow at a limit") as e:
        bent([0.9, 0.0, 0.0])
    reach = np.hypot(UPPER + LOWER * np.cos(0.5), LOWER * np.sin(0.5))
    assert e.value.alone == pytest.approx([0.9 - reach], abs=1e-9)


def test_a_frame_turned_over_is_reached_from_other_starts():
    arm = px.library.puma560()
    ik = px.InverseKinematics(arm, frame="tool")
    X = poses(arm, np.array([0.3, -0.5, 0.2, 0.1, 0.8, 0.0]), "tool")
    over = X @ np.diag([-1.0, -1.0, 1.0, 1.0])  # half a turn about the tool's own axis
    assert ik.solve(over, np.array([0.3, -0.5, 0.2, 0.1, 0.8, 0.0])).converged


# -- wrong input ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: px.InverseKinematics(ARM), px.InvalidInput, "either frame="),
        (lambda: px.InverseKinematics(ARM, "hnad"), px.UnknownName, "Did you mean 'hand'"),
        (lambda: px.InverseKinematics(ARM, "base"), px.InvalidInput, "nothing moves"),
        (lambda: px.InverseKinematics(ARM, tasks=["hand"]), px.InvalidInput, "a task must be"),
        (lambda: px.InverseKinematics("arm", "hand"), px.InvalidInput, "Mechanism"),
        (lambda: IK.solve(TARGETS[0], starts=0), px.InvalidInput, "starts"),
        (lambda: IK.solve(TARGETS[0], seed=-1), px.InvalidInput, "seed"),
        (lambda: IK.solve(TARGETS[0], tolerance=0), px.InvalidInput, "tolerance"),
        (lambda: IK.solve(TARGETS[0], steps=2.5), px.InvalidInput, "steps"),
        (lambda: IK.solve(TARGETS[0], Q[0, :3]), px.InvalidInput, r"expected \(\.\.\., 7\)"),
        (lambda: IK.solve(TARGETS[0], np.full(7, np.nan)), px.InvalidInput, "q0"),
        (lambda: IK.solve(TARGETS[0], posture=[1.0]), px.InvalidInput, "posture"),
        (lambda: IK.solve(TARGETS[:3], Q[:2]), px.InvalidInput, "broadcast"),
        (lambda: IK(TARGETS[:3]), px.InvalidInput, "one target"),
    ],
)
def test_wrong_input(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_wrong_lists_of_targets():
    ik = px.InverseKinematics(ARM, tasks=[px.PointTask("hand"), px.OrientationTask("link_3")])
    with pytest.raises(px.InvalidInput, match="2 tasks need a list"):
        ik.solve(np.eye(4))
    with pytest.raises(px.InvalidInput, match="do not broadcast"):
        ik.solve([np.zeros((3, 3)), np.stack([np.eye(3)] * 2)])


def test_it_travels_by_pickle():
    arm = px.library.puma560()
    tasks = [px.PointTask("tool"), px.DirectionTask("tool", axis=(0, 0, 1), weight=0.5)]
    ik = px.InverseKinematics(arm, tasks=tasks, threads=1)
    targets = [[0.5, 0.2, 0.3], [0.0, 0.0, -1.0]]
    ik.solve(targets)
    again = pickle.loads(pickle.dumps(ik))
    assert again.tasks == ik.tasks and again.mechanism == arm
    np.testing.assert_array_equal(again.solve(targets).q, ik.solve(targets).q)
    with pytest.raises(px.InvalidInput, match=r"pass its \.mechanism"):
        px.InverseKinematics(px.Dynamics(arm), frame="tool")
