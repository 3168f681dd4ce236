"""Proportional 4-way spool valve: pump, tank, and the two ports of an actuator.

Policy: closed centre. A positive opening joins the pump to port a and port b to the tank, a
negative one the other way round. Oil never flows back from a load into the pump's line (load
check); each port draws from the tank when it would run dry (anti-cavitation) and opens to it when
its pressure is too high (port relief).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import casadi as ca
from casadi import SX

from phalanx.actuators.hydraulics.checked import check_kind, check_not_negative
from phalanx.actuators.hydraulics.orifice import Orifice
from phalanx.actuators.hydraulics.relief import Relief
from phalanx.base.errors import InvalidInput


@final
@dataclass(frozen=True)
class Flows:
    """Flows through a valve at one of its ports [m³/s].

    Attributes:
        supply: From the pump to the port.
        drain: From the port through the spool to the tank.
        relief: From the port through its relief valve to the tank.
        makeup: From the tank through the check valve to the port.
    """

    supply: SX
    drain: SX
    relief: SX
    makeup: SX

    @property
    def into_port(self) -> SX:
        """All that reaches the actuator."""
        return self.supply + self.makeup - self.drain - self.relief


@final
@dataclass(frozen=True)
class Valve:
    """A spool and what sits around it.

    Attributes:
        supply: Pump to either port, spool wide open.
        drain_a: Port a (the head side of a cylinder) to tank, spool wide open.
        drain_b: Port b (the rod side) to tank, spool wide open.
        makeup: Check valves from the tank to each port.
        relief: Of each port.
        deadband: Part of the spool's way, 0 to 1, on which nothing opens.
    """

    supply: Orifice
    drain_a: Orifice
    drain_b: Orifice
    makeup: Orifice
    relief: Relief
    deadband: float = 0.05

    def __post_init__(self) -> None:
        for name in ("supply", "drain_a", "drain_b", "makeup"):
            check_kind(self, name, Orifice)
        check_kind(self, "relief", Relief)
        check_not_negative(self, "deadband")
        if self.deadband >= 1:
            raise InvalidInput(
                f"deadband of Valve is {self.deadband:g}; it is a part of the spool's way and "
                "leaves some to open: expected less than 1."
            )

    def openings(self, command: SX) -> tuple[SX, SX]:
        """How far the spool opens either way, 0 to 1, at a command of -1 to 1.

        Commands beyond are cut off; the way beyond the deadband counts from 0 again.
        """

        def beyond(x: SX) -> SX:
            way = (x - self.deadband) / (1 - self.deadband)
            # fmin and fmax would make an opening of a command that is not a number
            return ca.if_else(way > 1, 1, ca.if_else(way < 0, 0, way))

        return beyond(command), beyond(-command)

    def flows(self, command: SX, pump: SX, a: SX, b: SX, tank: SX | float) -> tuple[Flows, Flows]:
        """What passes at port a and at port b, given pressures [Pa] around the valve."""
        plus, minus = self.openings(command)

        def at(port: SX, feeds: SX, drains: SX, drain: Orifice) -> Flows:
            return Flows(
                supply=feeds * self.supply.one_way(pump - port),
                drain=drains * drain.both_ways(port - tank),
                relief=self.relief.passed(port),
                makeup=self.makeup.one_way(tank - port),
            )

        return at(a, plus, minus, self.drain_a), at(b, minus, plus, self.drain_b)
