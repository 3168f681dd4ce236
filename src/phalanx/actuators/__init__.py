"""What stands between motors and links: bearings, gears and their friction, over symbols."""

from phalanx.actuators.bearings import Journal, Linear, Thrust
from phalanx.actuators.cost import friction_cost
from phalanx.actuators.direction import AboutToMove, Sign, Smooth
from phalanx.actuators.drive import Drive, joint_drives, without_light_bearings
from phalanx.actuators.efficiency import EfficiencyCurve
from phalanx.actuators.forward import driven
from phalanx.actuators.puma560 import puma560_drives, puma560_efficiency
from phalanx.actuators.torques import drive_torques
from phalanx.actuators.transmission import Transmission

__all__ = [
    "AboutToMove",
    "Drive",
    "EfficiencyCurve",
    "Journal",
    "Linear",
    "Sign",
    "Smooth",
    "Thrust",
    "Transmission",
    "drive_torques",
    "driven",
    "friction_cost",
    "joint_drives",
    "puma560_drives",
    "puma560_efficiency",
    "without_light_bearings",
]
