"""A tall matrix and its small triangle have the same columns, but for a rotation."""

from __future__ import annotations

import numpy as np
import pytest

from phalanx.identification.incremental_qr import BLOCK, squares, triangle


@pytest.mark.parametrize("rows", [1, 3, 7, BLOCK, BLOCK + 1, 1000, 5003])
@pytest.mark.parametrize("columns", [1, 7, 50])
def test_lengths_and_angles_stay(rows, columns):
    A = np.random.default_rng(rows).normal(size=(rows, columns))
    R = triangle(A)
    assert R.shape == (columns, columns) and not np.tril(R, -1).any()
    np.testing.assert_allclose(R.T @ R, A.T @ A, atol=1e-11 * rows)


def test_digits_that_squares_would_lose():
    """A direction 1e-10 as long as the others is seen, where AᵀA would have rounded it away."""
    A = np.random.default_rng(0).normal(size=(3000, 5)) * [1, 1, 1, 1, 1e-10]
    A[:, 4] += A[:, 0]
    values = np.linalg.svd(triangle(A), compute_uv=False)
    np.testing.assert_allclose(values, np.linalg.svd(A, compute_uv=False), rtol=1e-4)


def test_squares_of_a_batch():
    A = np.random.default_rng(0).normal(size=(3, 200, 4))
    np.testing.assert_allclose(squares(A), np.swapaxes(A, 1, 2) @ A, atol=1e-12)
