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
    # drives of joints
    "Drive",
    "joint_drives",
    "drive_torques",
    "driven",
    "puma560_drives",
    "EfficiencyCurve",
    "puma560_efficiency",
    # bearings and transmissions, and which way friction acts
    "Journal",
    "Thrust",
    "without_light_bearings",
    "Transmission",
    "Linear",
    "Sign",
    "Smooth",
    "AboutToMove",
    # hydraulics
    "hydraulics",
    # subsystems of a run, for your own
    "Actuation",
    "Surroundings",
    "SampledControl",
    "Subsystem",
    "Quantity",
    "Response",
]
