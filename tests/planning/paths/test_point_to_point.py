"""Quintics keep what is given at their ends, and limits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import phalanx as px

numbers = st.floats(-3, 3, allow_nan=False)
states = st.tuples(*(st.lists(numbers, min_size=2, max_size=2) for _ in range(6)))


@settings(max_examples=40, deadline=None)
@given(states, st.floats(0.05, 20))
def test_ends_are_what_was_given(state, duration):
    q0, q1, v0, v1, a0, a1 = state
    path = px.planning.quintic(q0, q1, duration, velocities=[v0, v1], accelerations=[a0, a1])
    near = 1e-9 * max(1, duration**2, duration**-2)
    for k, both in enumerate(([q0, q1], [v0, v1], [a0, a1])):
        np.testing.assert_allclose(path(np.array([0.0, duration]))[k], both, atol=near)


def test_velocities_and_accelerations_are_rates():
    path = px.planning.quintic([0.0, 1], [1, -1], 1.5, velocities=[[1, 0], [0.5, 2]])
    t, h = np.linspace(0.01, 1.49, 40), 1e-5
    before, now, after = path(t - h), path(t), path(t + h)
    np.testing.assert_allclose((after[0] - before[0]) / (2 * h), now[1], atol=1e-8)
    np.testing.assert_allclose((after[1] - before[1]) / (2 * h), now[2], atol=1e-7)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(numbers, numbers, st.floats(0.1, 5), st.floats(0.1, 5)), min_size=1, max_size=4
    )
)
def test_the_shortest_duration_reaches_a_limit_and_exceeds_none(joints):
    start, end, v, a = map(np.array, zip(*joints, strict=True))
    if np.abs(end - start).max() < 1e-6:
        return
    path = px.planning.quintic(start, end, velocity_limit=v, acceleration_limit=a)
    _, speed, change = path(np.linspace(0, path.duration, 4001))
    shares = np.array([np.abs(speed) / v, np.abs(change) / a]).max(axis=(1, 2))
    assert shares.max() <= 1 + 1e-9
    assert shares.max() > 1 - 1e-5
    with pytest.raises(px.InvalidInput, match=f"shortest duration is {path.duration:.4}"[:-1]):
        px.planning.quintic(start, end, 0.9 * path.duration, velocity_limit=v, acceleration_limit=a)


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({}, "nothing says how long"),
        ({"duration": 0.0}, "positive time"),
        ({"duration": 1.0, "velocity_limit": 0.0}, "velocity_limit of joint 0 is 0"),
        ({"duration": 1.0, "acceleration_limit": [1.0, -2.0]}, "acceleration_limit of joint 1"),
        ({"duration": 1.0, "velocity_limit": [1.0] * 3}, r"shape \(3,\)"),
        ({"duration": 1.0, "velocities": [1.0, 1.0]}, r"expected \(2, 2\)"),
        ({"velocities": [[1.0, 0], [0, 0]], "velocity_limit": 1.0}, "from rest to rest"),
        (
            {"duration": 1.0, "velocities": [[3.0, 0], [0, 0]], "velocity_limit": 2.0},
            "joint 0 would reach 3 of velocity, its limit is 2",
        ),
    ],
)
def test_what_is_refused(keywords, words):
    with pytest.raises(px.InvalidInput, match=words):
        px.planning.quintic([0.0, 0.0], [1.0, 1.0], **keywords)


def test_ends_of_different_sizes():
    with pytest.raises(px.InvalidInput, match="one a joint"):
        px.planning.quintic([0.0, 0.0], [1.0], 1.0)
    with pytest.raises(px.InvalidInput, match="nothing says how long"):
        px.planning.quintic([1.0], [1.0], velocity_limit=1.0)
