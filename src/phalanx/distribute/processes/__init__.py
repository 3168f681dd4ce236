"""Message passing between processes, simulated in one or on MPI ranks, whatever they compute."""

from phalanx.distribute.processes.inprocess import run_together
from phalanx.distribute.processes.job import (
    Job,
    JobResult,
    JobRun,
    LogLine,
    ProgramJob,
    ProgramResult,
)
from phalanx.distribute.processes.launch import RanksFailed, launch
from phalanx.distribute.processes.messages import (
    AllGather,
    Collect,
    Maximum,
    NeighbourExchange,
    ProcessProgram,
    Receive,
    Reply,
    Request,
    Send,
    SentMessages,
    Sum,
    Traffic,
    UnmatchedMessages,
)
from phalanx.distribute.processes.program_registry import program
from phalanx.distribute.processes.ranks import Ranks, StalledRank, inside_mpi
from phalanx.distribute.processes.run import run

__all__ = [
    "AllGather",
    "Collect",
    "Job",
    "JobResult",
    "JobRun",
    "LogLine",
    "Maximum",
    "NeighbourExchange",
    "ProcessProgram",
    "ProgramJob",
    "ProgramResult",
    "Ranks",
    "RanksFailed",
    "Receive",
    "Reply",
    "Request",
    "Send",
    "SentMessages",
    "StalledRank",
    "Sum",
    "Traffic",
    "UnmatchedMessages",
    "inside_mpi",
    "launch",
    "program",
    "run",
    "run_together",
]
__dir__ = __all__.copy
