"""Trapezoids take the time of the closed form, keep limits and arrive together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import phalanx as px
from phalanx.planning.paths.trapezoids import TIMINGS

numbers = st.floats(-3, 3, allow_nan=False)
limits = st.floats(0.1, 5)
joints = st.lists(st.tuples(numbers, numbers, limits, limits), min_size=1, max_size=4)


def closed_form(d, v, a):
    return d / v + v / a if d >= v * v / a else 2 * np.sqrt(d / a)


@settings(max_examples=60, deadline=None)
@given(joints, st.sampled_from(TIMINGS), st.floats(1.0, 3.0))
def test_times_limits_and_ends(given_joints, timing, longer):
    start, end, v, a = map(np.array, zip(*given_joints, strict=True))
    way = np.abs(end - start)
    if way.max() < 1e-6:
        return
    keywords = {"velocity_limit": v, "acceleration_limit": a, "timing": timing}
    path = px.planning.trapezoid(start, end, **keywords)
    least = max(closed_form(*one) for one in zip(way, v, a, strict=True) if one[0] > 0)
    if timing == "straight":
        assert path.duration >= least * (1 - 1e-9)
    else:
        assert path.duration == pytest.approx(least, rel=1e-9)
    if timing != "each":
        slower = px.planning.trapezoid(start, end, duration=longer * path.duration, **keywords)
        assert slower.duration == pytest.approx(longer * path.duration)
        keeps(slower, start, end, v, a)
    keeps(path, start, end, v, a)


def keeps(path, start, end, v, a):
    t = np.linspace(0, path.duration, 2001)
    q, speed, change = path(t)
    np.testing.assert_allclose(q[[0, -1]], [start, end], atol=1e-8)
    np.testing.assert_allclose(speed[[0, -1]], 0.0, atol=1e-6)
    assert (np.abs(speed) <= v * (1 + 1e-9)).all() and (np.abs(change) <= a * (1 + 1e-9)).all()
    # continuous in position and velocity: no step is larger than a rate allows
    h = t[1]
    assert (np.abs(np.diff(q, axis=0)) <= v * h * (1 + 1e-6) + 1e-8).all()
    assert (np.abs(np.diff(speed, axis=0)) <= a * h * (1 + 1e-6) + 1e-7).all()


def test_a_straight_way_is_straight():
    keywords = {"velocity_limit": [1.0, 0.3, 2.0], "acceleration_limit": [1.0, 4.0, 0.5]}
    end = np.array([1.0, -0.4, 0.2])
    path = px.planning.trapezoid(np.zeros(3), end, timing="straight", **keywords)
    q, _, _ = path(np.linspace(0, path.duration, 50))
    np.testing.assert_allclose(q / end, np.repeat(q[:, :1] / end[0], 3, axis=1), atol=1e-12)


def test_each_joint_stands_when_it_is_there():
    path = px.planning.trapezoid(
        [0.0, 0.0], [2.0, 0.5], velocity_limit=1.0, acceleration_limit=2.0, timing="each"
    )
    alone = closed_form(0.5, 1.0, 2.0)
    q, v, _ = path(np.array([alone, alone + 0.1]))
    np.testing.assert_allclose(q[:, 1], 0.5, atol=1e-12)
    np.testing.assert_allclose(v[:, 1], 0.0, atol=1e-12)
    assert (v[:, 0] > 0.5).all()


def test_a_joint_that_does_not_move():
    path = px.planning.trapezoid([0.0, 7.0], [1.0, 7.0], velocity_limit=1.0, acceleration_limit=1.0)
    q, v, a = path(np.linspace(0, path.duration, 11))
    assert (q[:, 1] == 7.0).all() and not v[:, 1].any() and not a[:, 1].any()


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"velocity_limit": 0.0, "acceleration_limit": 1.0}, "velocity_limit of joint 0 is 0"),
        ({"velocity_limit": 1.0, "acceleration_limit": np.inf}, "needs a finite one"),
        (
            {"velocity_limit": 1.0, "acceleration_limit": 1.0, "duration": 1.5},
            "1.5 s is too short for joint 1; the shortest is 3 s",
        ),
        (
            {"velocity_limit": 1.0, "acceleration_limit": 1.0, "duration": 5, "timing": "each"},
            "its own duration",
        ),
    ],
)
def test_what_is_refused(keywords, words):
    with pytest.raises(px.InvalidInput, match=words):
        px.planning.trapezoid([0.0, 0.0], [1.0, 2.0], **keywords)
    with pytest.raises(px.InvalidInput, match="nothing says how long"):
        px.planning.trapezoid([1.0], [1.0], velocity_limit=1.0, acceleration_limit=1.0)
