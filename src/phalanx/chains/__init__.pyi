from phalanx.chains.automatic import Automatic
from phalanx.chains.bodies import Bodies, bodies_of
from phalanx.chains.constraint_forces.chebyshev import ChebyshevJacobi
from phalanx.chains.constraint_forces.conjugate_gradient import ConjugateGradientJacobi
from phalanx.chains.constraint_forces.cyclic_reduction import CyclicElimination
from phalanx.chains.constraint_forces.direct import BlockElimination
from phalanx.chains.constraint_forces.jacobi import Jacobi
from phalanx.chains.constraint_forces.loads import JointLoads, joint_loads
from phalanx.chains.constraint_forces.methods import (
    BlockTridiagonal,
    ConstraintIteration,
    CyclicReduction,
)
from phalanx.chains.constraint_forces.relaxation import GaussSeidel, SuccessiveOverRelaxation
from phalanx.chains.constraint_forces.solution import DidNotConverge
from phalanx.chains.constraint_forces.stopping import Stopping
from phalanx.chains.method import Method, Solver, still_root
from phalanx.chains.scan.method import Scan
from phalanx.chains.segments import Segments
from phalanx.chains.serial import Serial

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
