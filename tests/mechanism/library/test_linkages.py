"""What every machine with loops owes: closed at zero, the right freedoms, drives that hold it."""

import numpy as np
import pytest

from evaluate import Numbers
from phalanx import equations as eq
from phalanx.base.errors import InvalidInput
from phalanx.equations.loops.assembly.assemble import assemble
from phalanx.equations.loops.closure.equations import derivative_function
from phalanx.equations.model_of import model_of
from phalanx.mechanism import Mechanism, Pose, library

# freedoms that the loops leave, and closure equations that follow from others
LINKAGES = {
    "planar_3rrr": (3, 0),
    "four_bar": (1, 3),
    "slider_crank": (1, 3),
    "five_bar": (2, 0),
    "bucket_linkage": (1, 6),
    "delta": (3, 0),
    "stewart": (6, 0),
}


def driven(mechanism: Mechanism) -> list[int]:
    """Places of the driven joints in v."""
    return [
        k
        for joint in mechanism.actuated_joints
        for k in range(*mechanism.v_slices[joint.name].indices(mechanism.nv))
    ]


def holding_forces(mechanism: Mechanism) -> np.ndarray:
    """Forces of the drives that hold the machine at zero: the slope of its potential energy."""
    n = Numbers(mechanism)
    names = [joint.name for joint in mechanism.actuated_joints]
    step, slopes = 1e-4, []
    for k in driven(mechanism):
        shift = step * np.eye(mechanism.nv)[k]
        ends = [
            assemble(mechanism, n.move(mechanism.neutral(), s), held=names) for s in (shift, -shift)
        ]
        ahead, behind = (n(eq.potential_energy, end.q) for end in ends)
        slopes.append((ahead - behind) / (2 * step))
    return np.array(slopes)


@pytest.mark.parametrize("name", LINKAGES)
def test_loops_close_exactly_with_all_joints_at_zero(name):
    machine = library.by_name(name)
    x = assemble(machine)
    np.testing.assert_array_equal(x.q, machine.neutral())
    assert x.residual < 1e-15
    assert (x.mobility, x.redundant) == LINKAGES[name]
    assert not x.is_singular and x.condition < 100


@pytest.mark.parametrize("name", LINKAGES)
def test_drives_are_as_many_as_freedoms_and_determine_the_rest(name):
    machine = library.by_name(name)
    drives = driven(machine)
    assert len(drives) == LINKAGES[name][0]
    rates = np.random.default_rng(3).standard_normal(machine.nv)
    x = assemble(machine, velocity=rates)
    # with the drives still, nothing moves: the other columns are independent
    A = np.asarray(derivative_function(model_of(machine))(x.q))
    np.testing.assert_allclose(A @ x.v, 0, atol=1e-12)
    passive = np.delete(A, drives, axis=1)
    assert np.linalg.matrix_rank(passive, 1e-6) == passive.shape[1]


@pytest.mark.parametrize("name", LINKAGES)
def test_masses_and_inertias_are_physical(name):
    machine = library.by_name(name)
    assert all(body.physical for body in machine.bodies)
    assert np.linalg.eigvalsh(Numbers(machine).mass_matrix(machine.neutral())).min() > 0


def test_the_3rrr_is_held_by_the_torques_of_the_source():
    """Khan's prescribed motion starts and ends at rest without acceleration."""
    torques = holding_forces(library.planar_3rrr())
    np.testing.assert_allclose(torques, (-1.41862, -20.70723, 44.27619), atol=2e-5)


def test_the_3rrr_starts_in_the_posture_of_the_source():
    machine = library.planar_3rrr()

    def angle(joint):
        R = machine.joint(joint).pose.rotation
        return float(np.arctan2(R[1, 0], R[0, 0]))

    np.testing.assert_allclose(
        [angle(f"elbow_{i}") for i in (1, 2, 3)], (-0.865, -2.102, -0.976), atol=5e-4
    )
    edge = machine.frame("vertex_2").pose.translation - machine.frame("vertex_1").pose.translation
    assert np.arctan2(edge[1], edge[0]) % (2 * np.pi) == pytest.approx(3.916, abs=5e-4)
    np.testing.assert_allclose(
        machine.joint("platform").pose.translation, (0.728, 0.233, 0), atol=5e-4
    )


def test_the_four_bar_keeps_the_equation_of_freudenstein():
    """K1 cos b - K2 cos a + K3 = cos(a - b) for angles a of the crank and b of the rocker."""
    ground, crank, coupler, rocker = 0.7, 0.2, 0.6, 0.5
    machine = library.four_bar()
    start = np.arctan2(*machine.joint("rocker").pose.rotation[[2, 0], 0])
    K1, K2 = ground / crank, ground / rocker
    K3 = (crank**2 - coupler**2 + rocker**2 + ground**2) / (2 * crank * rocker)
    q = machine.neutral()
    for a in np.linspace(0.0, 2 * np.pi, 9):
        q = assemble(machine, np.array([a, q[1], q[2]]), held=["crank"]).q
        b = start + q[2]
        assert K1 * np.cos(b) - K2 * np.cos(a) + K3 == pytest.approx(np.cos(a - b), abs=1e-11)


def test_the_slider_crank_keeps_its_law():
    """x = r cos a + sqrt(l² - (r sin a - e)²)."""
    r, l, e = 0.15, 0.5, 0.05
    machine = library.slider_crank(r, l, offset=e)
    start = machine.joint("slider").pose.translation[0]
    q = machine.neutral()
    for a in np.linspace(0.0, 2 * np.pi, 9):
        q = assemble(machine, np.array([a, q[1], q[2]]), held=["crank"]).q
        law = r * np.cos(a) + np.sqrt(l**2 - (r * np.sin(a) - e) ** 2)
        assert start + q[2] == pytest.approx(law, abs=1e-12)


