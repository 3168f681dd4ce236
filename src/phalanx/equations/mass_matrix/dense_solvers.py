"""Dense Cholesky and LU solvers written out over symbols, as forward dynamics of 1991 used.

:mod:`.factorization` knows which entries of M are zero; these do not, and cost what they cost.
"""

from __future__ import annotations

import casadi as ca
from casadi import SX


def cholesky(M: SX, b: SX) -> SX:
    """X with M x = b for a symmetric positive definite M: M = L Lᵀ and two substitutions.

    Reciprocals of the diagonal are kept, so that there are n divisions and n square roots.
    """
    n = M.shape[0]
    L: list[list[SX]] = [[SX(0)] * n for _ in range(n)]
    reciprocal: list[SX] = []
    for j in range(n):
        pivot = M[j, j] - _sum([L[j][k] * L[j][k] for k in range(j)])
        reciprocal.append(1 / ca.sqrt(pivot))
        for i in range(j + 1, n):
            rest = M[i, j] - _sum([L[i][k] * L[j][k] for k in range(j)])
            L[i][j] = rest * reciprocal[j]
    y: list[SX] = []
    for i in range(n):
        y.append((b[i] - _sum([L[i][k] * y[k] for k in range(i)])) * reciprocal[i])
    x: list[SX] = [SX(0)] * n
    for i in reversed(range(n)):
        rest = y[i] - _sum([L[k][i] * x[k] for k in range(i + 1, n)])
        x[i] = rest * reciprocal[i]
    return ca.vertcat(*x)


def lu(M: SX, b: SX) -> SX:
    """X with M x = b by M = L U, U with a unit diagonal, without exchanging rows.

    For matrices that need no exchanges, such as positive definite ones; symmetry is not used.
    """
    n = M.shape[0]
    A = [[M[i, j] for j in range(n)] for i in range(n)]
    y = [b[i] for i in range(n)]
    for k in range(n):
        reciprocal = 1 / A[k][k]
        A[k] = [*A[k][: k + 1], *(entry * reciprocal for entry in A[k][k + 1 :])]
        y[k] = y[k] * reciprocal
        for i in range(k + 1, n):
            A[i] = [
                *A[i][: k + 1],
                *(A[i][j] - A[i][k] * A[k][j] for j in range(k + 1, n)),
            ]
            y[i] = y[i] - A[i][k] * y[k]
    for k in reversed(range(n)):
        y[k] = y[k] - _sum([A[k][j] * y[j] for j in range(k + 1, n)])
    return ca.vertcat(*y)


def _sum(terms: list[SX]) -> SX:
    total = SX(0)
    for term in terms:
        total = total + term
    return total
