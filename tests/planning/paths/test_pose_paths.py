"""Lines are straight, arcs are round, frames turn by the shortest way; rates are rates."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

import phalanx as px

START = px.Pose.from_rpy([0.4, 0.1, 0.3], [0.1, 0.2, 0.3])
END = px.Pose.from_rpy([0.2, -0.3, 0.5], [-1.0, 0.5, 2.0])
VIA = [0.5, -0.2, 0.35]


def test_a_line_is_straight_and_turns_as_slerp_does():
    path = px.planning.line(START, END, 2.0)
    t = np.linspace(0, 2, 41)
    X, _, _ = path(t)
    s = px.planning.quintic([0.0], [1.0], 2.0)(t)[0][:, 0]
    p = START.translation + s[:, None] * (END.translation - START.translation)
    np.testing.assert_allclose(X[:, :3, 3], p, atol=1e-14)
    both = Rotation.from_matrix([START.rotation, END.rotation])
    np.testing.assert_allclose(X[:, :3, :3], Slerp([0, 1], both)(s).as_matrix(), atol=1e-12)
    np.testing.assert_allclose(X[-1], END.matrix, atol=1e-12)


def test_an_arc_goes_round_through_its_points():
    path = px.planning.arc(START, VIA, END, 2.0)
    X, _, _ = path(np.linspace(0, 2, 4001))
    p = X[:, :3, 3]
    centre = START.translation - path.arc[0]
    np.testing.assert_allclose(
        np.linalg.norm(p - centre, axis=1), np.linalg.norm(path.arc[0]), atol=1e-13
    )
    np.testing.assert_allclose(p[[0, -1]], [START.translation, END.translation], atol=1e-13)
    assert np.linalg.norm(p - VIA, axis=1).min() < 1e-3
    length = np.linalg.norm(np.diff(p, axis=0), axis=1).sum()
    assert path.length == pytest.approx(length, rel=1e-5)


def test_the_other_point_leads_round_the_other_way():
    quarter = px.Pose(translation=[0.0, 1.0, 0.0])
    near = px.planning.arc(px.Pose(translation=[1.0, 0, 0]), [np.sqrt(0.5)] * 2 + [0], quarter, 1.0)
    far = px.planning.arc(px.Pose(translation=[1.0, 0, 0]), [-1.0, 0, 0], quarter, 1.0)
    assert near.length == pytest.approx(np.pi / 2) and far.length == pytest.approx(1.5 * np.pi)


@pytest.mark.parametrize(
    "path",
    [
        px.planning.line(START, END, 2.0),
        px.planning.arc(START, VIA, END, 2.0),
        px.planning.line(START, px.Pose(START.rotation, END.translation), 2.0),
        px.planning.line(START, px.Pose(END.rotation, START.translation), 2.0),
    ],
    ids=["line", "arc", "shift", "turn"],
)
def test_velocities_and_accelerations_are_rates_in_world_axes(path):
    t, h = np.linspace(0.1, 1.9, 19), 1e-5
    (X0, V0, _), (X, V, A), (X1, V1, _) = path(t - h), path(t), path(t + h)
    dX = (X1 - X0) / (2 * h)
    np.testing.assert_allclose(dX[:, :3, 3], V[:, :3], atol=1e-8)
    W = dX[:, :3, :3] @ np.swapaxes(X[:, :3, :3], 1, 2)
    np.testing.assert_allclose(
        np.stack([W[:, 2, 1], W[:, 0, 2], W[:, 1, 0]], axis=1), V[:, 3:], atol=1e-8
    )
    np.testing.assert_allclose((V1 - V0) / (2 * h), A, atol=1e-7)


@pytest.mark.parametrize(
    "make", [px.planning.line, lambda a, b, **k: px.planning.arc(a, VIA, b, **k)]
)
@pytest.mark.parametrize(
    "limits", [([0.3, 9.0], [1.0, 99.0]), ([9.0, 1.0], [99.0, 2.0]), (0.5, 0.4)]
)
def test_limits_of_way_and_turn_are_kept(make, limits):
    path = make(START, END, velocity_limit=limits[0], acceleration_limit=limits[1])
    _, V, A = path(np.linspace(0, path.duration, 5001))
    for part, limit in zip((V, A), limits, strict=True):
        sizes = [np.linalg.norm(part[:, k : k + 3], axis=1).max() for k in (0, 3)]
        most = [*np.atleast_1d(limit), np.inf]
        assert sizes[0] <= most[0] * (1 + 1e-9) and sizes[1] <= most[1] * (1 + 1e-9)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: px.planning.line(START, START, 1.0), "same pose"),
        (lambda: px.planning.line(START, END), "nothing says how long this takes: give a duration"),
        (lambda: px.planning.line(START, END, -1.0), "positive time"),
        (lambda: px.planning.line(np.eye(3), END, 1.0), "4 × 4"),
        (lambda: px.planning.line(2 * np.eye(4), END, 1.0), "start is no pose"),
        (lambda: px.planning.line(START, END, velocity_limit=0, acceleration_limit=1), "positive"),
        (
            lambda: px.planning.line(px.Pose(), px.Pose.from_rpy([1, 0, 0], [np.pi, 0, 0]), 1.0),
            "half a turn",
        ),
        (
            lambda: px.planning.arc(px.Pose(), [1, 0, 0], px.Pose(translation=[2.0, 0, 0]), 1.0),
            "lie on a line",
        ),
        (
            lambda: px.planning.line(START, END, 0.1, velocity_limit=1.0, acceleration_limit=1.0),
            "too short",
        ),
    ],
)
def test_what_is_refused(call, words):
    with pytest.raises(px.InvalidInput, match=words):
        call()
