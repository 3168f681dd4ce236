"""LSODA (successor of LSODE): Adams formulas, and BDF where the equations are stiff."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

from phalanx.simulation.formulations.stepping import Array, Field, StepFailed, Steps, check_finite
from phalanx.simulation.integrators.integrators import ErrorControlled


@final
@dataclass(frozen=True)
class Lsoda(Steps, ErrorControlled):
    """Multistep formulas of variable order and step, by SciPy.

    It looks at a moment several times, and goes back when a step fails: what a field remembers of
    earlier evaluations has to bear that.

    Attributes:
        relative: Relative tolerance.
        absolute: Absolute tolerance, in the unit of each number.
    """

    relative: float = 1e-6
    absolute: float = 1e-6

    def states(self, field: Field, t: float, x: Array, end: float) -> Iterator[tuple[float, Array]]:
        from scipy.integrate import LSODA

        solver = LSODA(field, t, x, end, rtol=self.relative, atol=self.absolute)
        while solver.status == "running":
            message = solver.step()
            if solver.status == "failed":
                raise StepFailed(f"LSODA stopped at t = {solver.t:.6g} s: {message}")
            if not solver.step_size:  # it would go on without moving
                raise StepFailed(f"steps of LSODA became too short at t = {solver.t:.6g} s.")
            check_finite(solver.t, solver.y, solver.step_size)
            yield float(solver.t), solver.y.copy()
