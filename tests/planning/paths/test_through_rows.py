"""A path through rows is what they say, and does not ring where an acceleration jumps."""

from __future__ import annotations

import numpy as np

import phalanx as px
from phalanx.planning import Waypoints, demo_waypoints
from phalanx.planning.paths.through_rows import path_through


def test_a_polynomial_of_the_fifth_degree_is_reproduced():
    t = np.array([1.0, 1.3, 2.1, 2.2])
    path = path_through(
        t, *(np.polyval(np.polyder([1, -2, 0, 3, 1, 5], k), t)[:, None] for k in range(3))
    )
    s = np.linspace(0, 1.2, 17)
    for k, part in enumerate(path(s)):
        expected = np.polyval(np.polyder([1, -2, 0, 3, 1, 5], k), s + 1.0)
        np.testing.assert_allclose(part[:, 0], expected, atol=1e-9)


def test_rows_come_out_as_they_went_in():
    rows = demo_waypoints(px.library.puma560()).path().sample(0.01)
    again = path_through(rows.times, *rows.parts).sample(0.01)
    for one, other in zip(again.parts, rows.parts, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-9)


def test_it_does_not_ring_at_a_jump():
    t = np.arange(21) * 0.1
    a = np.where(t < 1, 2.0, -2.0)
    v = np.where(t < 1, 2 * t, 2 - 2 * (t - 1))
    q = np.where(t < 1, t**2, 1 + 2 * (t - 1) - (t - 1) ** 2)
    fine = np.linspace(0, 2, 401)
    far = (np.abs(fine - 1) > 0.11).nonzero()[0]
    path = path_through(t, q[:, None], v[:, None], a[:, None])
    np.testing.assert_allclose(np.abs(path(fine)[2][far, 0]), 2.0, atol=1e-9)
    spline = Waypoints(t, q[:, None]).path()
    assert np.abs(np.abs(spline(fine)[2][far, 0]) - 2.0).max() > 0.1, "as a spline does"
