"""Column pivoting: which columns of a matrix span the others."""

from __future__ import annotations

import numpy as np

from phalanx.mechanism.pose import Array

RANK = 1e-7  # against the largest entry: postures close to 1e-12


def spanning_columns(A: Array) -> list[int]:
    """Numbers of independent columns, the largest first (QR with column pivoting)."""
    from scipy.linalg import qr  # takes long to import, and few machines have loops

    if not A.size:
        return []
    _, R, order = qr(A, mode="economic", pivoting=True)
    rank = int((np.abs(np.diag(R)) > RANK * max(float(np.abs(A).max()), 1e-300)).sum())
    return [int(k) for k in order[:rank]]
