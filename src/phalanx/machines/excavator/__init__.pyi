from phalanx.machines.excavator.arm import ExcavatorArm
from phalanx.machines.excavator.control import Spool, SpoolControl, SpoolCurve
from phalanx.machines.excavator.environment import ExcavatorEnv, ExcavatorVectorEnv
from phalanx.machines.excavator.episodes import Episodes
from phalanx.machines.excavator.excavator import Excavator, cylinder_excavator, rotary_excavator
from phalanx.machines.excavator.experiments import joint_experiment, resolved_experiment
from phalanx.machines.excavator.fleet import Fleet
from phalanx.machines.excavator.fleet_run import FleetRun, Summary
from phalanx.machines.excavator.live import LiveExcavator
from phalanx.machines.excavator.scripted_operator import ScriptedOperator
from phalanx.machines.excavator.settling_test import AfterRelease, Releases
from phalanx.machines.excavator.summary_figures import ExcavatorSummary
from phalanx.machines.excavator.tasks import DigAndDump, ReachPoint

__all__ = [
    # machines
    "Excavator",
    "ExcavatorArm",
    "cylinder_excavator",
    "rotary_excavator",
    # operated
    "LiveExcavator",
    "ScriptedOperator",
    "DigAndDump",
    "Spool",
    "SpoolControl",
    "SpoolCurve",
    # many at a time
    "Fleet",
    "FleetRun",
    "Episodes",
    # environments to learn in
    "ExcavatorEnv",
    "ExcavatorVectorEnv",
    "ReachPoint",
    # results
    "Summary",
    "ExcavatorSummary",
    # experiments of the source
    "joint_experiment",
    "resolved_experiment",
    "Releases",
    "AfterRelease",
]
