"""Bearing friction of a joint, from the load that it carries.

A bearing is data: coefficient of friction and dimensions. Loads come as force f and moment n at the
joint's origin, midway between its supports, in axes whose z is the joint's axis. What a bearing
returns is a size: friction acts against the motion.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import inf
from typing import Any, final

import casadi as ca
from casadi import SX

from phalanx.base.arguments import check_fields
from phalanx.base.errors import InvalidInput

# Under a root, so that its derivative stays finite where nothing is carried: 1e-12 N at most.
LEAST_LOAD_SQUARED = 1e-24


class Bearing(ABC):
    """Something that carries a joint and rubs."""

    friction: float
    turns: bool  # for joints that turn; otherwise for joints that slide

    @abstractmethod
    def resistance(self, f: SX, n: SX) -> SX:
        """Size of the friction [N·m, or N in a slide] under force and moment, shape (3,) each."""


@final
@dataclass(frozen=True)
class Journal(Bearing):
    """A shaft in two supports: the load across the axis presses on both.

    Attributes:
        friction: Coefficient of friction.
        radius: Of the shaft [m].
        span: Distance of the supports [m].

    Reference:
        Dhanaraj (1990), equations 3.1 to 3.3 and table 3.1, with a sign corrected (see
        ``studies/dhanaraj/printed_journal.py``).
    """

    friction: float
    radius: float
    span: float

    turns = True

    def __post_init__(self) -> None:
        check_fields(self)
        _check(self, "friction", "radius")
        _check(self, "span", zero=False)

    def loads(self, f: SX, n: SX) -> tuple[SX, SX]:
        """Forces across the axis [N] on the supports at z = span/2 and -span/2, shape (2,) each.

        Their sum is f and their moment about the origin is n, across the axis.
        """
        half = ca.vertcat(f[0], f[1]) / 2
        couple = ca.vertcat(n[1], -n[0]) / self.span
        return half + couple, half - couple

    def resistance(self, f: SX, n: SX) -> SX:
        """μ r (|upper load| + |lower load|); without a moment μ r √(f_x² + f_y²)."""
        upper, lower = self.loads(f, n)
        return self.friction * self.radius * (_length(upper) + _length(lower))


@final
@dataclass(frozen=True)
class Linear(Bearing):
    """A slide in two supports, each guided on faces across x and across y.

    Attributes:
        friction: Coefficient of friction.
        span: Distance of the supports [m].

    Reference:
        Dhanaraj (1990), equation 3.4 and table 3.1.
    """

    friction: float
    span: float

    turns = False

    def __post_init__(self) -> None:
        check_fields(self)
        _check(self, "friction")
        _check(self, "span", zero=False)

    def loads(self, f: SX, n: SX) -> tuple[SX, SX]:
        """Forces across the axis [N] on the supports at z = span/2 and -span/2, shape (2,) each."""
        half, couple = ca.vertcat(f[0], f[1]) / 2, ca.vertcat(n[1], -n[0]) / self.span
        return half + couple, half - couple

    def resistance(self, f: SX, n: SX) -> SX:
        """μ times the sum of the loads on all four faces."""
        upper, lower = self.loads(f, n)
        return self.friction * ca.sum1(ca.fabs(upper) + ca.fabs(lower))


@final
@dataclass(frozen=True)
class Thrust(Bearing):
    """A collar that carries the load along the axis of a turning joint.

    Attributes:
        friction: Coefficient of friction.
        radius: Mean radius of the collar [m].

    Reference:
        Dhanaraj (1990), table 3.1; equation 3.5 prints f_x for f_z.
    """

    friction: float
    radius: float

    turns = True

    def __post_init__(self) -> None:
        check_fields(self)
        _check(self, "friction", "radius")

    def resistance(self, f: SX, n: SX) -> SX:
        """μ r |f_z|."""
        return self.friction * self.radius * ca.fabs(f[2])


def _length(load: SX) -> SX:
    return ca.sqrt(load[0] * load[0] + load[1] * load[1] + LEAST_LOAD_SQUARED)


def _check(owner: Any, *names: str, zero: bool = True) -> None:
    for name in names:
        value = getattr(owner, name)
        if not (0 < value < inf or (zero and value == 0)):
            raise InvalidInput(
                f"the {name} of a {type(owner).__name__.lower()} bearing is {value}; expected a "
                f"{'number that is not negative' if zero else 'positive number'}."
            )