def test_the_slider_crank_is_held_by_its_moment_arm():
    """Crank along x: the crank weighs at half its length, half of the rod at its end."""
    held = holding_forces(library.slider_crank(0.2, 0.5, (1.0, 1.5, 2.0)))
    assert held[0] == pytest.approx(9.81 * (1.0 * 0.1 + 1.5 / 2 * 0.2), abs=1e-6)


def poses_of(machine, q, frames):
    n = Numbers(machine)
    return [n(eq.forward_kinematics, q, frame=frame) for frame in frames]


def test_the_platform_of_the_delta_translates_as_clavel_says():
    """Attitude never changes, and each forearm's middle line keeps its length.

    Seen from arm i, knee and platform are apart by (R - r + L cos a - x, -y, -L sin a - z).
    """
    machine = library.delta()
    rng = np.random.default_rng(1)
    for _ in range(3):
        turns = rng.uniform(-0.5, 0.7, 3)
        guess = machine.neutral()
        names = [f"drive_{i}" for i in (1, 2, 3)]
        for name, turn in zip(names, turns, strict=True):
            guess[machine.q_slices[name]] = turn
        x = assemble(machine, guess, held=names)
        (X,) = poses_of(machine, x.q, ["tool"])
        np.testing.assert_allclose(X[:3, :3], np.eye(3), atol=1e-12)
        for i, a in enumerate(turns):
            azimuth = 2 * np.pi * i / 3
            out, along = np.array(
                [[np.cos(azimuth), np.sin(azimuth)], [-np.sin(azimuth), np.cos(azimuth)]]
            )
            gap = (
                0.2 - 0.07 + 0.3 * np.cos(a) - out @ X[:2, 3],
                along @ X[:2, 3],
                -0.3 * np.sin(a) - X[2, 3],
            )
            assert np.linalg.norm(gap) == pytest.approx(0.7, abs=1e-12)


def test_the_legs_of_the_stewart_platform_measure_its_pose():
    """Leg lengths from the closed inverse kinematics |p + R b - a|, for a pose anywhere near."""
    machine = library.stewart()
    rng = np.random.default_rng(2)
    shift, turn = rng.uniform(-0.08, 0.08, 3), rng.uniform(-0.2, 0.2, 3)
    guess = machine.neutral()
    pose = machine.q_slices["platform"]
    guess[pose] = [*shift, *np.sin(turn / 2), 1.0]
    guess[pose][3:] /= np.linalg.norm(guess[pose][3:])
    x = assemble(machine, guess, held=["platform"])
    X = Pose.from_quaternion(x.q[pose][:3], x.q[pose][3:])
    feet = {i: machine.joint(f"universal_{i}").pose.translation for i in range(1, 7)}
    for i, foot in feet.items():
        ball = machine.frame(f"ball_{i}").pose.translation
        lift = machine.joint("platform").pose.translation
        length = np.linalg.norm(lift + X.translation + X.rotation @ ball - foot)
        start = np.linalg.norm(lift + ball - foot)
        pushed = float(x.q[machine.q_slices[f"leg_{i}"]][0])
        assert length == pytest.approx(start + pushed, abs=1e-12)


def test_the_stewart_platform_is_held_by_equal_legs():
    """At zero all legs are alike: six times the force's upward part carries the platform and rods.

    The weight of a leg is shared by its joints; only what lies along the leg is the drive's.
    """
    masses = (1e-9, 1e-9, 12.0)
    machine = library.stewart(masses=masses)
    foot, ball = (
        machine.joint("universal_1").pose.translation,
        machine.frame("ball_1").pose.translation,
    )
    leg = machine.joint("platform").pose.translation + ball - foot
    upwards = leg[2] / np.linalg.norm(leg)
    np.testing.assert_allclose(holding_forces(machine), 12.0 * 9.81 / 6 / upwards, rtol=1e-6)


def test_the_five_bar_is_symmetric():
    machine = library.five_bar()
    left, right = holding_forces(machine)
    assert left == pytest.approx(-right, abs=1e-7) and abs(left) > 0.1
    (X,) = poses_of(machine, machine.neutral(), ["tool"])
    assert X[0, 3] == pytest.approx(0, abs=1e-15)


def test_the_bucket_turns_over_the_whole_stroke():
    """The cylinder curls the bucket when it pushes, without a dead point on the way."""
    machine = library.bucket_linkage()
    at = machine.q_slices["bucket"].start
    stroke = float(machine.joint("cylinder").upper[0])
    angles = []
    for end in (-stroke, stroke):
        q = machine.neutral()
        for push in np.linspace(0.0, end, 6):
            q = q.copy()
            q[machine.q_slices["cylinder"]] = push
            x = assemble(machine, q, held=["cylinder"])
            q = x.q
            assert x.condition < 10
        angles.append(q[at])
    assert np.degrees(angles[0] - angles[1]) > 60


def test_linkages_that_do_not_exist():
    with pytest.raises(InvalidInput, match="do not meet"):
        library.four_bar((1.0, 0.2, 0.3, 0.3))
    with pytest.raises(InvalidInput, match="rocker of a four-bar must be positive"):
        library.four_bar((1.0, 0.2, 0.3, -0.3))
    with pytest.raises(InvalidInput, match="does not reach"):
        library.slider_crank(rod=0.3, offset=0.4)
    with pytest.raises(InvalidInput, match="do not reach"):
        library.delta(forearm=0.3)
    with pytest.raises(InvalidInput, match="do not meet"):
        library.five_bar(forearm=0.1)
