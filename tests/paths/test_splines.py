"""Curves through waypoints, and paths as functions of time."""

from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from phalanx.trajectory import Path, Rows, Waypoints, demo_waypoints

TIMES = [1.0, 1.5, 2.75, 4.0]
POINTS = np.array([[0.0, 1.0], [0.5, -1.0], [0.2, 0.3], [1.0, 0.0]])


@pytest.mark.parametrize("kind", ["cubic", "quintic"])
def test_a_curve_passes_its_points_and_rests_at_its_ends(kind):
    path = Waypoints(TIMES, POINTS, kind).path()
    q, v, a = path(np.array(TIMES) - 1.0)
    np.testing.assert_allclose(q, POINTS, atol=1e-12)
    np.testing.assert_allclose(v[[0, -1]], 0.0, atol=1e-11)
    if kind == "quintic":
        np.testing.assert_allclose(a[[0, -1]], 0.0, atol=1e-10)


@pytest.mark.parametrize("kind", ["cubic", "quintic"])
@pytest.mark.parametrize("speed", [1.0, 1.7])
def test_velocities_and_accelerations_are_rates(kind, speed):
    path = Waypoints(TIMES, POINTS, kind).path().faster(speed)
    t, h = np.linspace(0.01, path.duration - 0.01, 50), 1e-6
    before, now, after = path(t - h), path(t), path(t + h)
    np.testing.assert_allclose((after[0] - before[0]) / (2 * h), now[1], atol=1e-7)
    # the third derivative of a cubic jumps at its points
    np.testing.assert_allclose((after[1] - before[1]) / (2 * h), now[2], atol=1e-3)


def test_two_points_with_rest_are_the_usual_polynomials():
    t = np.linspace(0, 2, 9)
    x = t / 2
    q, _, _ = Waypoints([0, 2], [[0.0], [1.0]]).path()(t)
    np.testing.assert_allclose(q[:, 0], x**2 * (3 - 2 * x), atol=1e-12)
    q, _, _ = Waypoints([0, 2], [[0.0], [1.0]], "quintic").path()(t)
    np.testing.assert_allclose(q[:, 0], x**3 * (10 - 15 * x + 6 * x**2), atol=1e-12)


@pytest.mark.parametrize("kind", ["cubic", "quintic"])
def test_free_ends_reproduce_a_polynomial_exactly(kind):
    t = np.linspace(0, 3, 12)
    q, v, _ = Waypoints(t, (t**3 - t)[:, None], kind, "free").path()(np.array([0.0, 1.234, 3.0]))
    s = np.array([0.0, 1.234, 3.0])
    np.testing.assert_allclose(q[:, 0], s**3 - s, atol=1e-10)
    np.testing.assert_allclose(v[:, 0], 3 * s**2 - 1, atol=1e-9)


def test_faster_waypoints_are_the_faster_curve():
    waypoints = Waypoints(TIMES, POINTS)
    fast, same = waypoints.faster(1.6).path(), waypoints.path().faster(1.6)
    assert fast.duration == pytest.approx(same.duration)
    t = np.linspace(0, fast.duration, 30)
    for one, other in zip(fast(t), same(t), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-10)


@pytest.mark.parametrize(("step", "rows"), [(0.5, 7), (0.7, 6), (0.001, 3001), (3.0, 2)])
def test_rows_go_from_the_begin_to_the_end_in_equal_steps(step, rows):
    path = Waypoints(TIMES, POINTS).path()
    sampled = path.sample(step)
    assert len(sampled) == rows and sampled.step == step
    np.testing.assert_allclose(sampled.q[0], POINTS[0], atol=1e-12)
    np.testing.assert_allclose(sampled.q[-1], POINTS[-1], atol=1e-12)
    assert path.duration - 1e-9 <= sampled.duration < path.duration + step


@pytest.mark.parametrize("step", [3.1, 0.0, -1.0, np.nan, 1e-9])
def test_steps_that_are_none(step):
    with pytest.raises(px.InvalidInput):
        Waypoints(TIMES, POINTS).path().sample(step)


def test_a_moved_point_is_the_only_one_moved():
    waypoints = Waypoints(TIMES, POINTS)
    moved = waypoints.moved(2, 1, 9.0)
    assert np.argwhere(moved.points[1] != POINTS).tolist() == [[2, 1]]
    assert waypoints.points[1].tolist() == POINTS.tolist()
    with pytest.raises(px.InvalidInput, match="joint 2 of waypoint 0"):
        waypoints.moved(0, 2, 1.0)


def test_fewer_points_with_nearly_the_same_curve():
    t = np.linspace(0, 4, 401)
    dense = Waypoints(t, np.column_stack([np.cos(np.pi * t / 2), np.sin(np.pi * t / 4) ** 2]))
    fewer, off = dense.thinned(1e-2, 40)
    assert 4 < len(fewer) < 40 and off <= 1e-2
    q, _, _ = fewer.path()(t)
    assert np.abs(q - dense.points[1]).max() == pytest.approx(off)
    least, worse = dense.thinned(1e-9, 8)
    assert len(least) == 8 and worse > 1e-9
    few = Waypoints(TIMES, POINTS)
    assert few.thinned(1e-3, 40) == (few, 0.0)


@pytest.mark.parametrize(
    ("times", "positions", "words"),
    [
        ([0, 1, 1, 2], POINTS, "waypoint 2 at 1 s does not follow waypoint 1 at 1 s"),
        ([0, 2, 1, 3], POINTS, "waypoint 2 at 1 s"),
        ([0], POINTS[:1], "2 or more"),
        ([0, 1], POINTS, r"\(2, joints\)"),
        ([0, np.nan, 1, 2], POINTS, "finite"),
        ([0, 1, 2, 3], POINTS + np.inf, "finite"),
    ],
)
def test_waypoints_that_are_none(times, positions, words):
    with pytest.raises(px.InvalidInput, match=words):
        Waypoints(times, positions)
    with pytest.raises(px.InvalidInput):
        Waypoints(TIMES, POINTS, "linear")


def test_paths_and_rows_that_are_none():
    with pytest.raises(px.InvalidInput):
        Path(-1.0, lambda t: (t, t, t))
    with pytest.raises(px.InvalidInput, match="speed"):
        Waypoints(TIMES, POINTS).path().faster(0.0)
    with pytest.raises(px.InvalidInput, match="finite"):
        Waypoints(TIMES, POINTS).path()([0.5, np.nan])
    with pytest.raises(px.InvalidInput, match=r"\(rows, joints\)"):
        Rows([1.0], [1.0], [1.0], 0.1)
    with pytest.raises(px.InvalidInput, match="v="):
        Rows([[1.0]], [[1.0, 2.0]], [[1.0]], 0.1)


@pytest.mark.parametrize("name", ["puma560", "stanford", "double_pendulum"])
def test_a_demo_stays_within_range_and_comes_back(name):
    machine = px.library.by_name(name)
    times, positions = demo_waypoints(machine).points
    assert positions.shape == (6, machine.nv) and times[-1] == 3.0
    np.testing.assert_array_equal(positions[0], positions[-1])
    limits = px.trajectory.Limits.of(machine).position
    assert (positions >= limits[:, 0]).all() and (positions <= limits[:, 1]).all()
    with pytest.raises(px.InvalidModel):
        demo_waypoints(px.library.four_bar())
