"""Interface of vector operations, in which the forms of this folder are written.

A form asks for operators *at* a place (which pass, which level, which segment of links) and gives
every operation the role that its result has in the source, T1 … T24 and others. So one text serves
CasADi's symbols, where places and roles are forgotten, and writers of task graphs, where each
operation becomes a task.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol, TypeVar

import casadi as ca
from casadi import SX

from phalanx.equations.spatial import cross

V = TypeVar("V")
M = TypeVar("M")
S = TypeVar("S")


class PassDirection(StrEnum):
    """Part of the algorithm that an operation belongs to."""

    JOINT = "joint"  # matrices of joints from their angles, where they are not given
    OUTWARD = "outward"  # motion, from the base to the tip
    OWN = "own"  # what a link needs by itself
    INWARD = "inward"  # loads, from the tip to the base
    READOUT = "readout"  # along the joint
    RETURN = "return"  # accelerations, from the base to the tip, once all loads are known


class VectorOperators(Protocol[V, M, S]):
    """Operations on vectors V, matrices M and scalars S at one place."""

    @property
    def two(self) -> S:
        """The number 2."""

    @property
    def zero(self) -> V:
        """The zero vector."""

    @property
    def unit(self) -> M:
        """The unit matrix."""

    def sum(self, role: str, x: V, y: V) -> V:
        """Sum x + y (the source's VA)."""

    def difference(self, role: str, x: V, y: V) -> V:
        """Difference x - y (VA)."""

    def scaled(self, role: str, s: S, x: V) -> V:
        """Multiple s x (SV)."""

    def cross(self, role: str, x: V, y: V) -> V:
        """Cross product x × y (VC)."""

    def dot(self, role: str, x: V, y: V) -> S:
        """Dot product x · y (VD)."""

    def added(self, role: str, x: S, y: S) -> S:
        """Sum of two numbers, on one of the adders of VA."""

    def subtracted(self, role: str, x: S, y: S) -> S:
        """Difference of two numbers, on one of the adders of VA."""

    def multiplied(self, role: str, x: S, y: S) -> S:
        """Product of two numbers, on one of the multipliers of SV."""

    def reciprocal(self, role: str, x: S) -> S:
        """One over a number (RC)."""

    def turned(self, role: str, A: M, x: V) -> V:
        """A x (MV)."""

    def turned_back(self, role: str, A: M, x: V) -> V:
        """Aᵀ x (MV)."""

    def product(self, role: str, A: M, B: M) -> M:
        """A B (MM)."""

    # numbers in another arrangement, which costs nothing

    def entry(self, x: V, k: int) -> S:
        """Component k of a vector, from 0."""

    def columns(self, A: M) -> tuple[V, V, V]:
        """Columns of a matrix."""

    def matrix(self, columns: Sequence[V]) -> M:
        """A matrix of three columns."""

    def transposed(self, A: M) -> M:
        """Aᵀ."""


class Workplace(Protocol[V, M, S]):
    """Provider of vector operators for a place in the algorithm."""

    def at(
        self, direction: PassDirection, level: int, first: int, last: int
    ) -> VectorOperators[V, M, S]:
        """Operators for links ``first`` to ``last``, joined at ``level``."""


class Symbols:
    """Operations of CasADi's symbols, wherever they belong."""

    two, zero, unit = SX(2), SX.zeros(3, 1), SX.eye(3)

    def at(self, direction: PassDirection, level: int, first: int, last: int) -> Symbols:
        """The same everywhere."""
        return self

    def sum(self, role: str, x: SX, y: SX) -> SX:
        """Sum x + y."""
        return x + y

    def difference(self, role: str, x: SX, y: SX) -> SX:
        """Difference x - y."""
        return x - y

    def scaled(self, role: str, s: SX, x: SX) -> SX:
        """Multiple s x."""
        return s * x

    def cross(self, role: str, x: SX, y: SX) -> SX:
        """Cross product x × y."""
        return cross(x, y)

    def dot(self, role: str, x: SX, y: SX) -> SX:
        """Dot product x · y."""
        return x.T @ y

    def added(self, role: str, x: SX, y: SX) -> SX:
        """Sum of two numbers."""
        return x + y

    def subtracted(self, role: str, x: SX, y: SX) -> SX:
        """Difference of two numbers."""
        return x - y

    def multiplied(self, role: str, x: SX, y: SX) -> SX:
        """Product of two numbers."""
        return x * y

    def reciprocal(self, role: str, x: SX) -> SX:
        """One over a number."""
        return 1 / x

    def turned(self, role: str, A: SX, x: SX) -> SX:
        """A x."""
        return A @ x

    def turned_back(self, role: str, A: SX, x: SX) -> SX:
        """Aᵀ x."""
        return A.T @ x

    def product(self, role: str, A: SX, B: SX) -> SX:
        """A B."""
        return A @ B

    def entry(self, x: SX, k: int) -> SX:
        """Component k of a vector, from 0."""
        return x[k]

    def columns(self, A: SX) -> tuple[SX, SX, SX]:
        """Columns of a matrix."""
        return A[:, 0], A[:, 1], A[:, 2]

    def matrix(self, columns: Sequence[SX]) -> SX:
        """A matrix of three columns."""
        return ca.horzcat(*columns)

    def transposed(self, A: SX) -> SX:
        """Aᵀ."""
        return A.T
