"""Bench: manoeuvres of the substitute arm, their joint forces, the iterations compared."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import final

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.dynamics.evaluators.constraint_forces.chebyshev import ChebyshevJacobi
from phalanx.dynamics.evaluators.constraint_forces.conjugate_gradient import ConjugateGradientJacobi
from phalanx.dynamics.evaluators.constraint_forces.jacobi import Jacobi
from phalanx.dynamics.evaluators.constraint_forces.relaxation import (
    GaussSeidel,
    SuccessiveOverRelaxation,
)
from phalanx.dynamics.evaluators.constraint_forces.solution import LinearSolver
from phalanx.equations import inverse_dynamics
from phalanx.kernel import compile
from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array
from phalanx.planning.motions import Trajectory
from phalanx.simulation.formulations.formulation import Control
from phalanx.studies.sharf.machines import Manoeuvre, substitute_arm

TOLERANCE = 1e-6  # of the integrator in the paper, and a tenth of it for iterations


@final
@dataclass(frozen=True)
class Iteration:
    """An iteration.

    Attributes:
        name: As the paper calls it, for the command line.
        solver: What it is here.
        parallel: Whether all joints step at the same time.
        printed: Table 2 of the paper, of the planar manoeuvre and the one in space: accuracy
            [per cent], average iterations, seconds on a Sun 3/60.
    """

    name: str
    solver: LinearSolver
    parallel: bool
    printed: tuple[tuple[float, int, float], tuple[float, int, float]]


ITERATIONS = (
    Iteration("jacobi", Jacobi(), True, ((0.05, 26, 12.2), (0.02, 1483, 470.0))),
    Iteration("j-si", ChebyshevJacobi(), True, ((0.03, 16, 10.0), (0.08, 694, 164.0))),
    Iteration("j-cg", ConjugateGradientJacobi(), True, ((0.05, 7, 8.8), (0.05, 12, 8.8))),
    Iteration("gauss-seidel", GaussSeidel(), False, ((0.03, 14, 9.0), (0.04, 197, 63.0))),
    Iteration("sor", SuccessiveOverRelaxation(), False, ((0.03, 10, 8.6), (0.05, 150, 39.0))),
)


@cache
def replay(manoeuvre: Manoeuvre) -> Control:
    """Joint forces that the manoeuvre takes, whatever the arm does."""
    return forces_of(substitute_arm(), manoeuvre.trajectory)


def forces_of(mechanism: Mechanism, trajectory: Trajectory) -> Control:
    """Joint forces of a motion over time, compiled."""
    t = SX.sym("t")
    tau = inverse_dynamics.recursive(mechanism, *(SX(part) for part in trajectory.function(t)))
    kernel = compile(ca.Function("forces_of_motion", [t], [tau], ["t"], ["tau"]))

    def control(t: float, q: Array, v: Array) -> Array:
        return np.asarray(kernel.call(np.array([t])))

    return control
