"""Time-optimal timing: against closed forms, and against limits in rows of our own torques."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import phalanx as px
from phalanx.planning import Infeasible, Limits, Waypoints, demo_waypoints, time_optimal
from phalanx.planning.trajectory.curves import CURVES
from phalanx.planning.trajectory.reachability import has_optimal
from phalanx.planning.trajectory.scaling import fitted
from planning.trajectory.arms import GRAVITY, LENGTH, MASS, cart, pendulum, pendulum_torque

pytest.importorskip("toppra")

ARM = px.library.puma560()
DYNAMICS = px.Dynamics(ARM, threads=1)
TORQUE = np.array([97.6, 186.4, 89.4, 24.0, 20.0, 21.0])


@pytest.mark.parametrize("kind", ["cubic", "quintic"])
def test_a_cart_takes_the_time_of_full_force_and_full_brakes(kind):
    """Bang-bang: half of the way at full force, half at full brakes, T = 2 sqrt(d m / F)."""
    force, way = 10.0, 3.0
    path = Waypoints([0.0, 2.0], [[0.0], [way]], kind).path()
    found = time_optimal(cart(effort_limit=force), path, 0.001)
    best = 2 * np.sqrt(way * MASS / force)
    assert best <= found.path.duration * (1 + 1e-9)
    # a path that begins without acceleration starts a little late
    assert found.path.duration == pytest.approx(best, rel=1e-3 if kind == "cubic" else 2e-2)


def test_a_cart_with_a_speed_limit_accelerates_cruises_and_brakes():
    force, way, speed = 10.0, 3.0, 1.5
    path = Waypoints([0.0, 2.0], [[0.0], [way]]).path()
    found = time_optimal(cart(effort_limit=force, velocity_limit=speed), path, 0.001)
    assert found.path.duration == pytest.approx(way / speed + speed * MASS / force, rel=2e-3)
    _, v, _ = found.path(np.linspace(0.0, found.path.duration, 50_001))
    assert np.abs(v).max() <= speed * (1 + 1e-9)
    only_speed = time_optimal(cart(velocity_limit=speed), path, 0.001)
    assert only_speed.path.duration == pytest.approx(way / speed, rel=2e-2)


def random_path(curve, seed):
    points = demo_waypoints(ARM, seed=seed).points
    return CURVES[curve](points[1], np.full(6, 1.0), np.full(6, 4.0))


@pytest.mark.parametrize("curve", ["cubic", "quintic", "blends"])
@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_an_arm_is_at_a_limit_almost_all_the_time_and_beyond_none(curve, seed):
    path, step = random_path(curve, seed), 0.001
    limits = Limits.of(ARM, torque=TORQUE)
    found = time_optimal(DYNAMICS, path, step, limits)
    share = np.abs(DYNAMICS.inverse_dynamics(*found.rows.parts) / TORQUE).max(axis=1)
    assert np.mean(share > 0.97) > 0.9, "something is always at its limit"
    _, speed = fitted(DYNAMICS, path, step, limits, faster=True)
    assert found.path.duration < path.duration / speed, "shorter than at any one speed"
    assert 0 <= found.slowdown < 5e-3
    # between rows and between points of the grid
    times = np.linspace(0.0, found.path.duration, 50 * len(found.rows))
    torque = DYNAMICS.inverse_dynamics(*found.path(times))
    assert (np.abs(torque) <= TORQUE * (1 + 1e-9)).all()


def test_limits_hold_beside_stops_on_the_way():
    """Torques change by a large part of a limit within a share of an interval there."""
    path = random_path("trapezoid", 11)
    found = time_optimal(DYNAMICS, path, 1e-3, Limits.of(ARM, torque=TORQUE))
    torque = DYNAMICS.inverse_dynamics(*found.path(np.linspace(0, found.path.duration, 100_001)))
    assert (np.abs(torque) <= TORQUE * (1 + 1e-9)).all()
    assert found.slowdown < 5e-3


@pytest.mark.parametrize(
    ("curve", "seed"), [("trapezoid", 9), ("trapezoid", 15), ("blends", 16), ("blends", 17)]
)
def test_limits_hold_beside_jumps_of_accelerations(curve, seed):
    """Corners of trapezoids and blends lie anywhere in a grid; torques jump there."""
    found = time_optimal(
        DYNAMICS, random_path(curve, seed), 1e-3, Limits.of(ARM, torque=TORQUE), intervals=100
    )
    times = found.grid[:, 0]
    dense = times[:-1, None] + np.linspace(0, 1, 201) * np.diff(times)[:, None]
    torque = DYNAMICS.inverse_dynamics(*found.path(dense.ravel()))
    assert (np.abs(torque) <= TORQUE * (1 + 1e-9)).all()


def test_jumps_of_accelerations_are_points_of_the_grid():
    """A trapezoid of 1 m/s and 4 m/s² over 2 m speeds up for 1/4 s and cruises for 7/4 s."""
    limits = {"velocity_limit": 1.0, "acceleration_limit": 4.0}
    there = px.planning.trapezoid([0.0], [2.0], **limits)
    path = px.planning.join(there, px.planning.trapezoid([2.0], [0.0], **limits))
    found = time_optimal(cart(effort_limit=3.0, velocity_limit=1.0), path, 0.01, intervals=37)
    for corner in (0.25, 2.0, 2.5, 4.25):
        assert np.abs(found.grid[:, 1] - corner).min() < 1e-12


def test_jumps_closer_together_than_the_solver_can_tell():
    """Without a velocity limit in the way a trapezoid cruises for some 1e-9 s, by rounding."""
    there, back = ([0.2, 0.0, -0.5, 0.3, 0.1, 0.2], [0.5, -0.7, 0.3, 0.4, -0.4, -0.2])
    path = CURVES["trapezoid"](np.array([there, back, there]), np.full(6, 9.0), np.full(6, 4.0))
    found = time_optimal(DYNAMICS, path, 1e-3, Limits.of(ARM, torque=TORQUE), intervals=100)
    times = found.grid[:, 0]
    dense = times[:-1, None] + np.linspace(0, 1, 201) * np.diff(times)[:, None]
    torque = DYNAMICS.inverse_dynamics(*found.path(dense.ravel()))
    assert (np.abs(torque) <= TORQUE * (1 + 1e-9)).all()
    assert found.slowdown < 5e-3


def test_another_library_finds_no_torque_beyond_a_limit(tmp_path):
    """Pinocchio's Newton-Euler recursion, 50 times as dense as the grid."""
    pinocchio = pytest.importorskip("pinocchio")
    file = px.export_urdf(ARM, tmp_path / "arm.urdf")
    model = pinocchio.buildModelFromUrdf(str(file or tmp_path / "arm.urdf"))
    model.gravity.linear = ARM.gravity
    data = model.createData()
    model.armature = np.concatenate([joint.reflected_inertia for joint in ARM.moving_joints])
    path = random_path("cubic", 3)
    found = time_optimal(DYNAMICS, path, 1e-3, Limits.of(ARM, torque=TORQUE), intervals=200)
    motion = found.path(np.linspace(0.0, found.path.duration, 10_001))
    torque = np.array([pinocchio.rnea(model, data, *row) for row in zip(*motion, strict=True)])
    np.testing.assert_allclose(torque, DYNAMICS.inverse_dynamics(*motion), atol=1e-9)
    assert (np.abs(torque) <= TORQUE * (1 + 1e-9)).all()
    assert (np.abs(torque) / TORQUE).max() > 0.999


