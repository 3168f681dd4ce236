from phalanx.excavator.arm import ExcavatorArm
from phalanx.excavator.control import Spool, SpoolControl
from phalanx.excavator.environment import ExcavatorEnv, ExcavatorVectorEnv
from phalanx.excavator.episodes import Episodes
from phalanx.excavator.excavator import Excavator, cylinder_excavator, rotary_excavator
from phalanx.excavator.experiments import joint_experiment, resolved_experiment
from phalanx.excavator.fleet import Fleet
from phalanx.excavator.fleet_run import FleetRun, Summary
from phalanx.excavator.live import LiveExcavator
from phalanx.excavator.rehearsed import Rehearsed
from phalanx.excavator.rest import AfterRelease, Releases
from phalanx.excavator.tasks import DigAndDump, Reach
from phalanx.excavator.trends import ExcavatorTrends

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
