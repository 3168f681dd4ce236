"""Pressure-compensated variable pump, limited in flow and power."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import casadi as ca
from casadi import SX

from phalanx.actuators.hydraulics.checked import check_kind, check_positive
from phalanx.actuators.hydraulics.relief import Relief
from phalanx.base.errors import InvalidInput


@final
@dataclass(frozen=True)
class Pump:
    """A pressure-compensated pump with a torque limiter, and the line behind it.

    Attributes:
        pressure: Set pressure, at which it delivers nothing any more [Pa].
        margin: Over this much below the set pressure, flow falls from full to zero [Pa].
        flow: Largest flow [m³/s].
        power: Largest hydraulic power [W].
        line_volume: Oil between pump and valves [m³].
        relief: Of the line; opens at or above the set pressure.
    """

    pressure: float
    margin: float
    flow: float
    power: float
    line_volume: float
    relief: Relief

    def __post_init__(self) -> None:
        check_positive(self, "pressure", "margin", "flow", "power", "line_volume")
        check_kind(self, "relief", Relief)
        if self.margin >= self.pressure:
            raise InvalidInput(
                f"margin of Pump is {self.margin:g} Pa; expected less than its pressure, "
                f"{self.pressure:g} Pa."
            )
        if self.relief.pressure < self.pressure:
            raise InvalidInput(
                f"relief of Pump opens at {self.relief.pressure:g} Pa, below the set pressure of "
                f"{self.pressure:g} Pa: the pump would run against it forever. Set it higher."
            )

    def delivered(self, pressure: SX) -> SX:
        """Flow into the line at its pressure [m³/s].

        With the compensator's flow C = flow · (set - p) / margin, cut off at 0 and full flow, and
        its power x = p C / power relative to the limit: Q = C / (1 + x⁴)^¼. That is the smaller of
        C and power / p but for a rounded corner, and never more than either.
        """
        stroke = ca.fmin(ca.fmax((self.pressure - pressure) / self.margin, 0), 1)
        wanted = self.flow * stroke
        x = ca.fmax(pressure, 0) * wanted / self.power
        return wanted / ca.sqrt(ca.sqrt(1 + x**4))
