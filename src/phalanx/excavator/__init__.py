"""Excavators with an operator: control of the spools, machines ready to drive, fleets of them."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from phalanx.excavator.arm import ExcavatorArm
from phalanx.excavator.control import Spool, SpoolControl
from phalanx.excavator.episodes import Episodes
from phalanx.excavator.excavator import Excavator, cylinder_excavator, rotary_excavator
from phalanx.excavator.experiments import joint_experiment, resolved_experiment
from phalanx.excavator.fleet import Fleet, FleetRun, Summary
from phalanx.excavator.live import LiveExcavator
from phalanx.excavator.rehearsed import Rehearsed
from phalanx.excavator.rest import AfterRelease, Releases
from phalanx.excavator.tasks import DigAndDump, Reach
from phalanx.excavator.trends import ExcavatorTrends

if TYPE_CHECKING:
    from phalanx.excavator.environment import ExcavatorEnv, ExcavatorVectorEnv

_ENVIRONMENTS = ("ExcavatorEnv", "ExcavatorVectorEnv")


def __getattr__(name: str) -> Any:
    """Load the environments when somebody asks for them: they need the extra `gym`."""
    if name in _ENVIRONMENTS:
        return getattr(import_module("phalanx.excavator.environment"), name)
    raise AttributeError(f"module 'phalanx.excavator' has no attribute '{name}'")


__all__ = [
    "AfterRelease",
    "DigAndDump",
    "Episodes",
    "Excavator",
    "ExcavatorArm",
    "ExcavatorEnv",
    "ExcavatorTrends",
    "ExcavatorVectorEnv",
    "Fleet",
    "FleetRun",
    "LiveExcavator",
    "Reach",
    "Rehearsed",
    "Releases",
    "Spool",
    "SpoolControl",
    "Summary",
    "cylinder_excavator",
    "joint_experiment",
    "resolved_experiment",
    "rotary_excavator",
]