def test_gravity_near_a_limit_costs_little():
    """What one speed for all would pay for where gravity takes 99.9 % of a torque."""
    path = Waypoints([0, 1, 2], [[0.2], [np.pi / 2], [np.pi]]).path()
    arm = pendulum(effort_limit=1.001 * MASS * GRAVITY * LENGTH)
    found = time_optimal(arm, path, 1e-3, intervals=300)
    q, _, a = found.path(np.linspace(0.0, found.path.duration, 100_001))
    assert np.abs(pendulum_torque(q, a)).max() <= arm.joints[0].effort_limit[0] * (1 + 1e-9)
    assert found.slowdown < 5e-3


def test_velocities_and_accelerations_are_the_rates_of_positions():
    found = time_optimal(DYNAMICS, demo_waypoints(ARM).path(), 1e-4, Limits.of(ARM, torque=TORQUE))
    q, v, a = found.rows.parts
    h = found.rows.step
    np.testing.assert_allclose(np.diff(q, axis=0), h * (v[1:] + v[:-1]) / 2, atol=1e-6)
    # accelerations jump between limits, at a few rows
    error = np.abs(np.diff(v, axis=0) - h * (a[1:] + a[:-1]) / 2).max(axis=1)
    assert np.mean(error < 1e-4) > 0.99
    np.testing.assert_allclose(v[[0, -1]], 0.0, atol=1e-9)


