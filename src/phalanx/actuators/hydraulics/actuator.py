"""Hydraulic actuators: two chambers that push a machine along one travel.

A cylinder and a motor differ in where they push and in their volumes; the oil sees the same: a
displacement per unit of travel on either side.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, final

import casadi as ca
from casadi import SX

from phalanx.actuators.hydraulics.valve import Valve
from phalanx.equations.tree.model import Model


@final
@dataclass(frozen=True)
class Travel:
    """Position of an actuator, and its moment arms.

    Attributes:
        position: Length of a cylinder [m], angle of a motor [rad].
        arms: d(position)/dt = arms · v: moment arms [m/rad], shape (1, nv), sparse. A force F
            along the travel does armsᵀ F on the joints.
    """

    position: SX
    arms: SX


class HydraulicActuator(ABC):
    """Two chambers, a piston or rotor between them, and the valve that feeds them.

    Attributes:
        ports: Names of chambers a and b; a positive opening feeds a, which pushes forward.
        noun: Display name.
        sides: What they call its chambers.
        valve: Its spool valve.
        leakage: Flow across the piston for a difference in pressure [m³/(s Pa)].
        viscous: Friction in proportion to the speed [N·s/m or N·m·s/rad].
        coulomb: Dry friction [N or N·m].
        slip: Speed at which dry friction has 76 % of its value [m/s or rad/s].
    """

    ports: ClassVar[tuple[str, str]]
    noun: ClassVar[str]
    sides: ClassVar[tuple[str, str]]
    valve: Valve
    leakage: float
    viscous: float
    coulomb: float
    slip: float

    @property
    @abstractmethod
    def displacements(self) -> tuple[float, float]:
        """Volume that a unit of travel takes from a and gives to b [m² or m³/rad]."""

    @abstractmethod
    def check(self, model: Model) -> None:
        """Raise UnknownName or InvalidInput unless it fits the machine."""

    @abstractmethod
    def check_position(self, name: str, position: float) -> None:
        """Raise InvalidInput unless the actuator, called ``name``, can stand there."""

    @abstractmethod
    def travel(self, model: Model, q: SX) -> Travel:
        """Where it stands at positions ``q`` of the machine."""

    @abstractmethod
    def volumes(self, position: SX) -> tuple[SX, SX]:
        """Oil in chambers a and b, with their lines [m³]."""

    @abstractmethod
    def stop(self, position: SX, speed: SX) -> SX:
        """Force of its end stops along the travel [N or N·m]."""

    def friction(self, speed: SX) -> SX:
        """Force against the travel [N or N·m]."""
        return self.viscous * speed + self.coulomb * ca.tanh(speed / self.slip)

    def pressure_force(self, a: SX, b: SX) -> SX:
        """What the oil does along the travel [N or N·m]."""
        A_a, A_b = self.displacements
        return A_a * a - A_b * b

    def force(self, position: SX, speed: SX, a: SX, b: SX) -> SX:
        """All it does along the travel [N or N·m], given its pressures [Pa]."""
        return self.pressure_force(a, b) - self.friction(speed) + self.stop(position, speed)
