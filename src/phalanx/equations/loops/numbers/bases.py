"""Null-space bases of the loop constraints, as numbers: five ways to choose one.

S spans the null space of A, and R goes across it: A S = 0, A R = 1. A *fresh* basis is decomposed
from A at every posture. It is orthonormal, and free to turn within its span from one posture to the
next, so that velocities along it are no coordinates of anything. A *held* basis is bound to a
constant N, chosen once: [A; Nᵀ]⁻¹ = [R S]. It follows the posture smoothly until that matrix is
nearly singular, and then another N has to be chosen.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import final

import numpy as np

from phalanx.mechanism.pose import Array


@dataclass(frozen=True)
class Basis:
    """Free directions S, shape (n, n - m), and a way across them R, shape (n, m)."""

    S: Array
    R: Array


class FreshBasis(ABC):
    """Decomposes A at every posture; A has full row rank."""

    @abstractmethod
    def free(self, A: Array) -> Array:
        """Orthonormal columns that span the null space of A."""

    def of(self, A: Array) -> Basis:
        """The basis at a posture, with R = A⁺."""
        return Basis(self.free(A), pseudo_inverse(A))


@final
@dataclass(frozen=True)
class ProjectorSvd(FreshBasis):
    """Left singular vectors of the projector 1 - A⁺A.

    The projector's singular values that are not zero are all one, so with more than one freedom any
    rotation of the basis is as good, and rounding decides: it jumps. Integrate velocities of the
    joints with it, never velocities along it.

    Reference:
        Yun and Sarkar (1998); Khan (2002), eqs. 2.20-2.23.
    """

    def free(self, A: Array) -> Array:
        return self.of(A).S

    def of(self, A: Array) -> Basis:
        """The basis at a posture; A⁺ is computed once for S and R."""
        m, n = A.shape
        across = pseudo_inverse(A)
        U, _, _ = np.linalg.svd(np.eye(n) - across @ A)
        return Basis(U[:, : n - m], across)


@final
@dataclass(frozen=True)
class Svd(FreshBasis):
    """Right singular vectors of A that belong to no singular value.

    Reference:
        Khan (2002), app. A.1.
    """

    def free(self, A: Array) -> Array:
        return np.linalg.svd(A)[2][len(A) :].T


@final
@dataclass(frozen=True)
class Qr(FreshBasis):
    """Last columns of Q in Aᵀ = Q R.

    Householder's reflections make a smooth Q of a smooth A as long as no leading part of A loses
    rank.

    Reference:
        Khan (2002), app. A.2.
    """

    def free(self, A: Array) -> Array:
        return np.linalg.qr(A.T, mode="complete")[0][:, len(A) :]


def pseudo_inverse(A: Array) -> Array:
    """A⁺ = Aᵀ (A Aᵀ)⁻¹ of a matrix with full row rank."""
    return np.asarray(np.linalg.solve(A @ A.T, A).T, dtype=np.float64)


class HeldBasis(ABC):
    """Chooses an N now and then, and keeps it as long as it serves."""

    @abstractmethod
    def select(self, A: Array) -> Array:
        """The N that serves best at a posture, shape (n, n - m)."""


@final
@dataclass(frozen=True)
class FrozenBasis(HeldBasis):
    """N is a fresh basis of the posture at which it was chosen.

    Reference:
        Kim and Vanderploeg (1986); Khan (2002), eqs. A.10-A.14.
    """

    fresh: FreshBasis = field(default_factory=Qr)

    def select(self, A: Array) -> Array:
        return self.fresh.free(A)


@final
@dataclass(frozen=True)
class Gaussian(HeldBasis):
    """N picks coordinates: those that elimination with total pivoting leaves over.

    Attributes:
        independent: Numbers of coordinates to start with instead, whether they serve or not.

    Reference:
        Serna, Avilés and García de Jalón (1982); Khan (2002), app. A.3.
    """

    independent: tuple[int, ...] | None = None

    def select(self, A: Array) -> Array:
        return selector(A.shape[1], left_over(A))


def left_over(A: Array) -> tuple[int, ...]:
    """Columns that are no pivot when A is eliminated with total pivoting, in order."""
    work = np.array(A, dtype=np.float64)
    m, n = work.shape
    rows, columns = list(range(m)), list(range(n))
    for _ in range(m):
        part = np.abs(work[np.ix_(rows, columns)])
        i, j = np.unravel_index(int(part.argmax()), part.shape)
        row, column = rows.pop(int(i)), columns.pop(int(j))
        pivot = work[row] / work[row, column]
        work[rows] -= np.outer(work[rows, column], pivot)
    return tuple(columns)


def selector(n: int, picked: tuple[int, ...]) -> Array:
    """Columns of the unit matrix: Nᵀ v are the picked entries of v."""
    return np.eye(n)[:, list(picked)]


def held(A: Array, N: Array) -> Basis:
    """The basis bound to N at a posture.

    Raises:
        numpy.linalg.LinAlgError: N does not serve at this posture at all.
    """
    inverse = np.linalg.inv(np.vstack([A, N.T]))
    return Basis(inverse[:, len(A) :], inverse[:, : len(A)])


def condition(A: Array, N: Array) -> float:
    """How far N is from not serving: the condition number of [A; Nᵀ]."""
    values = np.linalg.svd(np.vstack([A, N.T]), compute_uv=False)
    return float(values[0] / values[-1]) if values[-1] > 0 else np.inf


def jump(before: Basis, after: Basis) -> float:
    """How far a basis has moved: the largest change of a direction, 2 for one that reverses."""
    return float(np.linalg.norm(after.S - before.S, axis=0).max(initial=0.0))
