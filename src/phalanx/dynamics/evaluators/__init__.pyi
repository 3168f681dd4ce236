from phalanx.dynamics.evaluators.automatic import Automatic
from phalanx.dynamics.evaluators.bodies import Bodies, bodies_of
from phalanx.dynamics.evaluators.constraint_forces.chebyshev import ChebyshevJacobi
from phalanx.dynamics.evaluators.constraint_forces.conjugate_gradient import ConjugateGradientJacobi
from phalanx.dynamics.evaluators.constraint_forces.cyclic_reduction import CyclicElimination
from phalanx.dynamics.evaluators.constraint_forces.direct import BlockElimination
from phalanx.dynamics.evaluators.constraint_forces.jacobi import Jacobi
from phalanx.dynamics.evaluators.constraint_forces.loads import JointLoads, joint_loads
from phalanx.dynamics.evaluators.constraint_forces.methods import (
    BlockTridiagonal,
    ConstraintIteration,
    CyclicReduction,
)
from phalanx.dynamics.evaluators.constraint_forces.relaxation import (
    GaussSeidel,
    SuccessiveOverRelaxation,
)
from phalanx.dynamics.evaluators.constraint_forces.solution import DidNotConverge
from phalanx.dynamics.evaluators.constraint_forces.stopping import Stopping
from phalanx.dynamics.evaluators.method import Method, Solver, still_root
from phalanx.dynamics.evaluators.scan.method import Scan
from phalanx.dynamics.evaluators.segments import Segments
from phalanx.dynamics.evaluators.serial import Serial

__all__ = [
    "Automatic",
    "BlockElimination",
    "BlockTridiagonal",
    "Bodies",
    "ChebyshevJacobi",
    "ConjugateGradientJacobi",
    "ConstraintIteration",
    "CyclicElimination",
    "CyclicReduction",
    "DidNotConverge",
    "GaussSeidel",
    "Jacobi",
    "JointLoads",
    "Method",
    "Scan",
    "Segments",
    "Serial",
    "Solver",
    "Stopping",
    "SuccessiveOverRelaxation",
    "bodies_of",
    "joint_loads",
    "still_root",
]
