from phalanx.actuators import hydraulics
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
