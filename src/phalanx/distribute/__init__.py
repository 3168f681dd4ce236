"""Jobs on several processes: machines with loops, chains, schedules, programs of your own.

`run` carries a job out in this process or as a rank of an MPI job, `launch` on MPI ranks that are
started for it. `processes` has the messages that programs exchange, whatever they compute.
"""

from phalanx.distribute import processes
from phalanx.distribute.processes import (
    Job,
    JobResult,
    ProgramJob,
    ProgramResult,
    Ranks,
    RanksFailed,
    StalledRank,
    Traffic,
    inside_mpi,
    launch,
    program,
    run,
)
from phalanx.distribute.programs.chains.forward import (
    ForwardDynamicsJob,
    ForwardDynamicsResult,
    Solving,
)
from phalanx.distribute.programs.chains.job import ChainJob, ChainResult
from phalanx.distribute.programs.chains.stepping import LostBody, Stepping
from phalanx.distribute.programs.plans.job import PlanJob, PlanResult
from phalanx.distribute.programs.platforms.branches import Branch, branches
from phalanx.distribute.programs.platforms.job import PlatformJob, PlatformResult, single_processor
from phalanx.distribute.programs.platforms.legs.inverse import (
    InverseDynamicsJob,
    InverseDynamicsResult,
)
from phalanx.distribute.programs.platforms.machine import Feedback
from phalanx.distribute.programs.platforms.methods import (
    LoopMethod,
    Penalty,
    Projection,
    Recursive,
)
from phalanx.distribute.programs.platforms.modes import Diverged, Mode, MotionTask
from phalanx.distribute.recorded_job import JobFailed, RecordedResult
from phalanx.simulation.extensions import MotorMotion

__all__ = [
    "Branch",
    "ChainJob",
    "ChainResult",
    "Diverged",
    "Feedback",
    "ForwardDynamicsJob",
    "ForwardDynamicsResult",
    "InverseDynamicsJob",
    "InverseDynamicsResult",
    "Job",
    "JobFailed",
    "JobResult",
    "LoopMethod",
    "LostBody",
    "Mode",
    "MotionTask",
    "MotorMotion",
    "Penalty",
    "PlanJob",
    "PlanResult",
    "PlatformJob",
    "PlatformResult",
    "ProgramJob",
    "ProgramResult",
    "Projection",
    "Ranks",
    "RanksFailed",
    "RecordedResult",
    "Recursive",
    "Solving",
    "StalledRank",
    "Stepping",
    "Traffic",
    "branches",
    "inside_mpi",
    "launch",
    "processes",
    "program",
    "run",
    "single_processor",
]
__dir__ = __all__.copy
