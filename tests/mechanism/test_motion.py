import numpy as np
import pytest

from phalanx.mechanism import (
    Continuous,
    Cylindrical,
    Fixed,
    Floating,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
)
from phalanx.mechanism.motion import frame_on_axis, joint_pose
from phalanx.mechanism.pose import rotation_about

TILTED = np.array([1.0, -2.0, 2.0]) / 3
ALL = [
    Fixed(),
    Revolute(TILTED),
    Continuous(TILTED),
    Prismatic(TILTED),
    Cylindrical(TILTED),
    Screw(TILTED, 0.1),
    Universal(TILTED, (0, 1, 0)),
    Spherical(),
    Planar(TILTED),
    Floating(),
]


@pytest.mark.parametrize("motion", ALL, ids=lambda motion: motion.kind)
def test_neutral_is_where_the_frames_coincide(motion):
    np.testing.assert_array_equal(joint_pose(motion, motion.neutral()).matrix, np.eye(4))


def test_axis_stays_where_it_is():
    for motion in (Revolute(TILTED), Cylindrical(TILTED)):
        X = joint_pose(motion, np.full(motion.nq, 0.7))
        np.testing.assert_allclose(X.rotation @ TILTED, TILTED, atol=1e-15)
        np.testing.assert_allclose(np.cross(X.translation, TILTED), 0, atol=1e-15)


def test_a_turn_of_a_screw_shifts_it_by_its_lead():
    lead = 0.005
    X = joint_pose(Screw(TILTED, lead / (2 * np.pi)), np.array([2 * np.pi]))
    np.testing.assert_allclose(X.rotation, np.eye(3), atol=1e-15)
    np.testing.assert_allclose(X.translation, lead * TILTED, rtol=1e-15)
    left_handed = joint_pose(Screw(TILTED, -0.1), np.array([0.5]))
    np.testing.assert_allclose(left_handed.translation, -0.05 * TILTED)
    np.testing.assert_allclose(left_handed.rotation, rotation_about(TILTED, 0.5))


def test_universal_turns_about_the_first_axis_then_the_carried_second():
    X = joint_pose(Universal(), np.array([0.3, 0.5]))
    expected = rotation_about((1, 0, 0), 0.3) @ rotation_about((0, 1, 0), 0.5)
    np.testing.assert_allclose(X.rotation, expected)


def test_planar_stays_in_its_plane():
    X = joint_pose(Planar(TILTED), np.array([0.2, -0.4, 1.1]))
    assert abs(X.translation @ TILTED) < 1e-15
    assert np.linalg.norm(X.translation) == pytest.approx(np.hypot(0.2, 0.4))
    upright = joint_pose(Planar(), np.array([0.2, -0.4, 0.0]))
    np.testing.assert_array_equal(upright.translation, (0.2, -0.4, 0))


@pytest.mark.parametrize("axis", [*np.eye(3), *-np.eye(3), TILTED])
def test_frame_on_axis_is_right_handed(axis):
    R = frame_on_axis(axis)
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-15)
    np.testing.assert_allclose(R[:, 2], axis)
    assert np.linalg.det(R) == pytest.approx(1)
