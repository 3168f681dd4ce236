"""Optimal scheduling by constraint programming (CP-SAT): the shortest plan, or a proven bound.

Policy: starts are whole numbers in the computer's common unit of time. The better of the list
schedules is the first plan; the search looks for shorter ones and for proof that there are none,
until the bound meets the plan or the time is up. For equal processors that see each other's results
at once, a plan is a start for every task such that never more than p are occupied. For others every
task is also given to a processor, and waits for what comes from elsewhere. A task occupies a
pipelined processor for less than the time after which its results are there. The search has one
worker and a fixed seed: one that ends before its time is up always gives the same plan.

Reference:
    The search is CP-SAT of Google's OR-tools: constraint programming with clause learning.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from phalanx.base.errors import InvalidInput, MissingExtra
from phalanx.kernel.interrupts.interruptible import interruptible
from phalanx.multiprocessor.computers.computer import Computer
from phalanx.multiprocessor.computers.costs import (
    able_processors,
    task_occupancies,
    task_times,
)
from phalanx.multiprocessor.computers.placement import Placement
from phalanx.multiprocessor.computers.speed import check_time
from phalanx.multiprocessor.plans.bounds import lower_bound
from phalanx.multiprocessor.plans.critical_path import earliest_starts, levels
from phalanx.multiprocessor.plans.schedule import Schedule
from phalanx.multiprocessor.policies.earliest_finish import earliest_finish
from phalanx.multiprocessor.policies.highest_level_first import highest_level_first
from phalanx.multiprocessor.policies.layered import layered
from phalanx.multiprocessor.policies.time_grid import TimeGrid, time_grid
from phalanx.multiprocessor.tasks.task_graph import TaskGraph

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel, CpSolver

_NAME = "exact"
_ROUNDING = 1e-9


def exact(graph: TaskGraph, computer: Computer, *, time_limit: float = 60.0) -> Schedule:
    """The shortest plan, or the shortest found and a bound.

    Args:
        graph: The tasks; some hundreds at most.
        computer: Processors that see each other's results after one fixed time.
        time_limit: When to give up [s].

    Returns:
        A plan with its ``bound``; ``is_proven_shortest`` when the two meet.

    Raises:
        InvalidInput: The computer has wires or lanes, or times without a common unit.
        MissingExtra: OR-tools are not installed.
    """
    check_time("the time limit of an exact search", time_limit)
    wait = computer.agreement
    if wait is None or computer.in_lock_step:
        raise InvalidInput(
            f"the exact search knows no wires and no lanes, so it cannot plan for {computer.name}. "
            "Take earliest_finish, and lower_bound to judge it."
        )
    bound = lower_bound(graph, computer)
    policies = (highest_level_first, layered, earliest_finish)
    plans = [policy(graph, computer) for policy in policies]
    best = replace(min(plans, key=lambda plan: plan.makespan), policy=_NAME, bound=bound)
    if best.is_proven_shortest:
        return best
    costs = (*task_times(graph, computer), *task_occupancies(graph, computer))
    times = {t for of in costs for t in of if not math.isinf(t)}
    grid = time_grid([*times, wait])
    if computer.is_uniform and not wait:
        return _shared_by_all(graph, computer, grid, best, time_limit)
    return _on_processors(graph, computer, wait, grid, best, time_limit)


def _shared_by_all(
    graph: TaskGraph, computer: Computer, grid: TimeGrid, best: Schedule, time_limit: float
) -> Schedule:
    """Starts first, processors afterwards: with equal ones any free one will do."""
    model = _new_model()
    time = [grid.count(t) for t in task_times(graph, computer)[0]]
    occupied = [grid.count(t) for t in task_occupancies(graph, computer)[0]]
    start, makespan = _starts(model, graph, computer, grid, best)
    intervals = [
        model.new_fixed_size_interval_var(start[i], occupied[i], "") for i in range(len(graph))
    ]
    model.add_cumulative(intervals, [1] * len(graph), computer.processors)
    for i, before in enumerate(graph.predecessors):
        model.add(makespan >= start[i] + time[i])
        for p in before:
            model.add(start[i] >= start[p] + time[p])
    solver, found = _search(model, makespan, time_limit)
    bound = max(best.bound or 0.0, solver.best_objective_bound * grid.unit)
    if not found:
        return replace(best, bound=bound)
    starts = [solver.value(variable) for variable in start]
    placements = _dealt_out(graph, computer, grid, starts)
    return Schedule(graph, computer, placements, policy=_NAME, bound=bound)


def _on_processors(
    graph: TaskGraph,
    computer: Computer,
    agreement: float,
    grid: TimeGrid,
    best: Schedule,
    time_limit: float,
) -> Schedule:
    """A start and a processor for every task."""
    model = _new_model()
    processors = range(computer.processors)
    able = able_processors(graph, computer)
    times, occupied = (
        [
            [grid.count(t) if p in able[i] else 0 for i, t in enumerate(of)]
            for p, of in enumerate(costs)
        ]
        for costs in (task_times(graph, computer), task_occupancies(graph, computer))
    )
    wait = grid.count(agreement)
    start, makespan = _starts(model, graph, computer, grid, best)
    end = [model.new_int_var(0, grid.count(best.makespan), "") for _ in graph.tasks]
    on = [[model.new_bool_var("") for _ in processors] for _ in graph.tasks]
    for i in range(len(graph)):
        model.add_exactly_one(on[i][p] for p in able[i])
        for p in set(processors) - able[i]:
            model.add(on[i][p] == 0)
        model.add(makespan >= end[i])
        model.add(end[i] == start[i] + sum(times[p][i] * on[i][p] for p in processors))
    for p in processors:
        model.add_no_overlap(
            model.new_optional_fixed_size_interval_var(start[i], occupied[p][i], on[i][p], "")
            for i in range(len(graph))
        )
    for i, before in enumerate(graph.predecessors):
        for b in before:
            together = model.new_bool_var("")
            for p in processors:
                model.add(on[i][p] == on[b][p]).only_enforce_if(together)
            model.add(start[i] >= end[b])
            model.add(start[i] >= end[b] + wait).only_enforce_if(together.negated())
    if computer.is_uniform and len(graph):
        # equal processors may be renamed, so the first task is on the first
        model.add(on[graph.order[0]][0] == 1)
    for placement in best.placements:
        for p in processors:
            model.add_hint(on[placement.task][p], p == placement.processor)
    solver, found = _search(model, makespan, time_limit)
    bound = max(best.bound or 0.0, solver.best_objective_bound * grid.unit)
    if not found:
        return replace(best, bound=bound)
    placements = []
    for i in range(len(graph)):
        where = next(p for p in processors if solver.value(on[i][p]))
        begin = solver.value(start[i]) * grid.unit
        placements.append(Placement(i, where, begin, begin + computer.time(graph.tasks[i], where)))
    placements.sort(key=lambda p: (p.start, p.processor))
    return Schedule(graph, computer, tuple(placements), policy=_NAME, bound=bound)


def _new_model() -> CpModel:
    try:
        from ortools.sat.python.cp_model import CpModel
    except ImportError:
        raise MissingExtra("the exact search", "exact") from None
    return CpModel()


def _starts(
    model: CpModel, graph: TaskGraph, computer: Computer, grid: TimeGrid, best: Schedule
) -> tuple[list[Any], Any]:
    """A variable for every start, within its window, and one for the length of the plan."""
    longest = grid.count(best.makespan)
    shortest = int(-(-(best.bound or 0.0) * (1 - _ROUNDING) // grid.unit))
    makespan = model.new_int_var(shortest, longest, "makespan")
    earliest = earliest_starts(graph, computer)
    remaining = levels(graph, computer)
    start = [
        model.new_int_var(grid.count(first), longest - grid.count(left), "")
        for first, left in zip(earliest, remaining, strict=True)
    ]
    for i, left in enumerate(remaining):
        model.add(makespan >= start[i] + grid.count(left))
    for placement in best.placements:
        model.add_hint(start[placement.task], grid.count(placement.start))
    model.add_hint(makespan, longest)
    return start, makespan


def _search(model: CpModel, makespan: Any, time_limit: float) -> tuple[CpSolver, bool]:
    """Make the plan as short as possible; whether a plan was found."""
    from ortools.sat.python import cp_model

    model.minimize(makespan)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 1
    solver.parameters.max_time_in_seconds = time_limit
    solver.parameters.catch_sigint_signal = False  # it would take Ctrl-C for a shorter time limit
    status = interruptible(lambda: solver.solve(model), solver.stop_search)
    return solver, status in (cp_model.OPTIMAL, cp_model.FEASIBLE)


def _dealt_out(
    graph: TaskGraph, computer: Computer, grid: TimeGrid, starts: Sequence[int]
) -> tuple[Placement, ...]:
    """Processors for tasks that start when the search says; the lowest free number each.

    A task that takes no time needs no processor to itself: it stands at the end of the last task
    it waits for.
    """
    time, occupied = task_times(graph, computer)[0], task_occupancies(graph, computer)[0]
    placed: dict[int, Placement] = {}
    free = list(range(computer.processors))
    running: list[tuple[int, int]] = []  # until when it is occupied, processor
    for i in sorted(range(len(graph)), key=lambda i: starts[i]):
        if time[i]:
            while running and running[0][0] <= starts[i]:
                heapq.heappush(free, heapq.heappop(running)[1])
            where, begin = heapq.heappop(free), starts[i] * grid.unit
            heapq.heappush(running, (starts[i] + grid.count(occupied[i]), where))
            placed[i] = Placement(i, where, begin, begin + time[i])
    for i in graph.order:
        if not time[i]:
            before = [placed[p] for p in graph.predecessors[i]]
            last = max(before, key=lambda p: p.end, default=Placement(i, 0, 0.0, 0.0))
            placed[i] = Placement(i, last.processor, last.end, last.end)
    return tuple(sorted(placed.values(), key=lambda p: (p.start, p.processor)))
