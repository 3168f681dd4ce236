"""Pressure relief valves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import casadi as ca
from casadi import SX

from phalanx.actuators.hydraulics.checked import check_positive

# Part of the override over which the valve comes off its seat.
SOFT = 0.1


@final
@dataclass(frozen=True)
class Relief:
    """A spring-loaded valve to the tank.

    Attributes:
        pressure: At which it begins to open [Pa].
        override: Further pressure at which it passes its rated flow [Pa].
        flow: Rated flow [m³/s]; beyond, it grows in proportion.
    """

    pressure: float
    override: float
    flow: float

    def __post_init__(self) -> None:
        check_positive(self, "pressure", "override", "flow")

    def passed(self, pressure: SX) -> SX:
        """Flow to the tank [m³/s]: zero up to the set pressure, then a line, without a corner."""
        excess = ca.fmax(pressure - self.pressure, 0) / self.override
        return self.flow * excess**2 / ca.sqrt(excess**2 + SOFT**2)
