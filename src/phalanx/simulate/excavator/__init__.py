"""Excavators with an operator: control of the spools, machines ready to drive, fleets of them."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from phalanx.simulate.excavator.arm import ExcavatorArm
from phalanx.simulate.excavator.control import Spool, SpoolControl
from phalanx.simulate.excavator.episodes import Episodes
from phalanx.simulate.excavator.excavator import Excavator, cylinder_excavator, rotary_excavator
from phalanx.simulate.excavator.experiments import joint_experiment, resolved_experiment
from phalanx.simulate.excavator.fleet import Fleet, FleetRun, Summary
from phalanx.simulate.excavator.live import LiveExcavator
from phalanx.simulate.excavator.rehearsed import Rehearsed
from phalanx.simulate.excavator.rest import AfterRelease, Releases
from phalanx.simulate.excavator.tasks import DigAndDump, Reach
from phalanx.simulate.excavator.trends import ExcavatorTrends

if TYPE_CHECKING:
    from phalanx.simulate.excavator.environment import ExcavatorEnv, ExcavatorVectorEnv

_ENVIRONMENTS = ("ExcavatorEnv", "ExcavatorVectorEnv")


def __getattr__(name: str) -> Any:
    """Load the environments when somebody asks for them: they need the extra `gym`."""
    if name in _ENVIRONMENTS:
        return getattr(import_module("phalanx.simulate.excavator.environment"), name)
    raise AttributeError(f"module 'phalanx.simulate.excavator' has no attribute '{name}'")


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
