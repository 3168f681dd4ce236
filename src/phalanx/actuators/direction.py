"""Direction of friction: the sign of a velocity, and its regularization near rest."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import inf
from typing import final

import casadi as ca
from casadi import SX

from phalanx.base.arguments import check_fields
from phalanx.base.errors import InvalidInput


class Direction(ABC):
    """A rule that makes a direction, -1 to 1, of each joint's velocity."""

    @abstractmethod
    def __call__(self, v: SX, tau: SX) -> SX:
        """Directions at velocities v when the links need the joint forces tau, shapes (n,)."""


@final
@dataclass(frozen=True)
class Sign(Direction):
    """The sign of the velocity; at rest 0, so that a machine at rest shows no friction."""

    def __call__(self, v: SX, tau: SX) -> SX:
        return ca.sign(v)


@final
@dataclass(frozen=True)
class AboutToMove(Direction):
    """The sign of the velocity; at rest that of the joint force: what it takes to break away."""

    def __call__(self, v: SX, tau: SX) -> SX:
        return ca.if_else(v == 0, ca.sign(tau), ca.sign(v))


@final
@dataclass(frozen=True)
class Smooth(Direction):
    """tanh(v / slip), for integrators and derivatives.

    Attributes:
        slip: Velocity at which 76 % of the full friction is reached [rad/s or m/s].
    """

    slip: float = 1e-2

    def __post_init__(self) -> None:
        check_fields(self)
        if not 0 < self.slip < inf:
            raise InvalidInput(f"the slip velocity of friction must be positive, got {self.slip}.")

    def __call__(self, v: SX, tau: SX) -> SX:
        return ca.tanh(v / self.slip)
