"""Momentum flow of composite bodies, for Coriolis terms and derivatives of dynamics.

Beside the mass moments of a composite this carries the flow ``P = ∫ ẋ rᵀ dm`` and ``p = ∫ ẋ dm``.
Twelve numbers, additive over bodies, they hold all that velocity contributes to Coriolis forces:
moving the composite with a further angular velocity s adds the force s × p and, about the origin,
the moment tr(P) s - P s.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
from casadi import SX

from phalanx.equations.spatial import (
    MassMoments,
    Transform,
    Twist,
    Wrench,
    columnwise_cross,
    skew,
)


@dataclass(frozen=True)
class MomentumFlow:
    """Flow of mass of a moving (composite) body, in some axes, about their origin."""

    P: SX
    p: SX

    @staticmethod
    def of(mass: MassMoments, V: Twist) -> MomentumFlow:
        """Flow of a body that moves by V."""
        w, u = V.angular, V.linear
        return MomentumFlow(skew(w) @ mass.J + u @ mass.h.T, mass.m * u + ca.cross(w, mass.h))

    def __add__(self, other: MomentumFlow) -> MomentumFlow:
        """Two bodies together."""
        return MomentumFlow(self.P + other.P, self.p + other.p)

    def into_parent(self, X: Transform) -> MomentumFlow:
        """About the parent origin, in parent axes."""
        p = X.rotation.into_parent(self.p)
        return MomentumFlow(X.rotation.tensor_into_parent(self.P) + p @ X.translation.T, p)

    def wrench(self, s: SX) -> Wrench:
        """What a further angular velocity (columns s) asks for."""
        return Wrench(ca.trace(self.P) * s - self.P @ s, columnwise_cross(s, self.p))

    def response(self, S: Twist) -> SX:
        """The 3-vectors k with ``k · s`` the power of ``wrench(s)`` along unit motions S."""
        s = S.angular
        return ca.trace(self.P) * s - self.P.T @ s + columnwise_cross(self.p, S.linear)
