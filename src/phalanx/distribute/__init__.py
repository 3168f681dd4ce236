"""Machines on several processors: parts, messages, ranks.

`processes` exchange messages, whatever they compute; `platforms` are machines with loops
cut between them, `chains` are chains cut into segments, `plans` are plans of tasks and messages.
"""

from phalanx.distribute import processes
from phalanx.distribute.job_recordings import JobFailed
from phalanx.distribute.processes import Ranks, StalledRank, Traffic, inside_mpi
from phalanx.distribute.programs import chains, plans
from phalanx.distribute.programs.platforms.cosimulate import (
    Outcome,
    cosimulate,
    moved,
    single_processor,
)
from phalanx.distribute.programs.platforms.job import Job
from phalanx.distribute.programs.platforms.launch import launch
from phalanx.distribute.programs.platforms.legs.inverse import inverse_dynamics
from phalanx.distribute.programs.platforms.machine import Feedback
from phalanx.distribute.programs.platforms.methods import Method, Penalty, Projection, Recursive
from phalanx.distribute.programs.platforms.parts import Part, subsystems
from phalanx.distribute.programs.platforms.plan import Plan, Task
from phalanx.distribute.programs.platforms.programs import Diverged, Mode

__all__ = [
    "Diverged",
    "Feedback",
    "Job",
    "JobFailed",
    "Method",
    "Mode",
    "Outcome",
    "Part",
    "Penalty",
    "Plan",
    "Projection",
    "Ranks",
    "Recursive",
    "StalledRank",
    "Task",
    "Traffic",
    "chains",
    "cosimulate",
    "inside_mpi",
    "inverse_dynamics",
    "launch",
    "moved",
    "plans",
    "processes",
    "single_processor",
    "subsystems",
]
__dir__ = __all__.copy
