"""A hydraulic circuit: one pump, and a spool valve for each cylinder or motor.

Pressures are counted from the atmosphere's. Each chamber obeys dp/dt = (modulus / V) (flow in
- flow out - dV/dt), and so does the line behind the pump, which all actuators share: what one
draws, the others miss.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, final

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.actuators.hydraulics.actuator import HydraulicActuator
from phalanx.actuators.hydraulics.checked import check_kind, check_not_negative, is_finite_number
from phalanx.actuators.hydraulics.holding import holding_pressures
from phalanx.actuators.hydraulics.ledger import BALANCE, LABELS, Ledger
from phalanx.actuators.hydraulics.oil import Oil
from phalanx.actuators.hydraulics.pump import Pump
from phalanx.actuators.hydraulics.valve import Flows
from phalanx.actuators.subsystem import Actuation, Array, Quantity
from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.equations.model_of import model_of
from phalanx.equations.tree.model import Model
from phalanx.mechanism import Mechanism

PUMP = "pump"


class ChamberFlows(NamedTuple):
    """Flows of an actuator's chambers [m³/s], their volumes [m³] and rates of pressure [Pa/s]."""

    at_a: Flows
    at_b: Flows
    leak: SX
    V_a: SX
    V_b: SX
    rate_a: SX
    rate_b: SX

    @property
    def drawn(self) -> SX:
        """What it draws from the pump [m³/s]."""
        return self.at_a.supply + self.at_b.supply


