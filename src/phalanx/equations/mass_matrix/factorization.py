"""Sparse factorization of the mass matrix, from the leaves to the root."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
from casadi import SX


@dataclass(frozen=True)
class Factorization:
    """M = Lᵀ D L with unit lower-triangular L; ``below[k]`` holds the entries of row k."""

    below: list[dict[int, SX]]
    reciprocal: list[SX]  # of D

    def solve(self, b: SX) -> SX:
        """X with M x = b, for a vector or the columns of a matrix."""
        x = [b[k, :] for k in range(len(self.below))]
        for k in reversed(range(len(x))):
            for i, entry in self.below[k].items():
                x[i] = x[i] - entry * x[k]
        x = [row * r for row, r in zip(x, self.reciprocal, strict=True)]
        for k, row in enumerate(self.below):
            for i, entry in row.items():
                x[k] = x[k] - entry * x[i]
        return ca.vertcat(*x)


def factorize(M: SX) -> Factorization:
    """Factorize a symmetric positive definite M as Lᵀ D L.

    Eliminating the last coordinate first makes no new entries when M is a tree's: coordinate k
    meets only its ancestors. Where coordinates are shared between branches (mimic joints), what
    fills in is computed like the rest.

    Reference:
        Featherstone (2008), ch. 6.5.
    """
    n = M.shape[0]
    rows: list[dict[int, SX]] = [
        {i: M[k, i] for i in range(k + 1) if M.sparsity().has_nz(k, i)} for k in range(n)
    ]
    below: list[dict[int, SX]] = [{} for _ in range(n)]
    reciprocal = [SX(0)] * n
    for k in reversed(range(n)):
        pivot = rows[k].pop(k)
        reciprocal[k] = 1 / pivot
        below[k] = {i: entry * reciprocal[k] for i, entry in rows[k].items()}
        for i, scaled in below[k].items():
            for j, entry in rows[k].items():
                if j <= i:
                    rows[i][j] = rows[i].get(j, SX(0)) - scaled * entry
    return Factorization(below, reciprocal)
