"""Two paths made one are smooth where they meet, and the same law as table."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import phalanx as px

A, B, C = [0.0, 0.0], [1.0, 0.5], [0.5, 2.0]
FIRST, SECOND = px.planning.quintic(A, B, 1.0), px.planning.quintic(B, C, 2.0)
FLYING = px.planning.quintic(A, B, 1.0, velocities=[[0, 0], [1.0, 0.5]])
MEETING = px.planning.quintic(B, C, 2.0, velocities=[[0.2, 1.0], [0, 0]])


def is_continuous(path, near=1e-6):
    t = np.linspace(0, path.duration, 20_001)
    parts = path(t)
    h = t[1]
    for part, rate in pairwise(parts):
        assert np.abs(np.diff(part, axis=0)).max() <= (np.abs(rate).max() + near) * h * 1.001
    jump = np.abs(np.diff(parts[2], axis=0)).max()
    assert jump < 0.02 * np.abs(parts[2]).max(), "accelerations have no step"


def test_joined_paths_follow_each_other():
    path = px.planning.join(FIRST, SECOND, px.planning.quintic(C, A, 1.0))
    assert path.duration == 4.0
    q, v, _ = path(np.array([0.0, 1.0, 3.0, 4.0]))
    np.testing.assert_allclose(q, [A, B, C, A], atol=1e-12)
    np.testing.assert_allclose(v, 0.0, atol=1e-12)
    np.testing.assert_allclose(path([0.3])[0], FIRST([0.3])[0])
    np.testing.assert_allclose(path([1.7])[0], SECOND([0.7])[0], atol=1e-12)
    is_continuous(path)


def test_an_overlap_adds_both_motions_and_takes_less_time():
    path = px.planning.overlap(FIRST, SECOND, 0.6)
    assert path.duration == pytest.approx(2.4)
    is_continuous(path)
    q, _, _ = path(np.array([0.0, 0.3, 0.7, 1.2, 2.4]))
    np.testing.assert_allclose(q[[0, -1]], [A, C], atol=1e-12)
    np.testing.assert_allclose(q[1], FIRST(0.3)[0], atol=1e-12)
    np.testing.assert_allclose(q[2] - FIRST(0.7)[0], SECOND(0.3)[0] - B, atol=1e-12)
    np.testing.assert_allclose(q[3], SECOND(0.8)[0], atol=1e-12)
    speeds = np.linalg.norm(path(np.linspace(0.3, 2.1, 200))[1], axis=1)
    assert speeds.min() > 0.1, "nothing stops at the corner"


def test_a_rounded_corner_leaves_one_path_and_meets_the_other():
    path = px.planning.round_corner(FLYING, MEETING, 0.25)
    assert path.duration == pytest.approx(3.0)
    is_continuous(path)
    for t, (part, own) in {
        0.75: (FLYING, 0.75),
        1.25: (MEETING, 0.25),
        2.0: (MEETING, 1.0),
    }.items():
        for one, other in zip(path(t), part(own), strict=True):
            np.testing.assert_allclose(one, other, atol=1e-10)


@pytest.mark.parametrize(
    "path",
    [
        px.planning.join(FIRST, SECOND),
        px.planning.overlap(FIRST, SECOND, 0.6),
        px.planning.round_corner(FLYING, MEETING, 0.25),
        px.planning.round_corner(FLYING, MEETING, 0.25).faster(1.7),
    ],
    ids=["join", "overlap", "round_corner", "faster"],
)
def test_the_law_is_the_table(path):
    t = np.linspace(-0.1, path.duration + 0.1, 333)
    for law, table in zip(path.trajectory(t), path(t), strict=True):
        np.testing.assert_allclose(law, table, atol=1e-11)


def test_what_is_refused():
    with pytest.raises(px.InvalidInput, match=r"path 1 begins 0.5 away .* in joint 1|1 away"):
        px.planning.join(FIRST, px.planning.quintic(A, C, 1.0))
    with pytest.raises(px.InvalidInput, match="round_corner"):
        px.planning.join(FLYING, SECOND)
    with pytest.raises(px.InvalidInput, match="moves at the corner"):
        px.planning.overlap(FLYING, MEETING, 0.3)
    with pytest.raises(px.InvalidInput, match="longer than the shorter path, which takes 1 s"):
        px.planning.overlap(FIRST, SECOND, 1.1)
    with pytest.raises(px.InvalidInput, match="moves 2 joints and the second path 1"):
        px.planning.round_corner(FIRST, px.planning.quintic([0.0], [1.0], 1.0), 0.1)
    with pytest.raises(px.InvalidInput):
        px.planning.join()