@pytest.mark.parametrize("kind", ["cubic", "quintic"])
@pytest.mark.parametrize("speed", [1e-3, 1e3])
def test_how_fast_the_path_was_given_says_nothing(kind, speed):
    path = Waypoints(*demo_waypoints(ARM).points, kind).path()
    limits = Limits.of(ARM, torque=TORQUE)
    found = time_optimal(DYNAMICS, path, 1e-3, limits).path.duration
    again = time_optimal(DYNAMICS, path.faster(speed), 1e-3, limits)
    assert again.path.duration == pytest.approx(found, rel=1e-6)
    assert again.grid[-1, 1] == pytest.approx(path.duration / speed)


def test_it_goes_through_the_same_points():
    waypoints = demo_waypoints(ARM)
    times, positions = waypoints.points
    found = time_optimal(DYNAMICS, waypoints.path(), 1e-3, Limits.of(ARM, torque=TORQUE))
    passed = found.when(times)
    assert passed[0] == 0.0 and passed[-1] == pytest.approx(found.path.duration)
    q, _, _ = found.path(passed)
    np.testing.assert_allclose(q, positions, atol=1e-3)


def test_gravity_that_a_joint_cannot_hold():
    hold = MASS * GRAVITY * LENGTH
    path = Waypoints([0, 1], [[0.0], [np.pi / 2]]).path()
    with pytest.raises(Infeasible, match=r"gravity alone needs 9\.8.* of joint 'hinge' at 1 s"):
        time_optimal(pendulum(effort_limit=0.9 * hold), path, 0.01)


def test_what_it_cannot_be_asked():
    path = Waypoints([0, 1], [[0.0], [1.0]]).path()
    with pytest.raises(px.InvalidInput, match="'cart' has no limits"):
        time_optimal(cart(), path, 0.01)
    limits = Limits.of(cart(), torque=1.0, torque_rate=1.0)
    with pytest.raises(px.InvalidInput, match="jump"):
        time_optimal(cart(), path, 0.01, limits)
    rest = Waypoints([0, 1], [[0.5], [0.5]]).path()
    with pytest.raises(px.InvalidInput, match="'cart' does not move"):
        time_optimal(cart(effort_limit=1.0), rest, 0.01)
    with pytest.raises(px.InvalidInput, match="intervals=3"):
        time_optimal(cart(effort_limit=1.0), path, 0.01, intervals=3)


def test_without_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "toppra", None)
    assert not has_optimal()
    path = Waypoints([0, 1], [[0.0], [1.0]]).path()
    with pytest.raises(px.MissingExtra, match=r"\[trajectory\]"):
        time_optimal(cart(effort_limit=1.0), path, 0.01)
