"""A journal bearing by the printed equations 3.1 to 3.3, which are not in equilibrium.

Both components of the moment have the same sign there; :class:`phalanx.actuators.Journal` has the
signs of statics.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import casadi as ca
from casadi import SX

from phalanx.actuators.bearings import Bearing, Journal


@final
@dataclass(frozen=True)
class PrintedJournal(Bearing):
    """A shaft in two supports, as printed.

    Attributes:
        friction: Coefficient of friction.
        radius: Of the shaft [m].
        span: Distance of the supports [m].
    """

    friction: float
    radius: float
    span: float

    turns = True

    def loads(self, f: SX, n: SX) -> tuple[SX, SX]:
        """Forces across the axis [N] on the two supports, shape (2,) each."""
        return self._journal.loads(f, ca.vertcat(-n[0], n[1], n[2]))

    def resistance(self, f: SX, n: SX) -> SX:
        """Size of the friction [N·m] under force and moment."""
        return self._journal.resistance(f, ca.vertcat(-n[0], n[1], n[2]))

    @property
    def _journal(self) -> Journal:
        return Journal(self.friction, self.radius, self.span)
