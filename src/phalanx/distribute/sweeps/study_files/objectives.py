"""Running costs of rollouts (effort, work, distance), as rates over symbols that can be pickled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import casadi as ca
from casadi import SX


@final
@dataclass(frozen=True)
class Effort:
    """The integral of squared joint forces [N²·m²·s]."""

    def __call__(self, q: SX, v: SX, tau: SX) -> SX:
        """The rate, |tau|²."""
        return ca.sumsqr(tau)


@final
@dataclass(frozen=True)
class JointWork:
    """Work that joints do and take back, both counted [J]."""

    def __call__(self, q: SX, v: SX, tau: SX) -> SX:
        """The rate, Σ |tau v|."""
        return ca.sum1(ca.fabs(tau * v))


@final
@dataclass(frozen=True)
class Distance:
    """The integral of the squared distance from a posture [rad²·s].

    Attributes:
        target: The posture, shape (nq,).
    """

    target: tuple[float, ...]

    def __call__(self, q: SX, v: SX, tau: SX) -> SX:
        """The rate, |q - target|²."""
        return ca.sumsqr(q - ca.DM(self.target))


# by name; those that need a posture take it
OBJECTIVES = {"effort": Effort, "work": JointWork, "distance": Distance}
