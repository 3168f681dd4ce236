"""Hydraulic actuators: cylinders, motors, pump and valves; rotary actuators of a source."""

from phalanx.actuators.hydraulics.cat215b import cat215b_hydraulics
from phalanx.actuators.hydraulics.circuit import Hydraulics
from phalanx.actuators.hydraulics.cylinder import HydraulicCylinder
from phalanx.actuators.hydraulics.motor import HydraulicMotor
from phalanx.actuators.hydraulics.oil import Oil
from phalanx.actuators.hydraulics.orifice import Orifice
from phalanx.actuators.hydraulics.pump import Pump
from phalanx.actuators.hydraulics.relief import Relief
from phalanx.actuators.hydraulics.rotary import Rotary, RotaryHydraulics, cat215b_rotary
from phalanx.actuators.hydraulics.valve import Valve

__all__ = [
    "HydraulicCylinder",
    "HydraulicMotor",
    "Hydraulics",
    "Oil",
    "Orifice",
    "Pump",
    "Relief",
    "Rotary",
    "RotaryHydraulics",
    "Valve",
    "cat215b_hydraulics",
    "cat215b_rotary",
]
__dir__ = __all__.copy
