"""Tasks on the operators that an array has for them.

An array is a rule that gives each task a station, an operator with a name. Tasks with the same
station take turns. When each starts follows from the rule and the times of operators alone: as soon
as its data are there and its station is free (*data-driven*), or at offsets that are the same at
every step of a recursion (*padded*), as a device needs them that is driven by a clock.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable

from phalanx.errors import InvalidInput
from phalanx.multiprocessor.computers.costs import task_times
from phalanx.multiprocessor.computers.placement import Placement, has_happened
from phalanx.multiprocessor.computers.shared_memory import SharedMemory
from phalanx.multiprocessor.computers.vector_operator import vector_operator
from phalanx.multiprocessor.plans.schedule import Schedule
from phalanx.multiprocessor.tasks.vector_operators import Place, VectorTasks

Station = Callable[[Place], str]
Step = Callable[[Place], int]


def on_stations(
    tasks: VectorTasks,
    name: str,
    station: Station,
    *,
    multiply: float,
    add: float,
    padded: tuple[Step, float] | None = None,
) -> Schedule:
    """Tasks on their stations.

    Args:
        tasks: What is to be done.
        name: Of the array, for people.
        station: The operator of each place.
        multiply: Time of a multiplication.
        add: Time of an addition.
        padded: The step of a recursion that a place belongs to, and the time from a step to the
            next; data-driven when not given.

    Raises:
        InvalidInput: No offsets let the recursion take a step in that time.
    """
    names = [station(place) for place in tasks.places]
    kinds: dict[str, dict[str, None]] = {}
    for task, operator in zip(tasks.graph.tasks, names, strict=True):
        kinds.setdefault(operator, {})[task.kind] = None
    number = {operator: k for k, operator in enumerate(kinds)}
    operators = [
        vector_operator(one, able, multiply=multiply, add=add) for one, able in kinds.items()
    ]
    array = SharedMemory(len(operators), operators, "Flops", name)
    where = [number[operator] for operator in names]
    lists = task_times(tasks.graph, array)
    times = [lists[p][task] for task, p in enumerate(where)]
    held = [0.0] * len(where) if padded is None else _offsets(tasks, times, *padded)
    starts = _as_soon_as_possible(tasks, times, where, held)
    placements = sorted(
        (Placement(i, where[i], start, start + times[i]) for i, start in enumerate(starts)),
        key=lambda placed: (placed.start, placed.task),
    )
    return Schedule(tasks.graph, array, tuple(placements), policy=name)


def _as_soon_as_possible(
    tasks: VectorTasks, times: list[float], where: list[int], held: list[float]
) -> list[float]:
    """When each task starts: data there, station free, first come first served, not too soon."""
    graph = tasks.graph
    waiting = [len(before) for before in graph.predecessors]
    ready = list(held)
    queue = [(ready[i], i) for i, count in enumerate(waiting) if not count]
    heapq.heapify(queue)
    free: dict[int, float] = {}
    starts = [0.0] * len(graph)
    while queue:
        moment, i = heapq.heappop(queue)
        if free.get(where[i], 0.0) > moment:
            heapq.heappush(queue, (free[where[i]], i))
            continue
        starts[i] = moment
        end = free[where[i]] = moment + times[i]
        for successor in graph.successors[i]:
            ready[successor] = max(ready[successor], end)
            waiting[successor] -= 1
            if not waiting[successor]:
                heapq.heappush(queue, (ready[successor], successor))
    return starts


def _offsets(tasks: VectorTasks, times: list[float], step: Step, cycle: float) -> list[float]:
    """The earliest starts with which tasks of one role start a cycle later at every step.

    The smallest solution of the source's inequalities: offsets grow from nothing until every task
    has its data. A solution is found before every role has been held up by every other.
    """
    graph = tasks.graph
    before = [step(place) * cycle for place in tasks.places]
    roles = [(place.direction, place.level > 0, place.role) for place in tasks.places]
    offsets = dict.fromkeys(roles, -math.inf)
    for _ in range(len(offsets) + 1):
        starts = [offsets[role] + at for role, at in zip(roles, before, strict=True)]
        for i in graph.order:
            ends = (starts[p] + times[p] for p in graph.predecessors[i])
            starts[i] = max(0.0, starts[i], *ends)
        moved = dict(offsets)
        for role, start, at in zip(roles, starts, before, strict=True):
            moved[role] = max(moved[role], start - at)
        late = max(moved, key=lambda role: moved[role] - offsets[role])
        if has_happened(moved[late], offsets[late]):
            return starts
        offsets = moved
    raise InvalidInput(
        f"'{graph.name}' cannot take a step every {cycle:g}: {late[2]} ({late[0]}) falls behind at "
        "every step. Give it more time."
    )
