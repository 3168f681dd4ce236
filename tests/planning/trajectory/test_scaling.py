"""Uniform scaling: against torques computed anew at the new speed, and against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from phalanx.planning import (
    Infeasible,
    Limits,
    Rows,
    TrajectoryTable,
    Waypoints,
    demo_waypoints,
    uniform_scaling,
)
from phalanx.planning.trajectory.scaling import fitted
from planning.trajectory.arms import GRAVITY, LENGTH, MASS, cart, pendulum

ARM = px.library.puma560()
DYNAMICS = px.Dynamics(ARM, threads=1)
PATH = demo_waypoints(ARM).path()
ROWS = PATH.sample(0.01)


def at_speed(rows, c):
    q, v, a = rows.parts
    return Rows(q, c * v, c * c * a, rows.step / c)


@pytest.mark.parametrize("limit", [[97, 186, 89, 24, 20, 21], [40, 90, 30, 5, 4, 3]])
def test_at_the_fastest_speed_one_joint_is_at_its_limit_and_none_beyond(limit):
    limits = Limits.of(ARM, torque=np.array(limit, dtype=float))
    found = uniform_scaling(DYNAMICS, ROWS, limits)
    q, v, a = at_speed(ROWS, found.fastest).parts
    share = np.abs(DYNAMICS.inverse_dynamics(q, v, a)) / limit
    assert share.max() == pytest.approx(1.0, abs=1e-9)
    row, joint = np.unravel_index(np.argmax(share), share.shape)
    assert (found.row, found.joint) == (row, f"joint_{joint + 1}")
    assert found.quantity == "torque" and found.slowest == 0.0


def test_velocities_and_torque_rates_limit_the_speed_too():
    machine = cart(velocity_limit=3.0)
    rows = Waypoints([0, 1], [[0.0], [1.0]]).path().sample(0.001)  # v = 6t - 6t², at most 1.5
    assert uniform_scaling(machine, rows).fastest == pytest.approx(2.0, rel=1e-6)
    assert uniform_scaling(machine, rows).quantity == "velocity"
    # torque of 2 kg: 2 (6 - 12 t), its rate 24 N/s, at c times the speed c³ as much
    limits = Limits.of(machine, torque_rate=24.0 * 1.5**3)
    found = uniform_scaling(machine, rows, limits)
    assert (found.quantity, found.joint) == ("torque rate", "rails")
    assert found.fastest == pytest.approx(1.5, rel=1e-6)
    q, v, a = at_speed(ROWS, 1.0).parts
    gravity = DYNAMICS.gravity(q)
    limits = Limits.of(ARM, torque=np.inf, torque_rate=150.0)
    c = uniform_scaling(DYNAMICS, ROWS, limits).fastest
    torque = gravity + c * c * (DYNAMICS.inverse_dynamics(q, v, a) - gravity)
    rate = np.abs(np.diff(torque, axis=0)) * c / ROWS.step
    assert rate.max() == pytest.approx(150.0, rel=1e-6)


def test_gravity_that_no_speed_takes_away():
    hold = MASS * GRAVITY * LENGTH  # at a right angle
    q, v, a = Waypoints([0, 1], [[0.0], [np.pi / 2]]).path().sample(0.01).parts
    a[-1] = 0.0  # it stays there; brakes would help
    rows = Rows(q, v, a, 0.01)
    with pytest.raises(Infeasible, match=r"gravity alone needs 9\.81 of joint 'hinge' at 1 s"):
        uniform_scaling(pendulum(effort_limit=0.9 * hold), rows)
    assert uniform_scaling(pendulum(effort_limit=1.01 * hold), rows).fastest > 0


def test_a_motion_that_falls_needs_a_lowest_speed():
    """Where gravity is too much to hold, a body that falls freely needs no torque at all."""
    q = np.full((3, 1), np.pi / 2)
    fall = np.full((3, 1), -GRAVITY / LENGTH)
    rows = Rows(q, np.zeros((3, 1)), fall, 0.1)
    half = MASS * GRAVITY * LENGTH / 2
    found = uniform_scaling(pendulum(effort_limit=half), rows)
    assert found.slowest**2 == pytest.approx(0.5) and found.fastest**2 == pytest.approx(1.5)
    assert found.speed == 1.0


def test_a_path_that_nothing_limits():
    rows = Waypoints([0, 1], [[0.0], [1.0]]).path().sample(0.1)
    found = uniform_scaling(cart(), rows)
    assert found.fastest == np.inf and "nothing limits" in str(found)
    with pytest.raises(px.InvalidInput, match="nothing limits the speed of 'cart'"):
        fitted(cart(), Waypoints([0, 1], [[0.0], [1.0]]).path(), 0.1, faster=True)


def test_words_for_a_person():
    limits = Limits.of(ARM, torque=[40.0, 90, 30, 5, 4, 3])
    assert "% slower: torque of joint_" in str(uniform_scaling(DYNAMICS, ROWS, limits))
    limits = Limits.of(ARM, torque=[400.0, 900, 300, 50, 40, 30])
    assert "% faster: torque of joint_" in str(uniform_scaling(DYNAMICS, ROWS, limits))


@pytest.mark.parametrize("faster", [False, True])
@pytest.mark.parametrize("step", [0.1, 0.013, 0.001])
def test_a_fitted_path_keeps_all_limits_in_the_rows_it_has_then(step, faster):
    torque = np.array([40.0, 125, 30, 5, 4, 3])
    limits = Limits.of(ARM, torque=torque)
    path, speed = fitted(DYNAMICS, PATH, step, limits, faster=faster)
    register = TrajectoryTable.of(DYNAMICS, path.sample(step), torque_limits=torque)
    assert register.violations == ()
    assert path.duration == pytest.approx(PATH.duration / speed)
    share = np.abs(register.torque / torque).max()
    assert share > 0.93, "and is not slower than it must be"


def test_a_path_that_fits_is_left_as_it_is():
    limits = Limits.of(ARM, torque=1e3)
    path, speed = fitted(DYNAMICS, PATH, 0.01, limits)
    assert speed == 1.0 and path.duration == PATH.duration
