"""Formulations: first-order equations of motion in several coordinates, with counted work."""

from phalanx.simulation.formulations.accelerations import Accelerations
from phalanx.simulation.formulations.closed_form import EliminatedLoops
from phalanx.simulation.formulations.constraint_forces import (
    BodyLayout,
    ForcesOverTime,
    JointLayout,
    tied_stopping,
)
from phalanx.simulation.formulations.embedding import Embedding
from phalanx.simulation.formulations.formulation import Formulation, History, Restart, run
from phalanx.simulation.formulations.fresh_projection import FreshProjection
from phalanx.simulation.formulations.lsoda import Lsoda
from phalanx.simulation.formulations.minimal import Minimal
from phalanx.simulation.formulations.motors import Motors
from phalanx.simulation.formulations.projected import DrivenJoint
from phalanx.simulation.formulations.rolling import RollingMotion
from phalanx.simulation.formulations.sliding_block import SlidingBlock
from phalanx.simulation.formulations.stepping import (
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
    "BodyLayout",
    "BudgetExhausted",
    "DrivenJoint",
    "EliminatedLoops",
    "Embedding",
    "Euler",
    "ForcesOverTime",
    "Formulation",
    "FreshProjection",
    "History",
    "JointLayout",
    "Lsoda",
    "Minimal",
    "Motors",
    "Restart",
    "RollingMotion",
    "RungeKutta",
    "SlidingBlock",
    "StepFailed",
    "Steps",
    "run",
    "tied_stopping",
]
__dir__ = __all__.copy
