"""Operator binding: tasks assigned to the operators of an array.

An array is a rule that binds each task to an operator with a name. Tasks of the same operator take
turns. When each starts follows from the rule and the times of operators alone: as soon
as its data are there and its operator is free (*data-driven*), or at offsets that are the same at
every step of a recursion (*padded*), as a device needs them that is driven by a clock. Where a new
sample is to enter before the last one has left pipelined operators, a data-driven task also waits
until its operator is free for it in every sample (*modulo scheduling*).
"""

from __future__ import annotations

import heapq
import math
from collections import defaultdict
from collections.abc import Callable
from typing import NamedTuple

from phalanx.hardware.arrays.modulo_slots import ModuloSlots
from phalanx.multiprocessor.computers.costs import task_occupancies, task_times
from phalanx.multiprocessor.computers.placement import Placement
from phalanx.multiprocessor.computers.shared_memory import SharedMemory
from phalanx.multiprocessor.computers.vector_operator import vector_operator
from phalanx.multiprocessor.plans.availability import AtLeast, smallest_offsets
from phalanx.multiprocessor.plans.schedule import Schedule
from phalanx.multiprocessor.tasks.vector_operators import TaskPlace, VectorTasks

PART = " · "  # between the name of a node and what an operator does in it


class Binding(NamedTuple):
    """An operator of an array.

    Attributes:
        direction: What it works for.
        node: The node that it is a part of, ``3`` or ``tier 2, 5``; empty where there is but one.
        role: What it does in the node.
    """

    direction: str
    node: str
    role: str

    @property
    def name(self) -> str:
        """As ``outward 3 · T4``."""
        return f"{self.direction} {self.node}".rstrip() + PART + self.role


BindingRule = Callable[[TaskPlace], Binding]
Step = Callable[[TaskPlace], int]


def bound_schedule(
    tasks: VectorTasks,
    name: str,
    bind: BindingRule,
    *,
    multiply: float,
    add: float,
    multiply_interval: float | None = None,
    add_interval: float | None = None,
    padded: tuple[Step, float] | None = None,
    interval: float | None = None,
) -> Schedule:
    """Schedule tasks on the operators that they are bound to.

    Args:
        tasks: What is to be done.
        name: Display name of the array.
        bind: Rule that gives the operator of each place.
        multiply: Time of a multiplication.
        add: Time of an addition.
        multiply_interval: Initiation interval of multipliers; see :func:`vector_operator`.
        add_interval: Initiation interval of adders.
        padded: The step of a recursion that a place belongs to, and the time from a step to the
            next; data-driven when not given.
        interval: How often a sample is to enter pipelined operators that are data-driven; as often
            as the busiest operator allows when not given.

    Raises:
        Unsatisfiable: No offsets let the recursion take a step in that time; with the roles.
    """
    names = [bind(place).name for place in tasks.places]
    kinds: dict[str, dict[str, None]] = {}
    for task, operator in zip(tasks.graph.tasks, names, strict=True):
        kinds.setdefault(operator, {})[task.kind] = None
    number = {operator: k for k, operator in enumerate(kinds)}
    operators = [
        vector_operator(
            one,
            able,
            multiply=multiply,
            add=add,
            multiply_interval=multiply_interval,
            add_interval=add_interval,
        )
        for one, able in kinds.items()
    ]
    array = SharedMemory(len(operators), operators, "Flops", name)
    where = [number[operator] for operator in names]
    lists = task_times(tasks.graph, array)
    times = [lists[p][task] for task, p in enumerate(where)]
    held = [0.0] * len(where) if padded is None else _offsets(tasks, times, *padded)
    costs = task_occupancies(tasks.graph, array)
    occupied = [costs[p][task] for task, p in enumerate(where)]
    slots = None
    if array.is_pipelined and padded is None:
        slots = ModuloSlots(where, occupied, 0.0 if interval is None else interval)
    starts = _as_soon_as_possible(tasks, times, occupied, where, held, slots)
    placements = sorted(
        (Placement(i, where[i], start, start + times[i]) for i, start in enumerate(starts)),
        key=lambda placed: (placed.start, placed.task),
    )
    return Schedule(tasks.graph, array, tuple(placements), policy=name)


def serving_both_ways(tasks: VectorTasks, bind: BindingRule) -> BindingRule:
    """The same rule, with operators outward that do also what is done inward.

    An operator inward is left out where its node has one of its kind outward, since the way out has
    mostly ended when the way in begins.
    """
    roles: dict[tuple[str, str, str], dict[str, None]] = defaultdict(dict)
    for place, task in zip(tasks.places, tasks.graph.tasks, strict=True):
        binding = bind(place)
        roles[binding.direction, binding.node, task.kind][binding.role] = None
    instead: dict[Binding, Binding] = {}
    for (direction, node, kind), names in roles.items():
        if direction == "inward":
            for one, other in zip(names, roles.get(("outward", node, kind), ()), strict=False):
                instead[Binding("inward", node, one)] = Binding("outward", node, other)
    return lambda place: instead.get(bind(place), bind(place))


def _as_soon_as_possible(
    tasks: VectorTasks,
    times: list[float],
    occupied: list[float],
    where: list[int],
    held: list[float],
    slots: ModuloSlots | None,
) -> list[float]:
    """Start times: data there, operator free, not too soon; the most urgent task goes first."""
    graph = tasks.graph
    urgency = [-time for time in times]  # minus the longest chain of operations that begins here
    for i in reversed(graph.order):
        urgency[i] += min((urgency[s] for s in graph.successors[i]), default=0.0)
    waiting = [len(before) for before in graph.predecessors]
    ready = list(held)
    queue = [(ready[i], urgency[i], i) for i, count in enumerate(waiting) if not count]
    heapq.heapify(queue)
    free: dict[int, float] = {}
    starts = [0.0] * len(graph)
    while queue:
        moment, urgent, i = heapq.heappop(queue)
        possible = free.get(where[i], 0.0) if slots is None else slots.first(where[i], moment)
        if possible > moment:
            heapq.heappush(queue, (possible, urgent, i))
            continue
        starts[i], end = moment, moment + times[i]
        free[where[i]] = moment + occupied[i]
        if slots is not None:
            slots.take(where[i], moment)
        for successor in graph.successors[i]:
            ready[successor] = max(ready[successor], end)
            waiting[successor] -= 1
            if not waiting[successor]:
                heapq.heappush(queue, (ready[successor], urgency[successor], successor))
    return starts


def _offsets(tasks: VectorTasks, times: list[float], step: Step, cycle: float) -> list[float]:
    """The earliest starts with which tasks of one role start a cycle later at every step."""
    places, predecessors = tasks.places, tasks.graph.predecessors
    before = [step(place) * cycle for place in places]
    roles = [f"{p.direction}{' tier' if p.level else ''} · {p.role}" for p in places]
    delays: dict[tuple[str, str], float] = {}
    starts: dict[str, float] = {}
    for i, role in enumerate(roles):
        starts[role] = max(-before[i], starts.get(role, -math.inf))  # nothing starts before 0
        for p in predecessors[i]:
            delay, pair = times[p] + before[p] - before[i], (role, roles[p])
            delays[pair] = max(delay, delays.get(pair, delay))
    conditions = [AtLeast(role, source, delay) for (role, source), delay in delays.items()]
    offsets = smallest_offsets(conditions, starts)
    return [offsets[role] + at for role, at in zip(roles, before, strict=True)]
