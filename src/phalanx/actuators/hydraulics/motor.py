"""Hydraulic motor at a joint, with its gear."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from casadi import SX

from phalanx.actuators.hydraulics.actuator import HydraulicActuator, Travel
from phalanx.actuators.hydraulics.checked import check_kind, check_not_negative, check_positive
from phalanx.actuators.hydraulics.valve import Valve
from phalanx.base.errors import InvalidInput
from phalanx.equations.tree.model import Model


@final
@dataclass(frozen=True)
class HydraulicMotor(HydraulicActuator):
    """A motor that turns a joint either way.

    Attributes:
        joint: The joint, of one axis.
        displacement: Oil for a radian of the joint, the gear included [m³/rad].
        line_volume: Oil on either side, in motor and lines [m³].
        valve: Its spool valve.
        leakage: From one side to the other [m³/(s Pa)].
        viscous: Damping at the joint [N·m·s/rad].
        coulomb: Dry friction at the joint [N·m].
        slip: Speed at which dry friction has 76 % of its value [rad/s].
    """

    ports: ClassVar[tuple[str, str]] = ("a", "b")
    noun: ClassVar[str] = "motor"
    sides: ClassVar[tuple[str, str]] = ("line A", "line B")

    joint: str
    displacement: float
    line_volume: float
    valve: Valve
    leakage: float = 0.0
    viscous: float = 0.0
    coulomb: float = 0.0
    slip: float = 1e-2

    def __post_init__(self) -> None:
        check_positive(self, "displacement", "line_volume", "slip")
        check_not_negative(self, "leakage", "viscous", "coulomb")
        check_kind(self, "joint", str)
        check_kind(self, "valve", Valve)

    @property
    def displacements(self) -> tuple[float, float]:
        """The same on either side."""
        return self.displacement, self.displacement

    def check(self, model: Model) -> None:
        mechanism = model.mechanism
        joint = mechanism.joint(self.joint)
        if joint.motion.nv != 1 or joint.name not in mechanism.v_slices:
            raise InvalidInput(
                f"a hydraulic motor turns a joint of one axis that moves by itself; joint "
                f"'{joint.name}' of '{mechanism.name}' has {joint.motion.nv} axes"
                f"{' and follows another' if joint.mimic else ''}."
            )

    def check_position(self, name: str, position: float) -> None:
        """A motor can stand anywhere."""

    def travel(self, model: Model, q: SX) -> Travel:
        """The joint's own angle."""
        mechanism = model.mechanism
        arms = SX(1, model.nv)
        arms[0, mechanism.v_slices[self.joint].start] = 1
        return Travel(q[mechanism.q_slices[self.joint]], arms)

    def volumes(self, position: SX) -> tuple[SX, SX]:
        return SX(self.line_volume), SX(self.line_volume)

    def stop(self, position: SX, speed: SX) -> SX:
        """A motor has no stops."""
        return SX(0)
