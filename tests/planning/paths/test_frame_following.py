"""A frame is led along its path to within the tolerance, or the place where it ends is named."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import phalanx as px
from phalanx.mechanism import Revolute

ARM = px.library.puma560()
DYNAMICS = px.Dynamics(ARM, threads=1)
POSTURE = np.array([0.1, -0.6, 0.3, 0.2, 0.8, 0.1])
HERE = DYNAMICS.forward_kinematics(POSTURE, frame="tool")


def row_of_hinges(axes, **limits):
    """Links of 0.3 m above each other, on hinges about the axes named, and a frame at the end."""
    unit = {"x": [1, 0, 0], "y": [0, 1, 0], "z": [0, 0, 1]}
    names = ["base", *(f"link_{k}" for k in range(1, len(axes) + 1))]
    return px.Mechanism(
        "row",
        bodies=[px.Body(name, float(k > 0), com=[0, 0, 0.15]) for k, name in enumerate(names)],
        joints=[
            px.Joint(
                f"hinge_{k + 1}",
                names[k],
                names[k + 1],
                Revolute(unit[axis]),
                px.Pose(translation=[0, 0, 0.3 if k else 0]),
                **limits,
            )
            for k, axis in enumerate(axes)
        ],
        frames=[px.Frame("tip", names[-1], px.Pose(translation=[0, 0, 0.3]))],
    )


def away(shift, turn=(0.0, 0.0, 0.0)):
    moved = px.Pose.from_rpy([0, 0, 0], turn).matrix @ HERE
    moved[:3, 3] = HERE[:3, 3] + shift
    return moved


@pytest.mark.parametrize("tolerance", [1e-4, 1e-6, 1e-8])
def test_a_line_with_a_turn_is_followed_to_the_tolerance(tolerance):
    wanted = px.planning.line(HERE, away([0.1, 0.2, -0.1], [0.3, -0.2, 0.4]), 2.0)
    path = px.planning.follow_frame(DYNAMICS, wanted, POSTURE, frame="tool", tolerance=tolerance)
    t = np.linspace(0, 2, 3001)
    q, v, a = path(t)
    X, V, A = wanted(t)
    off = np.abs(DYNAMICS.forward_kinematics(q, frame="tool") - X).max()
    assert off <= 1.5 * tolerance, f"{1e6 * off:.3g} µm"
    np.testing.assert_allclose(q[0], POSTURE, atol=1e-9)
    near = 1e3 * tolerance
    np.testing.assert_allclose(DYNAMICS.frame_velocity(q, v, frame="tool"), V, atol=near)
    np.testing.assert_allclose(
        DYNAMICS.frame_acceleration(q, v, a, frame="tool"), A, atol=30 * near
    )


def test_an_arc_with_trapezoidal_timing():
    end = away([0.15, 0.1, 0.0])
    via = HERE[:3, 3] + [0.05, 0.1, 0.0]
    wanted = px.planning.arc(HERE, via, end, velocity_limit=0.2, acceleration_limit=0.5)
    path = px.planning.follow_frame(ARM, wanted, POSTURE, frame="tool")
    t = np.linspace(0, path.duration, 1501)
    off = DYNAMICS.forward_kinematics(path(t)[0], frame="tool") - wanted(t)[0]
    assert np.abs(off).max() < 1.5e-6


def test_rates_are_rates_of_the_joints():
    wanted = px.planning.line(HERE, away([0.1, 0.2, -0.1]), 2.0)
    path = px.planning.follow_frame(DYNAMICS, wanted, POSTURE, frame="tool")
    t, h = np.linspace(0.01, 1.99, 37), 1e-5
    before, now, after = path(t - h), path(t), path(t + h)
    np.testing.assert_allclose((after[0] - before[0]) / (2 * h), now[1], atol=1e-7)
    np.testing.assert_allclose((after[1] - before[1]) / (2 * h), now[2], atol=1e-4)


def test_a_machine_with_more_joints_moves_them_least():
    """Resolved rates: joint velocities have no part along which the frame stands still."""
    dynamics = px.Dynamics(row_of_hinges("zyzyzyz"), threads=1)
    frame = "tip"
    q0 = np.array([0.1, 0.6, 0.2, 0.7, -0.3, 0.5, 0.1])
    X = dynamics.forward_kinematics(q0, frame=frame)
    end = X.copy()
    end[:3, 3] += [0.02, -0.03, -0.02]
    wanted = px.planning.line(X, end, 1.0)
    path = px.planning.follow_frame(dynamics, wanted, q0, frame=frame, beyond_range=True)
    t = np.linspace(0, 1, 201)
    q, v, _ = path(t)
    assert np.abs(dynamics.forward_kinematics(q, frame=frame) - wanted(t)[0]).max() < 1.5e-6
    for qk, vk in zip(q[::20], v[::20], strict=True):
        J = dynamics.jacobian(qk, frame=frame)
        null = vk - np.linalg.pinv(J) @ (J @ vk)
        assert np.abs(null).max() < 1e-4


def test_a_point_leaves_the_frame_to_turn():
    d = px.Dynamics(row_of_hinges("yy"), threads=1)
    q0 = np.array([0.4, 0.9])
    start = d.forward_kinematics(q0, frame="tip")
    end = px.Pose(start[:3, :3], start[:3, 3] + [0.05, 0.0, -0.1])
    wanted = px.planning.line(start, end, 1.0)
    path = px.planning.follow_frame(d, wanted, q0, frame="tip", point=True)
    t = np.linspace(0, 1, 101)
    p = d.forward_kinematics(path(t)[0], frame="tip")[:, :3, 3]
    np.testing.assert_allclose(p, wanted(t)[0][:, :3, 3], atol=1.5e-6)
    with pytest.raises(
        px.planning.UnreachablePath, match="0 %"
    ):  # two hinges cannot keep it from turning
        px.planning.follow_frame(d, wanted, q0, frame="tip")


def test_a_stretch_out_of_reach_is_named():
    wanted = px.planning.line(HERE, away([1.0, 0.0, 0.0]), 2.0)
    with pytest.raises(
        px.planning.UnreachablePath, match=r"at .* % of it .* out of reach"
    ) as caught:
        px.planning.follow_frame(DYNAMICS, wanted, POSTURE, frame="tool", beyond_range=True)
    found = caught.value
    assert 0.05 < found.share < 0.95 and found.off > 0
    # up to there it is followed
    X = wanted.at(0.999 * found.share)[0]
    short = px.planning.line(HERE, X, 1.0)
    px.planning.follow_frame(DYNAMICS, short, POSTURE, frame="tool", beyond_range=True)
    assert wanted.timing(found.time)[0][0] == pytest.approx(found.share, abs=1e-3)


def test_a_begin_that_is_not_reached():
    far = away([3.0, 0.0, 0.0])
    wanted = px.planning.line(far, away([3.1, 0.0, 0.0]), 2.0)
    with pytest.raises(
        px.planning.UnreachablePath, match=r"at 0 % .* from the posture given. px.InverseKinematics"
    ):
        px.planning.follow_frame(DYNAMICS, wanted, POSTURE, frame="tool")


@pytest.mark.parametrize("turn", [0.0, 0.01, 0.4])
def test_a_wrist_passes_near_its_singular_posture(turn):
    q = np.array([0.1, -0.6, 0.3, 0.0, 0.3, 0.0])
    X = DYNAMICS.forward_kinematics(q, frame="tool")
    Y = DYNAMICS.forward_kinematics(q - 0.6 * np.eye(6)[4], frame="tool")
    side = px.Pose.from_rpy([0, 0, 0], [turn, 0.0, 0.0]).matrix @ Y
    side[:3, 3] = Y[:3, 3]
    wanted = px.planning.line(X, side, 1.0)
    path = px.planning.follow_frame(DYNAMICS, wanted, q, frame="tool")
    t = np.linspace(0, 1, 2001)
    off = DYNAMICS.forward_kinematics(path(t)[0], frame="tool") - wanted(t)[0]
    assert np.abs(off).max() < 1.5e-6


def test_a_singular_posture_that_cannot_be_left_that_way_is_named():
    q = np.array([0.1, -0.6, 0.3, 0.0, 0.0, 0.0])
    X = DYNAMICS.forward_kinematics(q, frame="tool")
    lost = np.linalg.svd(DYNAMICS.jacobian(q, frame="tool"))[0][:, -1]
    Y = np.eye(4)
    Y[:3, :3] = Rotation.from_rotvec(0.1 * lost[3:]).as_matrix() @ X[:3, :3]
    Y[:3, 3] = X[:3, 3] + 0.1 * lost[:3]
    with pytest.raises(px.planning.UnreachablePath, match=r"at 0 % .* singular posture"):
        px.planning.follow_frame(DYNAMICS, px.planning.line(X, Y, 1.0), q, frame="tool")


def test_a_joint_at_the_end_of_its_range_is_named():
    d = px.Dynamics(row_of_hinges("yy", lower=[-0.5], upper=[1.0]), threads=1)
    q0 = np.array([0.4, 0.9])
    start = d.forward_kinematics(q0, frame="tip")
    end = px.Pose(start[:3, :3], start[:3, 3] + [0.0, 0.0, -0.2])
    wanted = px.planning.line(start, end, 1.0)
    with pytest.raises(px.planning.UnreachablePath, match="needs joint 'hinge_2' at 1"):
        px.planning.follow_frame(d, wanted, q0, frame="tip", point=True)
    px.planning.follow_frame(d, wanted, q0, frame="tip", point=True, beyond_range=True)


def test_machines_whose_positions_are_no_curves():
    wanted = px.planning.line(HERE, away([0.1, 0.0, 0.0]), 2.0)
    floating = px.with_floating_base(ARM)
    with pytest.raises(px.InvalidModel, match="floating"):
        px.planning.follow_frame(floating, wanted, np.zeros(floating.nv), frame="tool")
    with pytest.raises(px.UnknownName, match="frame"):
        px.planning.follow_frame(ARM, wanted, POSTURE, frame="tol")
    with pytest.raises(px.InvalidInput, match="start"):
        px.planning.follow_frame(ARM, wanted, POSTURE[:3], frame="tool")
