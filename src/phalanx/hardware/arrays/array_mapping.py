"""Array mapping: recursions placed on arrays, and how often a new sample may enter.

Policy: where every step has operators of its own, a sample enters after the time of one step, or of
the operator that takes longest; where steps share them, when the sample before has left. Where
operators are pipelined, a sample enters as soon as they allow, which is after as many of their
initiation intervals as the busiest has tasks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from phalanx.hardware.arrays.array import OperatorArray
from phalanx.hardware.arrays.operator_binding import (
    BindingRule,
    Step,
    bound_schedule,
    serving_both_ways,
)
from phalanx.multiprocessor.plans.interval import initiation_interval
from phalanx.multiprocessor.plans.periodic import Periodic
from phalanx.multiprocessor.plans.schedule import Schedule
from phalanx.multiprocessor.tasks.vector_operators import VectorTasks


@final
@dataclass(frozen=True)
class Pace:
    """How quick operators are, and when samples enter; see :func:`linear_array`."""

    multiply: float
    add: float
    interval: float | None
    padded: bool
    multiply_interval: float | None = None
    add_interval: float | None = None

    @property
    def step(self) -> float:
        """Time of one step of either recursion: a matrix times a vector, and a sum."""
        return self.multiply + 3 * self.add

    def step_of(self, tasks: VectorTasks) -> float:
        """The same with the sums that branches take."""
        return self.step + tasks.further_sums * self.add


def with_own_operators(
    tasks: VectorTasks, name: str, bind: BindingRule, step: Step, pace: Pace
) -> OperatorArray:
    """An array with operators for every step."""
    plan = _plan(tasks, name, bind, step, pace)
    # no operator of a step takes longer than the step, but for sines
    longest = max(placed.end - placed.start for placed in plan.placements)
    interval = _interval(plan, pace, max(pace.step, longest))
    return OperatorArray(name, tasks, Periodic(plan, interval), systolic=True)


def with_operators_again(
    tasks: VectorTasks, name: str, bind: BindingRule, step: Step, pace: Pace, *, shared: bool
) -> OperatorArray:
    """An array whose operators do step after step; ``shared``, for both directions."""
    bind = serving_both_ways(tasks, bind) if shared else bind
    plan = _plan(tasks, name, bind, step, pace)
    interval = _interval(plan, pace, plan.makespan)
    return OperatorArray(name, tasks, Periodic(plan, interval), systolic=False, shared=shared)


def _interval(plan: Schedule, pace: Pace, usual: float) -> float:
    """From a sample to the next: as told, as often as a pipeline allows, or as usual."""
    if pace.interval is not None:
        return pace.interval
    return initiation_interval(plan) if plan.computer.is_pipelined else usual


def _plan(tasks: VectorTasks, name: str, bind: BindingRule, step: Step, pace: Pace) -> Schedule:
    return bound_schedule(
        tasks,
        name,
        bind,
        multiply=pace.multiply,
        add=pace.add,
        multiply_interval=pace.multiply_interval,
        add_interval=pace.add_interval,
        padded=(step, pace.step_of(tasks)) if pace.padded else None,
        interval=pace.interval,
    )
