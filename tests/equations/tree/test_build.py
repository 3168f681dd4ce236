"""From a mechanism to its node tree: rotations stay rotations, right angles are exact."""

import casadi as ca
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import phalanx as px
from phalanx.equations.model_of import model_of
from phalanx.mechanism import Body, Joint, Mechanism, Pose, Revolute
from strategies import mechanisms


def placements(mechanism: Mechanism) -> list[np.ndarray]:
    return [np.array(ca.DM(node.placement.rotation.matrix)) for node in model_of(mechanism).nodes]


@given(mechanisms())
def test_seats_are_rotations(mechanism):
    for R in placements(mechanism):
        np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-15 * 4)


# a right angle as URDF files print it, with 11, 7 and 4 digits, and angles whose cosine is almost 1
ANGLES = [1.57079632679, 1.5707963, 1.5708, 4e-6, 1e-7, 0.3]


@given(st.lists(st.sampled_from(ANGLES), min_size=6, max_size=6))
def test_snapped_rotations_stay_rotations(angles):
    # entries next to 0 and 1 are set to them, and the others must follow: a matrix that is a
    # rotation only to 1e-11 cost forward dynamics of iCub seven digits near a singular posture
    first, second = Pose.from_rpy(np.zeros(3), angles[:3]), Pose.from_rpy(np.ones(3), angles[3:])
    bodies = [Body("r"), *(Body(n, 1.0, np.ones(3), np.eye(3)) for n in "ab")]
    axis = first.rotation @ [4e-6, 0, 1]
    joints = [
        Joint("one", "r", "a", Revolute(axis), first),
        Joint("two", "a", "b", Revolute((1, 0, 0)), second),
    ]
    for R in (first.rotation, second.rotation, *placements(Mechanism("m", bodies, joints))):
        np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-15 * 4)
    assert abs(np.linalg.norm(joints[0].motion.axis) - 1) < 1e-15


@pytest.mark.parametrize("digits", [11, 12, 13])
def test_right_angles_that_were_printed_are_exact(digits):
    angle = round(np.pi / 2, digits)
    R = Pose.from_rpy(np.zeros(3), (angle, 0, -angle)).rotation
    np.testing.assert_array_equal(np.abs(R), np.abs(np.rint(R)))


def test_fewer_digits_are_taken_as_they_are():
    R = Pose.from_rpy(np.zeros(3), (1.5708, 0, 0)).rotation
    assert R[1, 1] == pytest.approx(np.cos(1.5708), rel=1e-9)


def test_a_universal_joint_is_two_nodes_with_a_massless_one_between():
    model = model_of(px.library.chain(2, "universal"))
    assert len(model.nodes) == 4
    assert [bool(node.mass.m.is_zero()) for node in model.nodes] == [True, False, True, False]
