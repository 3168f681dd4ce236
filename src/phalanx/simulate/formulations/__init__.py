"""Ways to turn a machine with loops into first-order equations, and runs that count their work."""

from phalanx.simulate.formulations.accelerations import Accelerations
from phalanx.simulate.formulations.closed_form import EliminatedLoops
from phalanx.simulate.formulations.embedding import Embedding
from phalanx.simulate.formulations.formulation import Formulation, History, Restart, run
from phalanx.simulate.formulations.fresh_projection import FreshProjection
from phalanx.simulate.formulations.minimal import Minimal
from phalanx.simulate.formulations.motors import Motors
from phalanx.simulate.formulations.projected import DrivenJoint
from phalanx.simulate.formulations.rolling import RollingMotion
from phalanx.simulate.formulations.sliding_block import SlidingBlock
from phalanx.simulate.formulations.stepping import (
    Adaptive,
    BudgetExhausted,
    Euler,
    RungeKutta,
    StepFailed,
    Steps,
)

__all__ = [
    "Accelerations",
    "Adaptive",
    "BudgetExhausted",
    "DrivenJoint",
    "EliminatedLoops",
    "Embedding",
    "Euler",
    "Formulation",
    "FreshProjection",
    "History",
    "Minimal",
    "Motors",
    "Restart",
    "RollingMotion",
    "RungeKutta",
    "SlidingBlock",
    "StepFailed",
    "Steps",
    "run",
]
