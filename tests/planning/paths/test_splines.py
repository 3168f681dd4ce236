"""Curves through waypoints, and paths as functions of time."""

from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from phalanx.planning import Path, Rows, Waypoints, demo_waypoints

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
    limits = px.planning.Limits.of(machine).position
    assert (positions >= limits[:, 0]).all() and (positions <= limits[:, 1]).all()
    with pytest.raises(px.InvalidModel):
        demo_waypoints(px.library.four_bar())


SCIPY_ENDS = {"natural": "natural", "rest": "clamped", "free": "not-a-knot"}


@pytest.mark.parametrize("ends", ["rest", "natural", "free"])
def test_cubic_curves_are_those_of_scipy(ends):
    from scipy.interpolate import CubicSpline

    path = px.planning.spline(POINTS, TIMES, ends=ends)
    theirs = CubicSpline(TIMES, POINTS, bc_type=SCIPY_ENDS[ends])
    t = np.linspace(0, 3, 301)
    for order, ours in enumerate(path(t)):
        np.testing.assert_allclose(ours, theirs(1 + t, order), atol=1e-10)


@pytest.mark.parametrize("ends", ["rest", "natural", "free"])
def test_quintic_curves_are_those_of_scipy(ends):
    from scipy.interpolate import make_interp_spline

    times, points = (
        np.array([0, 1, 1.5, 2, 2.5, 4, 5.0]),
        np.random.default_rng(0).normal(size=(7, 2)),
    )
    none = np.zeros(2)
    pair = {"rest": [(1, none), (2, none)], "natural": [(3, none), (4, none)], "free": None}[ends]
    theirs = make_interp_spline(times, points, k=5, bc_type=pair and (pair, pair))
    t = np.linspace(0, 5, 301)
    for order, ours in enumerate(px.planning.spline(points, times, kind="quintic", ends=ends)(t)):
        np.testing.assert_allclose(ours, theirs(t, order), atol=1e-8)


@pytest.mark.parametrize(("kind", "smooth"), [("cubic", 2), ("quintic", 4)])
@pytest.mark.parametrize("ends", ["rest", "natural"])
def test_derivatives_from_the_left_and_from_the_right(kind, smooth, ends):
    pieces = Waypoints(TIMES, POINTS, kind, ends).pieces()
    h = np.diff(pieces.times)
    for order in range(smooth + 2):
        sides = np.empty((2, len(h), 2))
        for (k, j), side in np.ndenumerate(np.zeros((len(h), 2))):
            c = np.polyder(pieces.coefficients[k, ::-1, j], order)
            sides[:, k, j] = [np.polyval(c, side) / h[k] ** order for side in (0.0, 1.0)]
        begin, end = sides[0, 1:], sides[1, :-1]
        jump = np.abs(begin - end).max() / max(1.0, np.abs(end).max())
        if order <= smooth:
            assert jump < 1e-8, order
        else:
            assert jump > 0.1, "beyond that it has steps"


@pytest.mark.parametrize("kind", ["cubic", "quintic"])
def test_given_ends(kind):
    velocities = [[1.0, -1.0], [0.5, 0.0]]
    more = {"accelerations": [[0.1, 0.2], [0.3, 0.4]]} if kind == "quintic" else {}
    path = px.planning.spline(POINTS, TIMES, kind=kind, velocities=velocities, **more)
    _, v, a = path(np.array([0.0, 3.0]))
    np.testing.assert_allclose(v, velocities, atol=1e-10)
    if more:
        np.testing.assert_allclose(a, more["accelerations"], atol=1e-9)


@pytest.mark.parametrize("kind", ["cubic", "quintic"])
@pytest.mark.parametrize("limits", [(1.0, 100.0), (100.0, 2.0), ([1.0, 0.2], [3.0, 0.5])])
def test_chosen_times_reach_a_limit_and_exceed_none(kind, limits):
    velocity, acceleration = limits
    path = px.planning.spline(
        POINTS, kind=kind, velocity_limit=velocity, acceleration_limit=acceleration
    )
    q, v, a = path(np.linspace(0, path.duration, 20_001))
    shares = [np.max(np.abs(v) / velocity), np.max(np.abs(a) / acceleration)]
    assert max(shares) == pytest.approx(1, abs=1e-5) and max(shares) <= 1 + 1e-9
    for point in POINTS:
        assert np.abs(q - point).max(axis=1).min() < 1e-3


@pytest.mark.parametrize(
    ("positions", "keywords", "words"),
    [
        (POINTS, {"times": [0, 1, 1, 2]}, "waypoint 2 at 1 s does not follow"),
        (POINTS[:1], {"times": [0.0]}, "2 or more rows"),
        (POINTS, {}, "needs times"),
        (POINTS, {"velocity_limit": [0.0, 1.0]}, "velocity_limit of joint 0 is 0"),
        (POINTS[[0, 1, 1]], {"velocity_limit": 1.0}, "points 1 and 2 are the same"),
        (POINTS, {"times": TIMES, "velocity_limit": 0.1}, "shortest duration of this curve is"),
        (
            POINTS,
            {"times": TIMES, "ends": "natural", "velocities": np.zeros((2, 2))},
            "ends='rest'",
        ),
        (POINTS, {"times": TIMES, "accelerations": np.zeros((2, 2))}, "only if it is quintic"),
        (POINTS[:4], {"times": TIMES, "kind": "quintic", "ends": "free"}, "6 or more"),
    ],
)
def test_curves_that_are_none(positions, keywords, words):
    with pytest.raises(px.InvalidInput, match=words):
        px.planning.spline(positions, **keywords)


def test_the_duration_an_error_names_is_the_shortest():
    with pytest.raises(px.InvalidInput, match="shortest") as caught:
        px.planning.spline(POINTS, TIMES, velocity_limit=0.5)
    shortest = float(str(caught.value).split(" is ")[-1].removesuffix(" s."))
    stretched = (np.array(TIMES) - 1) * shortest / 3
    px.planning.spline(POINTS, stretched * (1 + 1e-5), velocity_limit=0.5)
    with pytest.raises(px.InvalidInput):
        px.planning.spline(POINTS, stretched * (1 - 1e-4), velocity_limit=0.5)
