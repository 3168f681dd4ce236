"""Sparse LᵀDL factorization of the mass matrix, from the leaves to the root."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import casadi as ca
from casadi import SX


@dataclass(frozen=True)
class Factorization:
    """M = Lᵀ D L with unit lower-triangular L; ``below[k]`` holds the entries of row k."""

    below: list[dict[int, SX]]
    pivots: list[SX]  # D
    reciprocal: list[SX]  # of D

    def solve(self, b: SX) -> SX:
        """X with M x = b, for a vector or the columns of a matrix."""
        return self.outward(self.inward(b))

    def inward(self, b: SX) -> SX:
        """L⁻ᵀ b: what is left of each row when those after it are eliminated."""
        x = [b[k, :] for k in range(len(self.below))]
        for k in reversed(range(len(x))):
            for i, entry in self.below[k].items():
                x[i] = x[i] - entry * x[k]
        return ca.vertcat(*x)

    def outward(self, y: SX) -> SX:
        """L⁻¹ D⁻¹ y: the solution from what :meth:`inward` left."""
        x = [y[k, :] * r for k, r in enumerate(self.reciprocal)]
        for k, row in enumerate(self.below):
            for i, entry in row.items():
                x[k] = x[k] - entry * x[i]
        return ca.vertcat(*x)

    def inverse(self) -> SX:
        """M⁻¹, row by row from the root.

        In L M⁻¹ = D⁻¹ L⁻ᵀ the right side is upper triangular with D⁻¹ on its diagonal, so every
        entry left of the diagonal follows from rows before it (and their mirror images): neither
        L⁻¹ nor a product is formed. Entries between branches that nothing ties stay zero.

        Reference:
            Takahashi, Fagan and Chin (1973), Formation of a sparse bus impedance matrix.
        """
        n = len(self.below)
        Y = SX(n, n)
        for i, row in enumerate(self.below):
            for j in range(i):
                entry = _sum([L * Y[k, j] for k, L in row.items() if Y.sparsity().has_nz(k, j)])
                if entry is not None:
                    Y[i, j] = Y[j, i] = -entry
            entry = _sum([L * Y[k, i] for k, L in row.items() if Y.sparsity().has_nz(k, i)])
            Y[i, i] = self.reciprocal[i] if entry is None else self.reciprocal[i] - entry
        return Y


def _sum(terms: list[SX]) -> SX | None:
    return reduce(operator.add, terms) if terms else None


def factorize(M: SX, lost: Sequence[float | SX] | None = None) -> Factorization:
    """Factorize a symmetric positive definite M as Lᵀ D L.

    Eliminating the last coordinate first makes no new entries when M is a tree's: coordinate k
    meets only its ancestors. Where coordinates are shared between branches (mimic joints), what
    fills in is computed like the rest.

    Args:
        M: The matrix.
        lost: Pivots that are as small as this are zero but for rounding: their rows drop out,
            smoothly. None where M is safely positive.

    Reference:
        Featherstone (2008), ch. 6.5.
    """
    n = M.shape[0]
    rows: list[dict[int, SX]] = [
        {i: M[k, i] for i in range(k + 1) if M.sparsity().has_nz(k, i)} for k in range(n)
    ]
    below: list[dict[int, SX]] = [{} for _ in range(n)]
    pivots, reciprocal = [SX(0)] * n, [SX(0)] * n
    for k in reversed(range(n)):
        pivots[k] = pivot = rows[k].pop(k)
        reciprocal[k] = 1 / pivot if lost is None else pivot / (pivot**2 + lost[k] ** 2)
        below[k] = {i: entry * reciprocal[k] for i, entry in rows[k].items()}
        for i, scaled in below[k].items():
            for j, entry in rows[k].items():
                if j <= i:
                    rows[i][j] = rows[i].get(j, SX(0)) - scaled * entry
    return Factorization(below, pivots, reciprocal)
