"""Incremental QR: the triangle of a tall matrix, block by block.

Blocks are so small that each is factorized by one thread. Libraries share out tall matrices to
threads that wait for each other, which on a busy machine takes a hundred times as long.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

BLOCK = 64  # rows, at least


def triangle(A: Array) -> Array:
    """R with RᵀR = AᵀA, as many rows as columns, shape (p, p)."""
    p = A.shape[1]
    rows = max(2 * p, BLOCK)
    while len(A) > rows:
        blocks = -(-len(A) // rows)
        padded = np.zeros((blocks * rows, p))
        padded[: len(A)] = A
        A = _upper(padded.reshape(blocks, rows, p)).reshape(-1, p)
    R, last = np.zeros((p, p)), _upper(A)
    R[: len(last)] = last
    return R


def _upper(A: Array) -> Array:
    return np.asarray(np.linalg.qr(A, mode="r"))


def squares(A: Array) -> Array:
    """AᵀA of each matrix of a batch (..., rows, p)."""
    *batch, rows, p = A.shape
    blocks = -(-rows // BLOCK)
    padded = np.zeros((*batch, blocks * BLOCK, p))
    padded[..., :rows, :] = A
    parts = padded.reshape(*batch, blocks, BLOCK, p)
    return np.asarray((np.swapaxes(parts, -1, -2) @ parts).sum(axis=-3))
