from dataclasses import replace
from math import pi

import numpy as np
import pytest

import phalanx as px
from phalanx import actuators
from phalanx.base.errors import InvalidInput, InvalidModel
from phalanx.mechanism import Body, Prismatic, Visual
from phalanx.mechanism.body import Sphere
from phalanx.mechanism.pose import Pose, rotation_about
from phalanx.mechanism.read import Convention, DenavitHartenbergRow, Motor, from_denavit_hartenberg

# the Stanford arm's shape with every number different from zero
STANDARD = (
    DenavitHartenbergRow(alpha=-pi / 2, a=0.1, theta=0.2, d=0.4),
    DenavitHartenbergRow(alpha=pi / 2, a=0.2, theta=-0.3, d=0.1),
    DenavitHartenbergRow(alpha=0.3, a=0.3, theta=0.5, d=0.2, prismatic=True),
    DenavitHartenbergRow(alpha=-pi / 2, a=0.05, d=0.3),
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
    before = (DenavitHartenbergRow(), *STANDARD[:-1])
    modified = [
        replace(row, alpha=last.alpha, a=last.a) for row, last in zip(STANDARD, before, strict=True)
    ]
    one = from_denavit_hartenberg("arm", modified, links(4))
    other = from_denavit_hartenberg("arm", STANDARD, links(4), convention="standard")
    ours, theirs = poses(one, at(Q)), poses(other, at(Q))
    for body in one.bodies:
        np.testing.assert_allclose(ours[body.name], theirs[body.name], atol=1e-12)


def test_right_angles_are_exact():
    arm = from_denavit_hartenberg("arm", [DenavitHartenbergRow(alpha=pi / 2, a=1, d=2)], links(1))
    pose = arm.joints[0].pose
    np.testing.assert_array_equal(pose.rotation, [[1, 0, 0], [0, 0, -1], [0, 1, 0]])
    np.testing.assert_array_equal(pose.translation, [1, -2, 0])


def test_prismatic_rows_slide():
    arm = from_denavit_hartenberg("arm", STANDARD, links(4), rotor_inertias=[1, 2, 3, 4])
    assert isinstance(arm.joints[2].motion, Prismatic)
    np.testing.assert_array_equal(arm.per_freedom("reflected_inertia"), [1, 2, 3, 4])


# The PUMA 560 after Corke and Armstrong-Hélouvry, A search for consensus among model parameters
# reported for the PUMA 560 robot (1994), in the standard frames and the numbers of Corke's
# Robotics Toolbox: motors' inertia, ratio, viscous and dry friction at their shafts.
PUMA_ROWS = (
    DenavitHartenbergRow(alpha=pi / 2),
    DenavitHartenbergRow(a=0.4318),
    DenavitHartenbergRow(alpha=-pi / 2, a=0.0203, d=0.15005),
    DenavitHartenbergRow(alpha=pi / 2, d=0.4318),
    DenavitHartenbergRow(alpha=-pi / 2),
    DenavitHartenbergRow(),
)
PUMA_LINKS = (  # mass, centre, inertia about it
    (0.0, (0, 0, 0), (0, 0.35, 0)),
    (17.4, (-0.3638, 0.006, 0.2275), (0.13, 0.524, 0.539)),
    (4.8, (-0.0203, -0.0141, 0.070), (0.066, 0.086, 0.0125)),
    (0.82, (0, 0.019, 0), (1.8e-3, 1.3e-3, 1.8e-3)),
    (0.34, (0, 0, 0), (0.3e-3, 0.4e-3, 0.3e-3)),
    (0.09, (0, 0, 0.032), (0.15e-3, 0.15e-3, 0.04e-3)),
)
PUMA_MOTORS = (
    Motor(200e-6, -62.6111, 1.48e-3, (0.395, -0.435)),
    Motor(200e-6, 107.815, 0.817e-3, (0.126, -0.071)),
    Motor(200e-6, -53.7063, 1.38e-3, (0.132, -0.105)),
    Motor(33e-6, 76.0364, 71.2e-6, (11.2e-3, -16.9e-3)),
    Motor(33e-6, 71.923, 82.6e-6, (9.26e-3, -14.5e-3)),
    Motor(33e-6, 76.686, 36.7e-6, (3.96e-3, -10.5e-3)),
)
NOMINAL = (0, pi / 4, pi, 0, pi / 4, 0)


def corkes_puma() -> px.Mechanism:
    bodies = [
        Body(f"link_{i}", mass, np.array(com), np.diag(inertia), physical=False)
        for i, (mass, com, inertia) in enumerate(PUMA_LINKS, start=1)
    ]
    return from_denavit_hartenberg(
        "puma", PUMA_ROWS, bodies, convention="standard", motors=PUMA_MOTORS
    )


def test_published_inertia_and_weight_of_the_puma_with_its_motors():
    """Corke, Robotics, Vision and Control (2011), §9.2: printed with four decimals."""
    d = px.Dynamics(corkes_puma(), threads=1)
    M = d.mass_matrix(NOMINAL)
    np.testing.assert_allclose(
        np.diag(M), [3.6594, 4.4137, 0.9378, 0.1925, 0.1713, 0.1941], atol=5e-5
    )
    np.testing.assert_allclose(M[0, 1:4], [-0.4044, 0.1006, -0.0025], atol=5e-5)
    np.testing.assert_allclose(d.gravity(NOMINAL), [0, 31.6399, 6.0351, 0, 0.0283, 0], atol=5e-5)


def test_published_torques_of_the_puma_against_friction():
    """The same book, §9.1: joint 1 turns at 1 rad/s without gravity."""
    puma = replace(corkes_puma(), gravity=np.zeros(3))
    drives = actuators.joint_drives(puma)
    torques = px.compile(px.expression(actuators.drive_torques, puma, drives=drives))
    still = np.zeros(6)
    forth = torques(NOMINAL, [1.0, 0, 0, 0, 0, 0], still)[4]
    np.testing.assert_allclose(forth, [30.5332, 0.6280, -0.3607, -0.0003, 0, 0], atol=5e-5)
    # the other way dry friction is another
    back = torques(NOMINAL, [-1.0, 0, 0, 0, 0, 0], still)[4]
    assert forth[0] + back[0] == pytest.approx(62.6111 * (0.395 - 0.435))


def test_motors_as_their_joints_feel_them():
    joint = from_denavit_hartenberg(
        "arm", [DenavitHartenbergRow()], links(1), motors=[Motor(2e-4, -50.0, 1e-3, (0.3, -0.4))]
    ).joints[0]
    assert joint.reflected_inertia == pytest.approx(2500 * 2e-4)
    assert joint.damping == pytest.approx(2500 * 1e-3)
    assert [float(x[0]) for x in joint.dry_friction] == pytest.approx([50 * 0.3, 50 * 0.4])


@pytest.mark.parametrize(
    "numbers",
    [
        {"inertia": -1e-4},
        {"ratio": 0.0},
        {"ratio": float("nan")},
        {"viscous": -1.0},
        {"coulomb": (-0.1, 0.1)},
        {"coulomb": (0.1, float("inf"))},
    ],
)
def test_motors_that_are_refused(numbers):
    with pytest.raises(InvalidModel, match="Motor"):
        Motor(**numbers)


def test_what_does_not_fit_is_refused():
    motors = [Motor()] * 4
    with pytest.raises(InvalidInput, match="4 rows need as many motors, got 3"):
        from_denavit_hartenberg("arm", STANDARD, links(4), motors=motors[:3])
    with pytest.raises(InvalidInput, match="both say what rotors are"):
        from_denavit_hartenberg("arm", STANDARD, links(4), motors=motors, rotor_inertias=[1.0] * 4)
    with pytest.raises(InvalidInput, match="'modified' or 'standard'"):
        from_denavit_hartenberg("arm", STANDARD, links(4), convention="craig")
    with pytest.raises(InvalidInput, match="4 rows need as many bodies, got 3"):
        from_denavit_hartenberg("arm", STANDARD, links(3))
    with pytest.raises(InvalidInput, match="rotor_inertias"):
        from_denavit_hartenberg("arm", STANDARD, links(4), rotor_inertias=[1.0])


@pytest.mark.parametrize("value", ["1", None, [1.0], float("nan"), float("inf")])
@pytest.mark.parametrize("field", ["alpha", "a", "theta", "d"])
def test_rows_hold_finite_numbers(field, value):
    with pytest.raises(InvalidModel, match=r"DenavitHartenbergRow|needs finite|number"):
        DenavitHartenbergRow(**{field: value})
