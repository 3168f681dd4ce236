"""Warm starts: iterations along a prescribed manoeuvre, by start value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import final

import numpy as np
from numpy.typing import NDArray

from phalanx.dynamics.evaluators.bodies import bodies_of
from phalanx.dynamics.evaluators.constraint_forces.equations import ConstraintEquations
from phalanx.dynamics.evaluators.constraint_forces.jointed import jointed_bodies
from phalanx.dynamics.evaluators.constraint_forces.solution import LinearSolver
from phalanx.dynamics.evaluators.constraint_forces.stopping import Stopping
from phalanx.dynamics.evaluators.constraint_forces.system import ConstraintSystem
from phalanx.dynamics.evaluators.method import still_root
from phalanx.dynamics.evaluators.warm_starts import CUBIC, PREVIOUS, Polynomial, SolutionHistory
from phalanx.equations import inverse_dynamics
from phalanx.equations.expression import expression
from phalanx.kernel import compile
from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array
from phalanx.planning.motions import Trajectory
from phalanx.studies.sharf.bench import ITERATIONS, TOLERANCE, Iteration
from phalanx.studies.sharf.machines import DURATION, PLANAR, SPATIAL, Manoeuvre, substitute_arm

STEP = 0.05  # [s], between moments
STARTS: dict[str, Polynomial | None] = {"zero": None, "previous": PREVIOUS, "cubic": CUBIC}


def systems_along(mechanism: Mechanism, trajectory: Trajectory, t: Array) -> ConstraintSystem:
    """A f = b at moments of a motion, under the forces that it takes."""
    q, v, a = (np.ascontiguousarray(part) for part in trajectory(t))
    tau = compile(expression(inverse_dynamics.recursive, mechanism))(q, v, a)
    equations = ConstraintEquations(jointed_bodies(bodies_of(mechanism)))
    return equations.pose(q, v, tau, still_root(mechanism, len(t))).system


@cache
def manoeuvred(
    manoeuvre: Manoeuvre, begin: float = 0.0, end: float = DURATION, step: float = STEP
) -> tuple[Array, ConstraintSystem]:
    """Moments of a manoeuvre of the substitute arm [s], and A f = b there."""
    t = begin + step * np.arange(round((end - begin) / step) + 1, dtype=np.float64)
    return t, systems_along(substitute_arm(), manoeuvre.trajectory, t)


def count_iterations(
    t: Array,
    system: ConstraintSystem,
    solver: LinearSolver,
    start: Polynomial | None,
    stopping: Stopping,
) -> NDArray[np.intp]:
    """Iterations at each moment, which begin where the moments before lead to."""
    if start is None:
        return solver.solve(system, stopping=stopping).iterations
    history, counts = SolutionHistory(start), []
    for k, now in enumerate(t):
        one = system.take(np.array([k]))
        found = solver.solve(one, history.guess(now), stopping=stopping)
        history.keep(now, found.f)
        counts.append(found.iterations[0])
    return np.array(counts)


@final
@dataclass(frozen=True)
class StartRow:
    """Average iterations of one solver along one manoeuvre, by start."""

    iteration: Iteration
    manoeuvre: Manoeuvre
    zero: float
    previous: float
    cubic: float


def warm_starts(
    iterations: Sequence[Iteration] = ITERATIONS,
    *,
    begin: float = 0.0,
    end: float = DURATION,
    tolerance: float = TOLERANCE / 10,
    progress: Callable[[str], None] | None = None,
) -> list[StartRow]:
    """Iterations along both manoeuvres from zero, from the solution before, and from a cubic.

    Args:
        iterations: The solvers.
        begin: Of the part of the manoeuvres that is looked at [s].
        end: Of that part [s].
        tolerance: Of the relative change of a step, at which it stops.
        progress: Told what is about to be counted.
    """
    report, rows = progress or (lambda what: None), []
    for manoeuvre in (PLANAR, SPATIAL):
        t, system = manoeuvred(manoeuvre, begin, end)
        for iteration in iterations:
            report(f"{iteration.name}, {manoeuvre.name}")
            counted = {
                name: float(
                    count_iterations(
                        t, system, iteration.solver, start, Stopping(change=tolerance)
                    ).mean()
                )
                for name, start in STARTS.items()
            }
            rows.append(StartRow(iteration, manoeuvre, **counted))
    return rows
