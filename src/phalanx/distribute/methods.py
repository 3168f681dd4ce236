"""Methods by name: how machines with loops are divided, and iterations for chains."""

from __future__ import annotations

from phalanx.distribute.programs.platforms.methods import Penalty, Projection, Recursive
from phalanx.dynamics.evaluators.constraint_forces.chebyshev import ChebyshevJacobi
from phalanx.dynamics.evaluators.constraint_forces.conjugate_gradient import ConjugateGradientJacobi
from phalanx.dynamics.evaluators.constraint_forces.jacobi import Jacobi
from phalanx.dynamics.evaluators.constraint_forces.three_term import ThreeTerm

LOOP_METHODS = (Penalty.name, Projection.name, Recursive.name)
ITERATIONS: dict[str, type[ThreeTerm]] = {
    "jacobi": Jacobi,
    "chebyshev": ChebyshevJacobi,
    "conjugate-gradient": ConjugateGradientJacobi,
}
METHODS = (*LOOP_METHODS, *ITERATIONS)
