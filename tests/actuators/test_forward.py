"""Forward dynamics with friction is the inverse of inverse dynamics with friction."""

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

import phalanx as px
from phalanx import actuators

SAMPLES = 400


def states(n: int, seed: int = 5):
    rng = np.random.default_rng(seed)
    return (
        rng.uniform(-np.pi, np.pi, (SAMPLES, n)),
        rng.uniform(-1, 1, (SAMPLES, n)),
        rng.uniform(-3, 3, (SAMPLES, n)),
    )


def arm_with_rotors(inertia: float) -> px.Mechanism:
    """Three joints whose rotors have this much inertia, as the joints feel it [kg·m²]."""
    arm = px.library.puma560_arm()
    joints = [replace(j, rotor_inertia=inertia / 50**2, gear_ratio=50.0) for j in arm.joints]
    return replace(arm, joints=joints)


def errors(arm, iterations: int, direction=None) -> np.ndarray:
    """Acceleration that the motor forces of an acceleration give, less that acceleration."""
    drives = actuators.puma560_drives()
    direction = direction or actuators.Sign()
    q, v, a = states(arm.nv)
    torques = px.expression(actuators.drive_torques, arm, drives=drives, direction=direction)
    tau = np.array(torques.map(SAMPLES)(q.T, v.T, a.T)[-1]) * arm.per_freedom("gear_ratio")[:, None]
    driven = px.expression(
        actuators.driven, arm, drives=drives, direction=direction, iterations=iterations
    )
    return np.abs(np.array(driven.map(SAMPLES)(q.T, v.T, tau)).T - a).max(axis=1)


# links alone, rotors like links, rotors that are nearly all there is
@pytest.mark.parametrize("inertia", [0.0, 0.1, 1.0, 10.0])
def test_forward_inverts_inverse(inertia):
    assert errors(arm_with_rotors(inertia), iterations=4).max() < 1e-9


def test_forward_inverts_inverse_with_six_joints_of_which_three_have_drives():
    assert errors(px.library.puma560(), 4, actuators.Smooth(0.05)).max() < 1e-9


def test_each_iteration_squares_the_error():
    worst = [errors(arm_with_rotors(0.3), k).max() for k in (1, 2, 3, 4)]
    assert worst[0] < 5.0
    assert worst[1] < 0.05
    assert worst[2] < 1e-4
    assert worst[3] < 1e-9


def test_friction_that_no_load_changes_needs_one_iteration():
    arm = px.library.puma560_arm()
    drives = {"joint_2": actuators.Drive(viscous=2.0, coulomb=3.0)}
    driven = px.expression(actuators.driven, arm, drives=drives, direction=actuators.Sign())
    q, v, tau = [0.1, -0.2, 0.3], [0.5, -0.4, 0.3], np.array([4.0, -20.0, 1.0])
    rubbing = np.array([0.0, 2.0 * 0.4 + 3.0, 0.0])
    wanted = px.Dynamics(arm).forward_dynamics(q, v, tau + rubbing)
    a = np.array(driven(q, v, tau))[:, 0]
    np.testing.assert_allclose(a, wanted, rtol=1e-12)


def test_wrenches_load_the_bearings():
    arm, drives = px.library.puma560_arm(), actuators.puma560_drives()
    inverse = px.expression(actuators.drive_torques, arm, drives=drives, wrenches=["tool"])
    forward = px.expression(
        actuators.driven, arm, drives=drives, wrenches=["tool"], direction=actuators.Sign()
    )
    q, v, a = ([0.1, -0.2, 0.3], [0.5, -0.4, 0.3], [1.0, -1.0, 0.5])
    wrench = [10.0, 20.0, -30.0, 1.0, 2.0, 3.0]
    results = dict(
        zip(inverse.name_out(), inverse.call([*map(ca.DM, (q, v, a, wrench))]), strict=True)
    )
    still = inverse.call([*map(ca.DM, (q, v, a, np.zeros(6)))])[1]
    assert np.abs(np.array(results["tau_joint_friction"] - still)).min() > 0.05
    found = forward(q, v, results["tau_motor"], wrench)
    np.testing.assert_allclose(np.array(found)[:, 0], a, rtol=0, atol=1e-9)


def test_compiled_in_batches_and_as_c(tmp_path):
    arm = px.library.puma560_arm()
    function = px.expression(
        actuators.drive_torques, arm, drives=actuators.puma560_drives(), direction=actuators.Sign()
    )
    q, v, a = states(3)
    kernel = px.compile(function)
    batch = kernel(q.reshape(20, -1, 3), v.reshape(20, -1, 3), a.reshape(20, -1, 3))
    wanted = np.array(function.map(SAMPLES)(q.T, v.T, a.T)[4]).T
    assert batch.tau_in.shape == (20, SAMPLES // 20, 3)
    np.testing.assert_allclose(batch.tau_in.reshape(-1, 3), wanted, rtol=1e-10, atol=1e-10)
    px.export_c(function, tmp_path / "drives.c")
    assert "tau_motor" in (tmp_path / "drives.c").read_text()
