"""How long every task of a graph takes on every processor of a computer."""

from __future__ import annotations

from phalanx.kernel.graph.operations import Operations
from phalanx.multiprocessor.computers.computer import Computer
from phalanx.multiprocessor.computers.speed import Speed
from phalanx.multiprocessor.tasks.task_graph import TaskGraph

Times = list[float]


def task_times(graph: TaskGraph, computer: Computer) -> list[Times]:
    """A list for every processor, with the time of every task; equal processors share one list."""
    of_speed: dict[Speed, Times] = {}
    lists = []
    for processor in range(computer.processors):
        speed = computer.speed_of(processor)
        if speed not in of_speed:
            of_speed[speed] = _times(graph, speed)
        lists.append(of_speed[speed])
    return lists


def quickest_times(graph: TaskGraph, computer: Computer) -> Times:
    """What each task takes on the processor that is quickest at it."""
    lists = _different(task_times(graph, computer))
    return list(lists[0]) if len(lists) == 1 else [min(times) for times in zip(*lists, strict=True)]


def mean_times(graph: TaskGraph, computer: Computer) -> Times:
    """What each task takes on average over the processors."""
    lists = task_times(graph, computer)
    if len(_different(lists)) == 1:
        return list(lists[0])
    return [sum(times) / computer.processors for times in zip(*lists, strict=True)]


def serial_processor(graph: TaskGraph, computer: Computer) -> int:
    """The processor that is quickest at all tasks together, the first among equals."""
    lists = task_times(graph, computer)
    total = {id(times): sum(times) for times in _different(lists)}
    return min(range(computer.processors), key=lambda p: total[id(lists[p])])


def _different(lists: list[Times]) -> list[Times]:
    return list({id(times): times for times in lists}.values())


def _times(graph: TaskGraph, speed: Speed) -> Times:
    # many tasks are alike, so each kind is timed once
    of_kind: dict[Operations, float] = {}
    times = []
    for task in graph.tasks:
        time = of_kind.get(task.operations)
        if time is None:
            time = of_kind[task.operations] = speed.of(task.operations)
        times.append(time)
    return times
