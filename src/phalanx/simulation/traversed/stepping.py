"""Fixed-step integrators over arrays of runs, for long machines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from phalanx.base.errors import InvalidInput
from phalanx.mechanism.pose import Array
from phalanx.simulation.integrators.integrators import (
    ExplicitRungeKutta,
    FixedStep,
    SemiImplicitEuler,
    any_length_text,
)
from phalanx.simulation.integrators.runge_kutta import Tableau
from phalanx.simulation.traversed.field import Workspace

# (workspace, time, states, length) -> states a step later
Step = Callable[[Workspace, Any, Array, float], Array]


def step_of(integrator: FixedStep) -> Step:
    """How a method steps.

    Raises:
        InvalidInput: When it needs the equations of the whole machine.
    """
    match integrator:
        case SemiImplicitEuler():
            return _semi_implicit
        case ExplicitRungeKutta():
            return _explicit(integrator.tableau)
    raise InvalidInput(
        f"{type(integrator).__name__} needs derivatives of the whole machine's equations, which "
        f"are not written out for a machine of this length. Use {any_length_text()}."
    )


def _explicit(tableau: Tableau) -> Step:
    def step(work: Workspace, t: Any, y: Array, h: float) -> Array:
        end: Array = tableau.step(work.rates, t, work.begun(t, y), h)
        return work.ended(end)

    return step


def _semi_implicit(work: Workspace, t: Any, y: Array, h: float) -> Array:
    """Velocities first, then positions with the new velocities."""
    y = work.begun(t, y)
    nq, end = work.nq, work.nq + work.nv
    after = y + h * work.rates(t, y)
    after[:, :nq] = work.field.positions.after(y[:, :nq], h * after[:, nq:end])
    return work.ended(after)
