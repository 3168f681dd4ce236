import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from phalanx.base.errors import InvalidModel
from phalanx.mechanism import Pose
from phalanx.mechanism.pose import rotation_about

angles = st.floats(-4, 4)


def test_right_angles_leave_exact_zeros_and_ones():
    R = Pose.from_rpy((0, 0, 0), (np.pi / 2, -np.pi / 2, np.pi)).rotation
    assert set(np.abs(R).ravel()) == {0.0, 1.0}


@given(angles, angles, angles)
def test_inverse_undoes(roll, pitch, yaw):
    X = Pose.from_rpy((1, 2, 3), (roll, pitch, yaw))
    # what is within 1e-11 of 0 or 1 was replaced by it
    np.testing.assert_allclose((X @ X.inverse()).matrix, np.eye(4), atol=1e-10)


@given(angles)
def test_quaternion_is_scalar_last(angle):
    X = Pose.from_quaternion((0, 0, 0), (0, 0, np.sin(angle / 2), np.cos(angle / 2)))
    np.testing.assert_allclose(X.rotation, rotation_about((0, 0, 1), angle), atol=1e-10)


def test_quaternion_need_not_be_normalised():
    np.testing.assert_array_equal(Pose.from_quaternion((0, 0, 0), (0, 0, 0, 7)).rotation, np.eye(3))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Pose(2 * np.eye(3)),
        lambda: Pose(np.diag([1.0, 1.0, -1.0])),
        lambda: Pose(np.eye(2)),
        lambda: Pose(translation=np.array([0, np.nan, 0])),
        lambda: Pose(translation="far"),
        lambda: Pose.from_quaternion((0, 0, 0), (0, 0, 0, 0)),
    ],
)
def test_what_is_not_a_pose_is_refused(make):
    with pytest.raises(InvalidModel):
        make()


def test_a_pose_is_frozen():
    with pytest.raises(ValueError, match="read-only"):
        Pose().rotation[0, 0] = 2.0
