from dataclasses import replace
from math import pi

import numpy as np
import pytest

from phalanx.errors import InvalidInput
from phalanx.mechanism import Body, Prismatic, Visual
from phalanx.mechanism.body import Sphere
from phalanx.mechanism.pose import Pose, rotation_about
from phalanx.mechanism.read import Convention, Row, from_denavit_hartenberg

# the Stanford arm's shape with every number different from zero
STANDARD = (
    Row(alpha=-pi / 2, a=0.1, theta=0.2, d=0.4),
    Row(alpha=pi / 2, a=0.2, theta=-0.3, d=0.1),
    Row(alpha=0.3, a=0.3, theta=0.5, d=0.2, prismatic=True),
    Row(alpha=-pi / 2, a=0.05, d=0.3),
)
Q = (0.4, -0.7, 0.15, 1.1)


def links(n: int) -> list[Body]:
    inertia = np.array([[0.03, 0.001, 0.002], [0.001, 0.04, -0.003], [0.002, -0.003, 0.05]])
    ball = (Visual(Sphere(0.01), Pose(translation=np.array([0.1, 0.2, 0.3]))),)
    return [
        Body(f"link_{i}", i, np.array([0.1, -0.2, 0.3]), inertia, ball) for i in range(1, n + 1)
    ]


def homogeneous(axis: tuple[int, int, int], angle: float, shift: float) -> np.ndarray:
    return Pose(rotation_about(axis, angle), shift * np.array(axis)).matrix


def by_hand(rows, q, *, standard: bool) -> list[np.ndarray]:
    """Link frames from the textbook products."""
    X, frames = np.eye(4), []
    for row, q_i in zip(rows, q, strict=True):
        about_x = homogeneous((1, 0, 0), row.alpha, row.a)
        theta, d = (row.theta, row.d + q_i) if row.prismatic else (row.theta + q_i, row.d)
        about_z = homogeneous((0, 0, 1), theta, d)
        X = X @ about_z @ about_x if standard else X @ about_x @ about_z
        frames.append(X)
    return frames


def at(q) -> dict[str, np.ndarray]:
    return {f"joint_{i}": np.array([q_i]) for i, q_i in enumerate(q, start=1)}


def test_modified_bodies_stand_in_craig_s_frames(poses):
    arm = from_denavit_hartenberg("arm", STANDARD, links(4))
    for i, X in enumerate(by_hand(STANDARD, Q, standard=False), start=1):
        np.testing.assert_allclose(poses(arm, at(Q))[f"link_{i}"], X, atol=1e-12)


def test_standard_frames_are_named(poses):
    arm = from_denavit_hartenberg("arm", STANDARD, links(4), convention="standard")
    for i, X in enumerate(by_hand(STANDARD, Q, standard=True), start=1):
        np.testing.assert_allclose(poses(arm, at(Q))[f"dh_{i}"], X, atol=1e-12)


def test_standard_mass_properties_are_given_in_link_frames(poses):
    arm = from_denavit_hartenberg("arm", STANDARD, links(4), convention=Convention.STANDARD)
    X = poses(arm, at(Q))
    for i, given in enumerate(links(4), start=1):
        body, link = arm.body(f"link_{i}"), X[f"dh_{i}"]
        placed = X[body.name]
        np.testing.assert_allclose(placed @ [*body.com, 1], link @ [*given.com, 1], atol=1e-12)
        np.testing.assert_allclose(
            placed[:3, :3] @ body.inertia @ placed[:3, :3].T,
            link[:3, :3] @ given.inertia @ link[:3, :3].T,
            atol=1e-12,
        )
        np.testing.assert_allclose(
            placed @ body.visuals[0].pose.matrix, link @ given.visuals[0].pose.matrix, atol=1e-12
        )


def test_both_conventions_of_one_arm_agree(poses):
    """Craig's alpha and a of link i are the standard ones of link i - 1."""
    before = (Row(), *STANDARD[:-1])
    modified = [
        replace(row, alpha=last.alpha, a=last.a) for row, last in zip(STANDARD, before, strict=True)
    ]
    one = from_denavit_hartenberg("arm", modified, links(4))
    other = from_denavit_hartenberg("arm", STANDARD, links(4), convention="standard")
    ours, theirs = poses(one, at(Q)), poses(other, at(Q))
    for body in one.bodies:
        np.testing.assert_allclose(ours[body.name], theirs[body.name], atol=1e-12)


def test_right_angles_are_exact():
    arm = from_denavit_hartenberg("arm", [Row(alpha=pi / 2, a=1, d=2)], links(1))
    pose = arm.joints[0].pose
    np.testing.assert_array_equal(pose.rotation, [[1, 0, 0], [0, 0, -1], [0, 1, 0]])
    np.testing.assert_array_equal(pose.translation, [1, -2, 0])


def test_prismatic_rows_slide():
    arm = from_denavit_hartenberg("arm", STANDARD, links(4), rotor_inertias=[1, 2, 3, 4])
    assert isinstance(arm.joints[2].motion, Prismatic)
    np.testing.assert_array_equal(arm.per_freedom("reflected_inertia"), [1, 2, 3, 4])


def test_what_does_not_fit_is_refused():
    with pytest.raises(InvalidInput, match="'modified' or 'standard'"):
        from_denavit_hartenberg("arm", STANDARD, links(4), convention="craig")
    with pytest.raises(InvalidInput, match="4 rows need as many bodies, got 3"):
        from_denavit_hartenberg("arm", STANDARD, links(3))
    with pytest.raises(InvalidInput, match="rotor_inertias"):
        from_denavit_hartenberg("arm", STANDARD, links(4), rotor_inertias=[1.0])
