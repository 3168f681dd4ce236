"""Dhanaraj (1990), §3.5: friction of the PUMA 560's first three joints along a straight line.

The thesis's own path is lost, and the joint friction of its Table 3.5 cannot come from its equation
(gaps 7 and 8 of the spec). The line, 201 samples of a quintic over 2 s, and the bearing span are
the spec's; numbers are checked against the equations of the thesis, written out here in NumPy.
"""

import numpy as np
import pytest
from scipy.interpolate import PchipInterpolator

import phalanx as px
from phalanx import actuators
from phalanx.simulation.setup.feedforward import feedforward
from phalanx.simulation.setup.forces.drive_friction import DriveFriction
from phalanx.studies.dhanaraj import straight_line

START, END, PERIOD = (0.3, 0.1, 0.1), (0.3, 0.4, 0.4), 2.0
TIMES = np.linspace(0, PERIOD, 201)
SPAN = 0.1
PARTS = ("tau", "tau_joint_friction", "tau_out", "tau_transmission", "tau_in")


@pytest.fixture(scope="module")
def line():
    return straight_line(PERIOD, START, END)


def breakdown(line, payload: float, times=TIMES) -> dict[str, np.ndarray]:
    arm = px.library.puma560_arm(payload)
    function = px.expression(
        actuators.drive_torques, arm, drives=actuators.puma560_drives(span=SPAN)
    )
    q, v, a = line(times)
    values = function.map(len(times))(q.T, v.T, a.T)
    return dict(zip(function.name_out(), (np.array(x).T for x in values), strict=True))


# -- the same by the printed equations -------------------------------------------------------------


def newton_euler(q, v, a, payload: float) -> tuple[np.ndarray, np.ndarray]:
    """Table 2.3 with the numbers of program D.1.2: f and n of the three joints, in link frames."""
    masses = [0.0, 17.4, 6.05 + payload]
    elbow = np.array([0.0, -(6.05 * 0.07 + payload * 0.4318) / (6.05 + payload), 0.0])
    coms = [np.zeros(3), np.array([-0.068, 0, 0]), elbow]
    inertias = [np.diag(x) for x in ((0, 0, 1.49), (0.130, 0.524, 5.249), (0.192, 0.0154, 1.042))]
    reduced = 6.05 * payload / (6.05 + payload)
    inertias[2] = inertias[2] + reduced * (0.4318 - 0.07) ** 2 * np.diag([1.0, 0.0, 1.0])
    origins = [np.zeros(3), np.array([0, 0.2435, 0]), np.array([0.4318, 0, -0.0934])]
    twists = [0.0, -np.pi / 2, 0.0]
    z = np.array([0.0, 0.0, 1.0])
    w, alpha, acc = np.zeros(3), np.zeros(3), np.array([0.0, 0.0, 9.8])
    rotations, forces, moments = [], [], []
    for i in range(3):
        c, s, ca, sa = np.cos(q[i]), np.sin(q[i]), np.cos(twists[i]), np.sin(twists[i])
        R = np.array([[c, -s, 0], [s * ca, c * ca, -sa], [s * sa, c * sa, ca]])
        acc = R.T @ (acc + np.cross(alpha, origins[i]) + np.cross(w, np.cross(w, origins[i])))
        alpha = R.T @ alpha + z * a[i] + np.cross(R.T @ w, z * v[i])
        w = R.T @ w + z * v[i]
        at_com = acc + np.cross(alpha, coms[i]) + np.cross(w, np.cross(w, coms[i]))
        rotations.append(R)
        forces.append(masses[i] * at_com)
        moments.append(inertias[i] @ alpha + np.cross(w, inertias[i] @ w))
    f, n = np.zeros((4, 3)), np.zeros((4, 3))
    for i in (2, 1, 0):
        R = rotations[i + 1] if i < 2 else np.eye(3)
        p = origins[i + 1] if i < 2 else np.zeros(3)
        beyond = R @ f[i + 1]
        f[i] = forces[i] + beyond
        n[i] = R @ n[i + 1] + moments[i] + np.cross(coms[i], forces[i]) + np.cross(p, beyond)
    return f[:3], n[:3]


