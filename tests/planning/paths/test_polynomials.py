"""Pieces of polynomials: a kernel, a law and NumPy agree; peaks are peaks."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import phalanx as px
from phalanx.planning.paths.polynomials import MOST_IN_A_LAW, Polynomials, between


def some_pieces(n=3, k=4, seed=0):
    rng = np.random.default_rng(seed)
    times = np.concatenate([[0.0], np.cumsum(rng.uniform(0.1, 2.0, k))])
    return Polynomials(times, rng.normal(size=(k, 6, n)))


@pytest.mark.parametrize("count", [1, 7, 1023, 1024, 1025, 3000])
def test_the_kernel_is_what_numpy_says_of_each_piece(count):
    pieces = some_pieces()
    t = np.random.default_rng(1).uniform(0, pieces.duration, count)
    got = pieces.motion(t)
    for row in range(0, count, max(1, count // 50)):
        k = np.searchsorted(pieces.times, t[row], side="right") - 1
        h = pieces.times[k + 1] - pieces.times[k]
        s = (t[row] - pieces.times[k]) / h
        for order in range(3):
            c = [np.polyder(pieces.coefficients[k, ::-1, j], order) for j in range(3)]
            expected = [np.polyval(one, s) / h**order for one in c]
            np.testing.assert_allclose(got[order][row], expected, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("k", [1, 2, 9])
def test_the_law_is_the_table(k):
    path = px.planning.Path.of(some_pieces(k=k))
    t = np.linspace(0, path.duration, 101)
    for law, table in zip(path.trajectory(t), path(t), strict=True):
        np.testing.assert_allclose(law, table, rtol=1e-12, atol=1e-12)


def test_before_its_begin_and_after_its_end_a_path_stands():
    path = px.planning.quintic([0.0, 1.0], [1.0, 3.0], 2.0, velocities=[[1.0, 2.0], [-1.0, 1.0]])
    for sampled in (path, path.trajectory):
        q, v, a = sampled(np.array([-0.5, 0.0, 2.0, 2.5]))
        np.testing.assert_allclose(q, [[0, 1], [0, 1], [1, 3], [1, 3]], atol=1e-14)
        np.testing.assert_allclose(v, [[0, 0], [1, 2], [-1, 1], [0, 0]], atol=1e-13)
        assert not a[[0, 3]].any()


def test_times_have_any_shape():
    path = px.planning.quintic([0.0, 1.0], [1.0, 3.0], 2.0)
    t = np.linspace(0, 2, 12).reshape(3, 2, 2)
    q, _, _ = path(t)
    assert q.shape == (3, 2, 2, 2) and path(0.5)[0].shape == (2,)
    np.testing.assert_array_equal(q[1, 0, 1], path(t[1, 0, 1])[0])
    assert path(np.zeros((0,)))[0].shape == (0, 2)


def test_peaks_are_the_largest_values_and_are_reached():
    for seed in range(5):
        pieces = some_pieces(seed=seed)
        t = np.linspace(0, pieces.duration, 200_001)
        for found, sampled in zip(pieces.peaks(), pieces.motion(t)[1:], strict=True):
            most = np.abs(sampled).max(axis=0)
            assert (found >= most * (1 - 1e-12)).all()
            np.testing.assert_allclose(found, most, rtol=1e-3)


def test_states_at_both_ends_make_a_quintic():
    rng = np.random.default_rng(2)
    first, last = rng.normal(size=(3, 2, 4)), rng.normal(size=(3, 2, 4))
    h = np.array([[0.3], [2.0]])
    c = between(h, first, last)
    pieces = Polynomials(np.array([0.0, 0.3, 2.3]), c)
    begin, almost = pieces.motion(np.array([0.0, 0.3])), pieces.motion(np.array([2.3]))
    for order in range(3):
        np.testing.assert_allclose(begin[order], first[order], atol=1e-10)
        np.testing.assert_allclose(almost[order][0], last[order][1], atol=1e-9)


def test_a_path_of_too_many_pieces_is_no_law():
    k = MOST_IN_A_LAW // 6 + 1
    pieces = Polynomials(np.arange(k + 1.0), np.ones((k, 6, 1)))
    with pytest.raises(px.InvalidInput, match=f"{k:,} pieces"):
        px.planning.Path.of(pieces).trajectory.function(ca.SX.sym("t"))
    with pytest.raises(px.InvalidInput, match="numbers only"):
        _ = px.planning.Path(1.0, lambda t: (t, t, t)).trajectory
