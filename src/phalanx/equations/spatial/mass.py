"""Spatial inertia as moments of mass: mass, first and second moment."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
from casadi import SX

from phalanx.equations.spatial.acceleration import Acceleration
from phalanx.equations.spatial.pairs import Twist, Wrench
from phalanx.equations.spatial.poses import Transform
from phalanx.equations.spatial.vectors import (
    columnwise_cross,
    cross,
    symmetric,
    vector,
    without_rounding,
    zero,
)


@dataclass(frozen=True)
class FirstMoments:
    """Mass [kg] and first moment [kg·m] of a body about its frame origin: where its weight acts."""

    m: SX
    h: SX

    def __add__(self, other: FirstMoments) -> FirstMoments:
        """Two bodies as one."""
        return FirstMoments(self.m + other.m, self.h + other.h)

    def into_parent(self, X: Transform) -> FirstMoments:
        """The same mass, about the parent frame's origin and in its axes."""
        return FirstMoments(self.m, X.rotation.into_parent(self.h) + self.m * X.translation)


@dataclass(frozen=True)
class MassMoments:
    """Moments of a body's mass about its frame origin.

    Attributes:
        m: Mass [kg], ∫dm.
        h: First moment [kg·m], ∫r dm.
        J: Second moment [kg·m²], ∫r rᵀ dm; the inertia tensor is tr(J) 1 - J.
    """

    m: SX
    h: SX
    J: SX

    @staticmethod
    def none() -> MassMoments:
        """No mass."""
        return MassMoments(SX(0), zero(), SX.zeros(3, 3))

    @staticmethod
    def of(mass: SX, com: SX, inertia: SX) -> MassMoments:
        """From mass, centre of mass and inertia tensor about it."""
        J = ca.trace(inertia) / 2 * SX.eye(3) - inertia
        return MassMoments(mass, mass * com, J + mass * (com @ com.T))

    def __add__(self, other: MassMoments) -> MassMoments:
        """Two bodies as one."""
        return MassMoments(self.m + other.m, self.h + other.h, self.J + other.J)

    def __sub__(self, other: MassMoments) -> MassMoments:
        """A body without one of its parts."""
        return MassMoments(self.m - other.m, self.h - other.h, self.J - other.J)

    def into_parent(self, X: Transform) -> MassMoments:
        """The same mass, about the parent frame's origin and in its axes."""
        h, p = X.rotation.into_parent(self.h), X.translation
        hp = h @ p.T
        return MassMoments(
            self.m,
            h + self.m * p,
            X.rotation.symmetric_into_parent(self.J) + hp + hp.T + self.m * (p @ p.T),
        )

    def tidy(self) -> MassMoments:
        """The same with what rounding left of zeros removed."""
        return MassMoments(self.m, without_rounding(self.h), without_rounding(self.J))

    @property
    def first(self) -> FirstMoments:
        """Without the second moment."""
        return FirstMoments(self.m, self.h)

    @property
    def inertia(self) -> SX:
        """The inertia tensor about the origin [kg·m²]."""
        J = self.J
        return symmetric(
            J[1, 1] + J[2, 2], -J[0, 1], -J[0, 2], J[0, 0] + J[2, 2], -J[1, 2], J[0, 0] + J[1, 1]
        )

    def momentum(self, V: Twist) -> Wrench:
        """Angular momentum about the origin and linear momentum of a body that moves by ``V``."""
        w, u = V.angular, V.linear
        angular = self.inertia @ w + columnwise_cross(self.h, u)
        return Wrench(angular, self.m * u + columnwise_cross(w, self.h))

    def wrench(self, A: Acceleration) -> Wrench:
        """The wrench at the origin that gives the body this acceleration.

        The moment is the vector of L J - (L J)ᵀ. Where both moments of a pair are there, it is
        written with products of w and with dw, which asks for no entry of L: they are needed
        for lever arms only, and many bodies have none.
        """
        J, h, w, dw, L = self.J, self.h, A.w, A.dw, A.L
        rows = []
        for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            if self._both_known(j, k):
                own = w[j] * w[k] * (J[j, j] - J[k, k]) + dw[i] * (J[j, j] + J[k, k])
            else:
                own = L[k, j] * J[j, j] - L[j, k] * J[k, k]
            # what both sides of an off-diagonal entry share is taken together
            shared = (w[k] * w[k] - w[j] * w[j]) * J[j, k]
            rows.append(own + shared + L[k, i] * J[i, j] - L[j, i] * J[i, k])
        return Wrench(vector(*rows) + cross(h, A.a), L @ h + self.m * A.a)

    def _both_known(self, j: int, k: int) -> bool:
        """Whether two second moments are numbers, none of them zero."""
        pair = self.J[j, j], self.J[k, k]
        return all(entry.is_constant() and not entry.is_zero() for entry in pair)