def printed_breakdown(q, v, a, payload: float) -> dict[str, np.ndarray]:
    """Table 3.1 (with the loads of statics) and Table 3.2, joint by joint."""
    shares = [0.0, 0.007607, 0.030679, 0.085647, 1.0]
    curve = PchipInterpolator(shares, [0.2, 0.34583, 0.45430, 0.56190, 0.8])
    f, n = newton_euler(q, v, a, payload)
    rows = []
    for k, (radius, rated, break_away) in enumerate(
        zip((0.10, 0.08, 0.07), (97.6, 186.4, 89.4), (6.3, 5.5, 2.6), strict=True)
    ):
        (fx, fy, _), (nx, ny, tau) = f[k], n[k]
        h = SPAN / 2
        size = np.hypot(h * fx - ny, h * fy + nx) + np.hypot(h * fx + ny, h * fy - nx)
        friction = np.sign(v[k]) * 0.1 * radius / SPAN * size
        out = tau + friction
        efficiency = float(curve(min(abs(out) / rated, 1.0)))
        into = out * efficiency ** -np.sign(out * v[k]) + break_away * np.sign(v[k])
        rows.append((tau, friction, out, into - out, into))
    return dict(zip(PARTS, np.array(rows).T, strict=True))


@pytest.mark.parametrize("payload", [0.0, 10.0])
def test_breakdown_along_the_line(line, payload):
    ours = breakdown(line, payload)
    for k, state in enumerate(zip(*line(TIMES), strict=True)):
        for part, wanted in printed_breakdown(*state, payload).items():
            np.testing.assert_allclose(ours[part][k], wanted, rtol=0, atol=1e-9)


@pytest.mark.parametrize("payload", [0.0, 10.0])
def test_columns_add_up_and_friction_takes_power(line, payload):
    parts = breakdown(line, payload)
    _, v, _ = line(TIMES)
    np.testing.assert_allclose(
        parts["tau"] + parts["tau_joint_friction"], parts["tau_out"], rtol=0, atol=1e-12
    )
    np.testing.assert_allclose(
        parts["tau_out"] + parts["tau_transmission"], parts["tau_in"], rtol=0, atol=1e-12
    )
    assert (parts["tau_joint_friction"] * v >= 0).all()
    assert (parts["tau_transmission"] * v >= 0).all()


def test_breakdown_at_six_tenths_of_a_second(line):
    # the instant of Table 3.5, on the spec's line and with its assumptions [N·m]
    parts = breakdown(line, 0.0, np.array([0.6]))
    table = np.stack([parts[name][0] for name in PARTS], axis=1)
    wanted = [
        (3.0157, 10.4909, 13.5066, 15.6085, 29.1151),
        (5.1546, -1.8376, 3.3170, -7.4572, -4.1402),
        (2.2686, -0.4138, 1.8547, -3.6714, -1.8167),
    ]
    np.testing.assert_allclose(table, wanted, rtol=0, atol=0.5e-4 * 1.01)


def test_most_of_the_effort_is_friction(line):
    # as in the thesis, which finds friction worth several times the dynamic torque of joint 1
    parts = breakdown(line, 0.0)
    moving = slice(1, -1)
    friction = parts["tau_joint_friction"] + parts["tau_transmission"]
    share = np.abs(friction[moving]).mean(axis=0) / np.abs(parts["tau_in"][moving]).mean(axis=0)
    assert (share > 0.5).all()


# -- replay ----------------------------------------------------------------------------------------


def replay(line, control, step: float) -> float:
    """Largest error of a joint [rad]."""
    run = px.simulate(
        px.library.puma560_arm(),
        line(0.0)[0],
        duration=PERIOD,
        step=step,
        control=control,
        forces=(DriveFriction(actuators.puma560_drives(), slip=0.1),),
    )
    return float(np.abs(run["q"] - line(run.time)[0]).max())


def test_motor_torques_with_friction_replay_the_line(line):
    run = px.read_scenario("dhanaraj-friction").run()  # steps of 0.005 s
    error = np.abs(run["q"] - line(run.time)[0]).max()
    assert error < 1e-7
    gained = run["energy"][-1] - run["energy"][0]
    assert gained == pytest.approx(run["work"][-1] - run["loss"][-1], abs=1e-6)
    control = feedforward(line, actuators.puma560_drives(), actuators.Smooth(0.1))
    assert replay(line, control, 0.01) == pytest.approx(16 * error, rel=0.3)  # fourth order


def test_torques_that_do_not_know_of_friction_leave_the_arm_where_it_is(line):
    q = line(TIMES)[0]
    assert replay(line, feedforward(line), 0.02) > 0.5 * np.abs(q - q[0]).max()
