"""Task times on every processor of a computer: latencies, and how long they occupy it."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence

from phalanx.base.errors import InvalidInput
from phalanx.kernel.graph.operations import Operations
from phalanx.multiprocessor.computers.computer import Computer
from phalanx.multiprocessor.computers.operators import Operator, needs
from phalanx.multiprocessor.computers.placement import Placement
from phalanx.multiprocessor.computers.speed import Speed
from phalanx.multiprocessor.tasks.task_graph import Task, TaskGraph

Times = list[float]


def task_times(graph: TaskGraph, computer: Computer) -> list[Times]:
    """A list for every processor, with the latency of every task; equal processors share one list.

    A task that a processor cannot do takes it forever.
    """
    return _lists(graph, computer, lambda speed: speed.time)


def task_tails(graph: TaskGraph, computer: Computer) -> list[Times]:
    """The same lists, with the time from when a processor is free again until results are there.

    Zero where a processor is not pipelined.
    """
    return _lists(graph, computer, lambda speed: speed.tail)


def task_occupancies(graph: TaskGraph, computer: Computer) -> list[Times]:
    """The same lists, with the time for which a task occupies the processor."""
    return _lists(graph, computer, lambda speed: speed.occupancy)


def release_times(
    graph: TaskGraph, computer: Computer, placements: Sequence[Placement]
) -> list[float]:
    """When the processor of each placement can start another task: at its end less its tail."""
    if not computer.is_pipelined:
        return [placement.end for placement in placements]
    tails, there = task_tails(graph, computer), range(computer.processors)
    released = []
    for task, p, start, end in placements:
        tail = tails[p][task] if p in there else 0.0
        released.append(max(start, end - tail) if tail else end)  # a wrong plan may end too soon
    return released


def _lists(
    graph: TaskGraph,
    computer: Computer,
    cost_of: Callable[[Speed | Operator], Callable[[Task], float]],
) -> list[Times]:
    of_speed: dict[object, Times] = {}
    lists = []
    for processor in range(computer.processors):
        speed = computer.speed_of(processor)
        # an array has thousands of operators of a few kinds, each with a name of its own
        alike: object = speed
        if isinstance(speed, Operator):
            alike = frozenset(speed.times.items()), frozenset(speed.intervals.items())
        if alike not in of_speed:
            of_speed[alike] = _costs(graph, cost_of(speed))
        lists.append(of_speed[alike])
    return lists


def quickest_times(graph: TaskGraph, computer: Computer) -> Times:
    """Time of each task on the processor that is quickest at it.

    Raises:
        InvalidInput: When a task is there that no processor can do.
    """
    lists = _different(task_times(graph, computer))
    times = list(lists[0]) if len(lists) == 1 else [min(of) for of in zip(*lists, strict=True)]
    return _finite(times, graph, computer)


def quickest_occupancies(graph: TaskGraph, computer: Computer) -> Times:
    """The shortest time for which each task occupies any of the processors that can do it."""
    lists = _different(task_occupancies(graph, computer))
    return list(lists[0]) if len(lists) == 1 else [min(of) for of in zip(*lists, strict=True)]


def able_processors(graph: TaskGraph, computer: Computer) -> list[frozenset[int]]:
    """For each task the processors that can do it, at least one.

    Raises:
        InvalidInput: When a task is there that no processor can do.
    """
    everyone = frozenset(range(computer.processors))
    if not computer.has_operators:
        return [everyone] * len(graph)
    lists = task_times(graph, computer)
    quickest_times(graph, computer)
    alike: dict[int, list[int]] = defaultdict(list)
    for p, times in enumerate(lists):
        alike[id(times)].append(p)
    able: dict[tuple[int, ...], frozenset[int]] = {}
    of_task = []
    for i in range(len(graph)):
        kinds = tuple(kind for kind, group in alike.items() if lists[group[0]][i] < math.inf)
        if kinds not in able:
            able[kinds] = frozenset(p for kind in kinds for p in alike[kind])
        of_task.append(able[kinds])
    return of_task


def mean_times(graph: TaskGraph, computer: Computer) -> Times:
    """Mean time of each task over the processors that can do it.

    Raises:
        InvalidInput: When a task is there that no processor can do.
    """
    lists = task_times(graph, computer)
    if len(_different(lists)) == 1:
        times = list(lists[0])
    else:
        times = [_mean(of) for of in zip(*lists, strict=True)]
    return _finite(times, graph, computer)


def serial_time(graph: TaskGraph, computer: Computer) -> float:
    """Time of all tasks on the quickest single processor, each when the one before has its results.

    Where none can do all of them: one after the other, each on its quickest operator.
    """
    alone = min(sum(times) for times in _different(task_times(graph, computer)))
    return sum(quickest_times(graph, computer)) if math.isinf(alone) else alone


def serial_processor(graph: TaskGraph, computer: Computer) -> int:
    """The processor that is quickest at all tasks together, the first among equals."""
    lists = task_times(graph, computer)
    total = {id(times): sum(times) for times in _different(lists)}
    return min(range(computer.processors), key=lambda p: total[id(lists[p])])


def _different(lists: list[Times]) -> list[Times]:
    return list({id(times): times for times in lists}.values())


def _mean(times: tuple[float, ...]) -> float:
    able = [time for time in times if not math.isinf(time)]
    return sum(able) / len(able) if able else math.inf


def _finite(times: Times, graph: TaskGraph, computer: Computer) -> Times:
    """The times, when each task can be done by some processor."""
    if math.inf in times:
        task = graph.tasks[times.index(math.inf)]
        speeds = [computer.speed_of(p) for p in range(computer.processors)]
        kinds = dict.fromkeys(kind for s in speeds if isinstance(s, Operator) for kind in s.times)
        raise InvalidInput(
            f"no processor of {computer.name} can do task '{task.name}', which needs "
            f"{needs(task)}; they do {', '.join(kinds)}. Add an operator for it."
        )
    return times


def _costs(graph: TaskGraph, cost: Callable[[Task], float]) -> Times:
    # many tasks are alike, so each kind is timed once
    of_kind: dict[tuple[str, Operations] | Operations, float] = {}
    times = []
    for task in graph.tasks:
        key = (task.kind, task.operations) if task.kind else task.operations
        time = of_kind.get(key)
        if time is None:
            time = of_kind[key] = cost(task)
        times.append(time)
    return times
