"""Chains shared out as segments of consecutive bodies, a node each: forces by iteration.

A node builds the rows of its bodies, tells its neighbours what these need of them, and takes part
in a few sums over all nodes. Nothing else travels.
"""

from phalanx.distribute.programs.chains.cosimulate import ChainOutcome, cosimulate, single_node
from phalanx.distribute.programs.chains.forward import SharedForces, Solving, forward_dynamics
from phalanx.distribute.programs.chains.job import ChainJob
from phalanx.distribute.programs.chains.launch import launch
from phalanx.distribute.programs.chains.plan import ChainPlan, Stepping
from phalanx.distribute.programs.chains.segments import Segment, shared_out
from phalanx.distribute.programs.chains.stepping import Effort, LostBody

__all__ = [
    "ChainJob",
    "ChainOutcome",
    "ChainPlan",
    "Effort",
    "LostBody",
    "Segment",
    "SharedForces",
    "Solving",
    "Stepping",
    "cosimulate",
    "forward_dynamics",
    "launch",
    "shared_out",
    "single_node",
]
__dir__ = __all__.copy
