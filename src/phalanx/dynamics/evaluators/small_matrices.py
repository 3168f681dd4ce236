"""Matrices of six rows between two stretches, over symbols."""

from __future__ import annotations

import casadi as ca
from casadi import SX


def mirrored(A: SX) -> SX:
    """The symmetric matrix with the upper triangle of A."""
    return ca.triu2symm(ca.triu(A))


def inverse(A: SX) -> SX:
    """A⁻¹ by elimination without pivots."""
    n = A.shape[0]
    rows = [ca.horzcat(A[k, :], SX.eye(n)[k, :]) for k in range(n)]
    for k in range(n):
        reciprocal = 1 / rows[k][k]
        for i in range(k + 1, n):
            rows[i] = rows[i] - rows[i][k] * reciprocal * rows[k]
    solved = [SX()] * n
    for k in reversed(range(n)):
        left = rows[k][:, n:]
        for j in range(k + 1, n):
            left = left - rows[k][j] * solved[j]
        solved[k] = left / rows[k][k]
    return ca.vertcat(*solved)
