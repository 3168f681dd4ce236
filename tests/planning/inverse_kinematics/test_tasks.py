"""Errors of tasks vanish at their targets; derivatives are those of finite differences."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import phalanx as px
from phalanx.equations import forward_kinematics
from phalanx.equations.model_of import model_of
from phalanx.equations.tree.positions import positions_after
from strategies import mechanisms, random_pose

STEP = 1e-6
# central differences: the step squared, and rounding over the step
TOLERANCE = 1e-8


def tasks(frame):
    return (
        px.PointTask(frame, point=(0.1, -0.2, 0.3)),
        px.PoseTask(frame),
        px.OrientationTask(frame),
        px.DirectionTask(frame, axis=(1.0, 2.0, -2.0)),
    )


def target_of(task, X):
    """The numbers of the target that a frame at the pose X has reached."""
    match task:
        case px.PointTask():
            return task.numbers(X[:3, :3] @ task.point + X[:3, 3])
        case px.PoseTask():
            return task.numbers(X)
        case px.OrientationTask():
            return task.numbers(X[:3, :3])
        case px.DirectionTask():
            return task.numbers(3.0 * X[:3, :3] @ task.axis)


@settings(max_examples=12, deadline=None)
@given(mechanisms(max_bodies=5, max_freedoms=9), st.integers(0, 2**32 - 1))
def test_derivatives(mechanism, seed):
    rng = np.random.default_rng(seed)
    model, q = model_of(mechanism), ca.SX.sym("q", mechanism.nq)
    d = ca.SX.sym("d", mechanism.nv)
    move = ca.Function("move", [q, d], [positions_after(model, q, d)])
    at = mechanism.random_positions(seed=rng)
    pose = ca.Function("pose", [q], [forward_kinematics(model, q, frame="tool")])
    X, elsewhere = np.array(pose(at)), random_pose(rng, aligned=False).matrix
    way = rng.standard_normal(mechanism.nv)
    for task in tasks("tool"):
        t = ca.SX.sym("t", task.size)
        for part in task.errors(model, q, t):
            values = ca.Function("part", [q, t], [part.e, part.J, part.cost, part.miss])

            def differences(target, values=values):
                ahead, behind = (values(move(at, s * STEP * way), target) for s in (1, -1))
                return [
                    (np.array(a) - np.array(b)) / (2 * STEP)
                    for a, b in zip(ahead, behind, strict=True)
                ]

            reached = target_of(task, X)
            e, J, cost, miss = (np.array(x) for x in values(at, reached))
            assert np.abs(e).max() < 1e-14 and cost < 1e-14 and miss < 1e-14
            size = max(1.0, np.abs(J).max()) * np.linalg.norm(way)
            assert np.abs(differences(reached)[0].ravel() + J @ way).max() < TOLERANCE * size
            # far away, half the cost falls along Jᵀe: steps are Gauss and Newton's
            far = target_of(task, elsewhere)
            e, J, cost, miss = (np.array(x) for x in values(at, far))
            slope = float(differences(far)[2].item()) / 2
            assert abs(slope + e.ravel() @ J @ way) < TOLERANCE * size * (1 + float(cost.item()))


@pytest.mark.parametrize("angle", [1e-9, 0.3, 1.5, 2.5, np.pi - 1e-3])
@pytest.mark.parametrize("kind", [px.OrientationTask, px.DirectionTask])
def test_angles_are_measured_all_the_way_round(kind, angle):
    arm = px.library.double_pendulum()
    model, q = model_of(arm), ca.SX.sym("q", arm.nq)
    # an axis across the joint's turns by its angle
    across = np.cross(arm.joints[0].motion.axis, [0.3, 0.5, 0.8])
    more = {"axis": across} if kind is px.DirectionTask else {}
    task = kind(arm.joints[0].child, **more)
    X = ca.Function("X", [q], [forward_kinematics(model, q, frame=task.frame)])
    reached = target_of(task, np.array(X([angle, 0.0])))
    t = ca.SX.sym("t", task.size)
    (part,) = task.errors(model, q, t)
    miss = float(ca.Function("miss", [q, t], [part.miss])(np.zeros(2), reached))
    assert miss == pytest.approx(angle, rel=1e-6)


def test_a_frame_turned_over_is_not_at_its_target():
    arm = px.library.double_pendulum()
    model, q = model_of(arm), ca.SX.sym("q", arm.nq)
    task = px.OrientationTask(arm.bodies[1].name)
    t = ca.SX.sym("t", 9)
    X = ca.Function("X", [q], [forward_kinematics(model, q, frame=task.frame)])
    over = target_of(task, np.array(X([np.pi, 0.0])))
    (part,) = task.errors(model, q, t)
    values = ca.Function("v", [q, t], [part.e, part.met(ca.SX(1e-8)), part.miss])
    e, met, miss = (np.array(x) for x in values(np.zeros(2), over))
    assert np.abs(e).max() < 1e-15
    assert not met and miss == pytest.approx(np.pi)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: px.PointTask("tool", weight=-1.0), "weight of PointTask"),
        (lambda: px.PoseTask("tool", orientation_weight=float("nan")), "orientation_weight"),
        (lambda: px.PointTask("tool", point=(1.0, 2.0)), "point of PointTask"),
        (lambda: px.DirectionTask("tool", axis=(0.0, 0.0, 0.0)), "length zero"),
        (lambda: px.DirectionTask("tool", axis="z"), "axis of DirectionTask"),
        (lambda: px.PoseTask(7), "frame"),
    ],
)
def test_wrong_tasks(make, message):
    with pytest.raises(px.InvalidInput, match=message):
        make()


@pytest.mark.parametrize(
    ("task", "target", "message"),
    [
        (px.PoseTask("tool"), np.eye(3), r"shape \(3, 3\)"),
        (px.PoseTask("tool"), np.diag([1.0, 1.0, -1.0, 1.0]), "no rotation"),
        (px.PoseTask("tool"), np.stack([np.eye(4), 2 * np.eye(4)]), "homogeneous"),
        (px.PoseTask("tool"), np.full((4, 4), np.nan), "NaN"),
        (px.PoseTask("tool"), "there", "must be a pose"),
        (px.OrientationTask("tool"), np.stack([np.eye(3), 1.1 * np.eye(3)]), r"number \(1,\)"),
        (px.PointTask("tool"), [1.0, 2.0], r"shape \(2,\)"),
        (px.PointTask("tool"), [1.0, 2.0, np.inf], "infinity"),
        (px.DirectionTask("tool"), [0.0, 0.0, 0.0], "length zero"),
    ],
)
def test_wrong_targets(task, target, message):
    with pytest.raises(px.InvalidInput, match=message):
        task.numbers(target)


def test_poses_of_single_precision_are_made_rotations():
    R = px.Pose.from_rpy((0, 0, 0), (0.3, -0.4, 0.5)).matrix.astype(np.float32)
    found = px.PoseTask("tool").numbers(R)[:9].reshape(3, 3)
    assert np.abs(found @ found.T - np.eye(3)).max() < 1e-14
    assert np.abs(found - R[:3, :3]).max() < 1e-7


def test_a_list_of_poses_is_a_batch():
    arm = px.library.puma560()
    ik = px.InverseKinematics(arm, frame="tool")
    poses = [px.Pose.from_rpy((0.4, y, 0.3), (0.2, 1.8, 0.3)) for y in (0.1, 0.2, 0.3)]
    found = ik.solve(poses)
    assert found.converged.shape == (3,) and found.converged.all()
    np.testing.assert_array_equal(found.q, ik.solve(np.stack([X.matrix for X in poses])).q)
