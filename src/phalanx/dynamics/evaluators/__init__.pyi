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
    # which to give to Dynamics
    "Automatic",
    "Serial",
    "Scan",
    "Segments",
    "ConstraintIteration",
    "BlockElimination",
    "CyclicElimination",
    "Method",
    # solvers of constraint forces
    "Solver",
    "Stopping",
    "DidNotConverge",
    "BlockTridiagonal",
    "CyclicReduction",
    "Jacobi",
    "GaussSeidel",
    "SuccessiveOverRelaxation",
    "ChebyshevJacobi",
    "ConjugateGradientJacobi",
    # bodies as arrays
    "Bodies",
    "bodies_of",
    "JointLoads",
    "joint_loads",
    "still_root",
]
