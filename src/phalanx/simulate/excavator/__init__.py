"""Excavators with an operator: control of the spools, machines ready to drive, fleets of them."""

from phalanx.simulate.excavator.arm import ExcavatorArm
from phalanx.simulate.excavator.control import Spool, SpoolControl
from phalanx.simulate.excavator.excavator import Excavator, cylinder_excavator, rotary_excavator
from phalanx.simulate.excavator.experiments import joint_experiment, resolved_experiment
from phalanx.simulate.excavator.live import LiveExcavator

__all__ = [
    "Excavator",
    "ExcavatorArm",
    "LiveExcavator",
    "Spool",
    "SpoolControl",
    "cylinder_excavator",
    "joint_experiment",
    "resolved_experiment",
    "rotary_excavator",
]
