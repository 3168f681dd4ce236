"""Machines with loops on several processors: parts, messages, ranks."""

from phalanx.distribute.cosimulate import Outcome, cosimulate, moved, single_processor
from phalanx.distribute.inverse import inverse_dynamics
from phalanx.distribute.job import THESIS_WAY, Job
from phalanx.distribute.launch import JobFailed, launch
from phalanx.distribute.machine import Feedback
from phalanx.distribute.messages import Traffic
from phalanx.distribute.methods import Method, Penalty, Projection, Recursive
from phalanx.distribute.plan import Plan, Task
from phalanx.distribute.programs import Diverged, Mode
from phalanx.distribute.ranks import Ranks, StalledRank, inside_mpi
from phalanx.distribute.subsystems import Subsystem, subsystems

__all__ = [
    "THESIS_WAY",
    "Diverged",
    "Feedback",
    "Job",
    "JobFailed",
    "Method",
    "Mode",
    "Outcome",
    "Penalty",
    "Plan",
    "Projection",
    "Ranks",
    "Recursive",
    "StalledRank",
    "Subsystem",
    "Task",
    "Traffic",
    "cosimulate",
    "inside_mpi",
    "inverse_dynamics",
    "launch",
    "moved",
    "single_processor",
    "subsystems",
]
