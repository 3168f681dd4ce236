"""Nodes that exchange messages, in one process or on MPI ranks, whatever they compute."""

from phalanx.distribute.processes.inprocess import run_together
from phalanx.distribute.processes.launch import RanksFailed, launch
from phalanx.distribute.processes.messages import (
    Answer,
    Ask,
    Finished,
    Hear,
    Largest,
    Listen,
    Pass,
    Program,
    Sent,
    Share,
    Sum,
    Tell,
    Traffic,
    UnmatchedMessages,
)
from phalanx.distribute.processes.program_registry import program
from phalanx.distribute.processes.ranks import Ranks, StalledRank, inside_mpi
from phalanx.distribute.processes.run import run

__all__ = [
    "Answer",
    "Ask",
    "Finished",
    "Hear",
    "Largest",
    "Listen",
    "Pass",
    "Program",
    "Ranks",
    "RanksFailed",
    "Sent",
    "Share",
    "StalledRank",
    "Sum",
    "Tell",
    "Traffic",
    "UnmatchedMessages",
    "inside_mpi",
    "launch",
    "program",
    "run",
    "run_together",
]
__dir__ = __all__.copy
