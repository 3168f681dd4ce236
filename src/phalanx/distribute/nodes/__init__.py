"""Nodes that exchange messages, in one process or on MPI ranks, whatever they compute."""

from phalanx.distribute.nodes.inprocess import run_together
from phalanx.distribute.nodes.launch import RanksFailed, launch
from phalanx.distribute.nodes.messages import (
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
from phalanx.distribute.nodes.ranks import Ranks, StalledRank, inside_mpi
from phalanx.distribute.nodes.register import program
from phalanx.distribute.nodes.run import run

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
