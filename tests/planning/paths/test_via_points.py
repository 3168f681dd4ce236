"""Parabolic blends: straight between, at the limit in blends, past points by b Δv / 8."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import phalanx as px

POINTS = np.array([[0.0, 0.0], [1.0, 0.5], [1.5, -0.5], [0.0, 1.0]])


def test_lines_blends_and_the_distance_at_a_point():
    times, limit = np.array([0.0, 2.0, 3.5, 6.0]), 3.0
    path = px.planning.parabolic_blends(POINTS, times, acceleration_limit=limit)
    v = np.diff(POINTS, axis=0) / np.diff(times)[:, None]
    steps = np.diff(v, axis=0, prepend=np.zeros((1, 2)), append=np.zeros((1, 2)))
    blend = np.abs(steps).max(axis=1) / limit
    assert path.duration == pytest.approx(6 + (blend[0] + blend[-1]) / 2)
    at = blend[0] / 2 + times
    q, speed, _ = path(at)
    np.testing.assert_allclose(
        q[1:-1] - POINTS[1:-1], (steps * blend[:, None] / 8)[1:-1], atol=1e-12
    )
    np.testing.assert_allclose(speed[1], (v[0] + v[1]) / 2, atol=1e-12)
    np.testing.assert_allclose(path(np.array([0, path.duration]))[0], POINTS[[0, -1]], atol=1e-12)
    middle = (at[:-1] + at[1:]) / 2
    np.testing.assert_allclose(path(middle)[0], (POINTS[:-1] + POINTS[1:]) / 2, atol=1e-12)
    np.testing.assert_allclose(path(middle)[1], v, atol=1e-12)


rows = st.lists(st.tuples(*[st.floats(-2, 2)] * 2), min_size=2, max_size=6)


@settings(max_examples=50, deadline=None)
@given(rows, st.floats(0.2, 3), st.floats(0.2, 3))
def test_limits_are_kept_and_it_is_continuous(points, velocity, acceleration):
    points = np.array(points)
    if (np.abs(np.diff(points, axis=0)).max(axis=1) < 1e-3).any():
        return
    path = px.planning.parabolic_blends(
        points, velocity_limit=velocity, acceleration_limit=acceleration
    )
    t = np.linspace(0, path.duration, 4001)
    q, v, a = path(t)
    assert np.abs(v).max() <= velocity * (1 + 1e-9)
    assert np.abs(a).max() <= acceleration * (1 + 1e-9)
    assert np.abs(np.diff(q, axis=0)).max() <= velocity * t[1] * (1 + 1e-6) + 1e-9
    assert np.abs(np.diff(v, axis=0)).max() <= acceleration * t[1] * (1 + 1e-6) + 1e-9
    np.testing.assert_allclose(q[[0, -1]], points[[0, -1]], atol=1e-9)


def test_two_points_are_a_trapezoid():
    blends = px.planning.parabolic_blends(
        [[0.0], [2.0]], velocity_limit=1.0, acceleration_limit=4.0
    )
    profile = px.planning.trapezoid([0.0], [2.0], velocity_limit=1.0, acceleration_limit=4.0)
    assert blends.duration == pytest.approx(profile.duration)
    t = np.linspace(0, 2.25, 100)
    np.testing.assert_allclose(blends(t)[0], profile(t)[0], atol=1e-12)


@pytest.mark.parametrize(
    ("times", "keywords", "words"),
    [
        ([0, 1, 1, 2], {}, "point 2 at 1 s does not follow point 1 at 1 s"),
        ([0, 2, 3.5, 6], {"velocity_limit": 0.1}, "would need"),
        ([0, 0.1, 0.2, 0.3], {}, "blends overlap between points"),
        ([0, 1], {}, "4 finite numbers"),
        ([0, 1, 2, 3], {"acceleration_limit": 0.0}, "acceleration_limit of joint 0 is 0"),
    ],
)
def test_what_is_refused(times, keywords, words):
    with pytest.raises(px.InvalidInput, match=words):
        px.planning.parabolic_blends(POINTS, times, **({"acceleration_limit": 3.0} | keywords))
    with pytest.raises(px.InvalidInput, match="points 0 and 1 are the same"):
        px.planning.parabolic_blends(POINTS[[0, 0, 1]], acceleration_limit=1.0)
    with pytest.raises(px.InvalidInput, match="2 or more rows"):
        px.planning.parabolic_blends(POINTS[:1], acceleration_limit=1.0)
