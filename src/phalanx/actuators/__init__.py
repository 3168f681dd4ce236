"""What stands between commands and links: bearings, gears, friction, oil; all over symbols."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from phalanx.actuators.bearings import Journal, Linear, Thrust
from phalanx.actuators.direction import AboutToMove, Sign, Smooth
from phalanx.actuators.drive import Drive, joint_drives, without_light_bearings
from phalanx.actuators.efficiency import EfficiencyCurve
from phalanx.actuators.forward import driven
from phalanx.actuators.puma560 import puma560_drives, puma560_efficiency
from phalanx.actuators.subsystem import (
    Actuation,
    Quantity,
    Response,
    SampledControl,
    Subsystem,
    Surroundings,
)
from phalanx.actuators.torques import drive_torques
from phalanx.actuators.transmission import Transmission

if TYPE_CHECKING:
    from phalanx.actuators import hydraulics


def __getattr__(name: str) -> Any:
    """Load hydraulics when somebody asks for them, so that importing stays quick."""
    if name == "hydraulics":
        return import_module("phalanx.actuators.hydraulics")
    raise AttributeError(f"module 'phalanx.actuators' has no attribute '{name}'")


__all__ = [
    "AboutToMove",
    "Actuation",
    "Drive",
    "EfficiencyCurve",
    "Journal",
    "Linear",
    "Quantity",
    "Response",
    "SampledControl",
    "Sign",
    "Smooth",
    "Subsystem",
    "Surroundings",
    "Thrust",
    "Transmission",
    "drive_torques",
    "driven",
    "hydraulics",
    "joint_drives",
    "puma560_drives",
    "puma560_efficiency",
    "without_light_bearings",
]