@final
@dataclass(frozen=True)
class Hydraulics(Actuation):
    """Cylinders and motors on one pump.

    Its state are pressures [Pa]: ``boom.head`` and ``boom.rod`` of a cylinder called boom,
    ``swing.a`` and ``swing.b`` of a motor, and ``pump``. Commands are spool openings from -1 to 1,
    one an actuator; positive ones extend a cylinder and turn a motor forward.

    Attributes:
        actuators: By name, each with its valve.
        pump: Shared by all.
        oil: Everywhere the same.
        tank: Pressure of the tank [Pa].
        initial_pressures: By label; what is not named starts at the tank's pressure, the pump at
            its set pressure. When None, chambers start at pressures that carry the machine's
            weight.
        bookkeeping: Whether the state also holds ``hydraulic_energy`` [J] (see ``ledger.py``).
    """

    actuators: Mapping[str, HydraulicActuator]
    pump: Pump
    oil: Oil = field(default_factory=Oil)
    tank: float = 1e5
    initial_pressures: Mapping[str, float] | None = None
    bookkeeping: bool = False

    def __post_init__(self) -> None:
        check_kind(self, "pump", Pump)
        check_kind(self, "oil", Oil)
        check_not_negative(self, "tank")
        if not isinstance(self.actuators, Mapping) or not self.actuators:
            raise InvalidInput("hydraulics need at least one actuator, by name: {'boom': ...}.")
        object.__setattr__(self, "actuators", dict(self.actuators))
        for name, actuator in self.actuators.items():
            if not isinstance(name, str) or not name or not isinstance(actuator, HydraulicActuator):
                raise InvalidInput(
                    f"actuator {name!r} of hydraulics is {actuator!r}; expected a name and a "
                    "HydraulicCylinder or HydraulicMotor."
                )
        if self.tank >= self.pump.pressure:
            raise InvalidInput(
                f"tank of Hydraulics is at {self.tank:g} Pa; expected less than the pump's "
                f"{self.pump.pressure:g} Pa."
            )
        if self.initial_pressures is None:
            return
        object.__setattr__(self, "initial_pressures", dict(self.initial_pressures))
        for label, pressure in self.initial_pressures.items():
            if label not in self.pressure_labels:
                raise UnknownName("hydraulics", "pressure", label, self.pressure_labels)
            if not is_finite_number(pressure) or pressure < self.oil.vapour_pressure:
                raise InvalidInput(
                    f"initial pressure of '{label}' is {pressure!r}; expected a number of Pa, not "
                    f"below {self.oil.vapour_pressure:g}, where the oil boils."
                )

    @property
    def pressure_labels(self) -> tuple[str, ...]:
        """``boom.head``, ``boom.rod``, …, ``pump``."""
        chambers = [
            f"{name}.{port}" for name, actuator in self.actuators.items() for port in actuator.ports
        ]
        return (*chambers, PUMP)

    @property
    def pressure_titles(self) -> dict[str, str]:
        """Display names of the pressures, by label: ``Boom cylinder, rod side``."""
        chambers = [
            f"{name.capitalize()} {actuator.noun}, {side}"
            for name, actuator in self.actuators.items()
            for side in actuator.sides
        ]
        return dict(zip(self.pressure_labels, (*chambers, "Pump"), strict=True))

    def quantities(self, mechanism: Mechanism) -> tuple[Quantity, ...]:
        self._checked_model(mechanism)
        return self._quantities()

    def _quantities(self) -> tuple[Quantity, ...]:
        pressure = Quantity("pressure", "Pa", self.pressure_labels, stiff=True)
        if not self.bookkeeping:
            return (pressure,)
        return pressure, Quantity("hydraulic_energy", "J", LABELS)

    def commands(self, mechanism: Mechanism) -> tuple[str, ...]:
        """The names of the actuators."""
        return tuple(self.actuators)

    def initial(self, mechanism: Mechanism, q: Array) -> Array:
        """Pressures given, or those that carry the machine's weight.

        Raises:
            InvalidInput: A cylinder would be shorter or longer than it can be, or a port relief
                valve would have to open to hold the weight.
        """
        model = self._checked_model(mechanism)
        q = np.asarray(q, dtype=np.float64)
        self._check_positions(model, q)
        size = sum(quantity.size for quantity in self._quantities())
        s = np.zeros((*q.shape[:-1], size))
        n = len(self.pressure_labels)
        s[..., :n] = self.tank
        s[..., n - 1] = self.pump.pressure
        if self.initial_pressures is None:
            s[..., : n - 1] = holding_pressures(self.actuators, self.tank, model, q)
        else:
            for label, pressure in self.initial_pressures.items():
                s[..., self.pressure_labels.index(label)] = pressure
        return s

    def settled(self, s: SX) -> SX:
        """No pressure stays below the one at which oil boils.

        There a chamber fills with vapour, which this leaves out: the chamber counts as full of
        oil at that pressure. Anti-cavitation valves make it rare. The energy of the oil taken up
        is not booked.
        """
        n, least = len(self.pressure_labels), self.oil.vapour_pressure
        # fmax would hide a pressure that is not a number
        return ca.vertcat(ca.if_else(s[:n] < least, least, s[:n]), s[n:])

    @property
    def energy_lines(self) -> tuple[str, ...]:
        return tuple(BALANCE.values())

    def powers(self, model: Model, q: SX, v: SX, s: SX, command: SX) -> SX:
        *_, ledger = self._flow(model, q, v, s, command)
        return ca.vertcat(*(ledger.powers[label] for label in BALANCE))

    def act(self, model: Model, q: SX, v: SX, s: SX, command: SX) -> tuple[SX, SX]:
        tau, rates, ledger = self._flow(model, q, v, s, command)
        powers = list(ledger.powers.values()) if self.bookkeeping else []
        return tau, ca.vertcat(rates, *powers)

    def _flow(self, model: Model, q: SX, v: SX, s: SX, command: SX) -> tuple[SX, SX, Ledger]:
        """Joint forces, rates of the pressures, and where the oil's energy goes."""
        modulus, tank = self.oil.modulus, self.tank
        pump = s[len(self.pressure_labels) - 1]
        ledger, rates = Ledger(), []
        tau, drawn = SX.zeros(model.nv, 1), SX(0)
        for k, actuator in enumerate(self.actuators.values()):
            a, b = s[2 * k], s[2 * k + 1]
            travel = actuator.travel(model, q)
            speed = travel.arms @ v
            flow = self.chambers(actuator, command[k], pump, a, b, travel.position, speed)
            at_a, at_b, leak, V_a, V_b, rate_a, rate_b = flow
            rates += [rate_a, rate_b]
            drawn += flow.drawn

            tau += travel.arms.T @ actuator.force(travel.position, speed, a, b)

            ledger.add_port(at_a, a, pump, tank)
            ledger.add_port(at_b, b, pump, tank)
            ledger.add_chamber(a, rate_a, V_a, modulus(a))
            ledger.add_chamber(b, rate_b, V_b, modulus(b))
            ledger.add(
                leakage=leak * (a - b),
                pistons=actuator.pressure_force(a, b) * speed,
                friction=actuator.friction(speed) * speed,
                stops=-actuator.stop(travel.position, speed) * speed,
            )

        delivered, relieved = self.pump.delivered(pump), self.pump.relief.passed(pump)
        volume, rate = self.pump.line_volume, self.pump_rate(pump, drawn)
        ledger.add(
            pump=delivered * (pump - tank),
            tank=tank * (delivered - relieved),
            relief=relieved * (pump - tank),
        )
        ledger.add_chamber(pump, rate, SX(volume), modulus(pump))
        return tau, ca.vertcat(*rates, rate), ledger

    def chambers(
        self,
        actuator: HydraulicActuator,
        command: SX,
        pump: SX,
        a: SX,
        b: SX,
        position: SX,
        speed: SX,
    ) -> ChamberFlows:
        """What the oil of one actuator does, given its travel and the pressures around it [Pa]."""
        modulus = self.oil.modulus
        at_a, at_b = actuator.valve.flows(command, pump, a, b, self.tank)
        leak = actuator.leakage * (a - b)
        A_a, A_b = actuator.displacements
        V_a, V_b = actuator.volumes(position)
        rate_a = modulus(a) / V_a * (at_a.into_port - leak - A_a * speed)
        rate_b = modulus(b) / V_b * (at_b.into_port + leak + A_b * speed)
        return ChamberFlows(at_a, at_b, leak, V_a, V_b, rate_a, rate_b)

    def pump_rate(self, pump: SX, drawn: SX) -> SX:
        """Rate of the pump's pressure [Pa/s], given what all actuators draw [m³/s]."""
        delivered, relieved = self.pump.delivered(pump), self.pump.relief.passed(pump)
        return self.oil.modulus(pump) / self.pump.line_volume * (delivered - drawn - relieved)

    def positions(self, model: Model, q: SX) -> SX:
        """Lengths of cylinders [m] and angles of motors [rad], shape (actuators,)."""
        return ca.vertcat(*(a.travel(model, q).position for a in self.actuators.values()))

    def forces(self, model: Model, q: SX, v: SX, s: SX) -> SX:
        """What each actuator does along its travel [N or N·m], friction and stops included.

        Shape (actuators,); positive where a cylinder pushes, or a motor forward.
        """
        forces = []
        for k, actuator in enumerate(self.actuators.values()):
            travel = actuator.travel(model, q)
            speed = travel.arms @ v
            forces.append(actuator.force(travel.position, speed, s[2 * k], s[2 * k + 1]))
        return ca.vertcat(*forces)

    def _checked_model(self, mechanism: Mechanism) -> Model:
        model = model_of(mechanism)
        for actuator in self.actuators.values():
            actuator.check(model)
        return model

    def _check_positions(self, model: Model, q: Array) -> None:
        x = SX.sym("q", model.mechanism.nq)
        positions = ca.Function("positions", [x], [self.positions(model, x)])
        for index in np.ndindex(q.shape[:-1]):
            here = np.asarray(positions(q[index]))[:, 0]
            for (name, actuator), position in zip(self.actuators.items(), here, strict=True):
                actuator.check_position(name, float(position))
