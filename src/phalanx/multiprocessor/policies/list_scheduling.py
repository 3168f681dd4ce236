"""List scheduling: a free processor takes the most urgent task that is ready.

Policy: time moves to the next moment at which a task ends or a processor is free again, which in a
pipelined processor is earlier. Tasks whose predecessors have all ended wait in a queue, the most
urgent first; where operators do only some tasks, in a queue for each choice of operators that can
do them. Each takes the free processor on which it would end first if wires were free (its data may
still be on the way), the lowest number among equals. Nothing is preempted, and no processor stays
idle to wait for a better task. State: the queues, the free processors, what is running, when each
processor and each wire is free again.
"""

from __future__ import annotations

import heapq
from bisect import insort
from collections.abc import Mapping, Sequence
from typing import Any

from phalanx.multiprocessor.computers.computer import Computer
from phalanx.multiprocessor.computers.costs import able_processors
from phalanx.multiprocessor.computers.placement import Placement
from phalanx.multiprocessor.plans.schedule import Schedule
from phalanx.multiprocessor.policies.lock_step import lock_step_schedule
from phalanx.multiprocessor.policies.traffic import WireTraffic
from phalanx.multiprocessor.tasks.task_graph import TaskGraph


def list_schedule(
    graph: TaskGraph, computer: Computer, urgency: Sequence[Any], policy: str
) -> Schedule:
    """A plan made by list scheduling.

    Args:
        graph: The tasks.
        computer: The processors.
        urgency: For each task something to sort by; the smallest goes first.
        policy: Name for the plan.
    """
    if computer.in_lock_step:
        return lock_step_schedule(graph, computer, urgency, policy)
    waiting = [len(before) for before in graph.predecessors]
    able = able_processors(graph, computer)
    queues: dict[frozenset[int], list[tuple[Any, int]]] = {those: [] for those in able}
    for i, count in enumerate(waiting):
        if not count:
            queues[able[i]].append((urgency[i], i))
    for queue in queues.values():
        heapq.heapify(queue)
    free = list(range(computer.processors))
    only = queues.get(frozenset(free)) if len(queues) == 1 else None  # no need to choose
    running: list[tuple[float, int]] = []  # end, task
    busy: list[tuple[float, int]] = []  # until, processor
    traffic = WireTraffic(graph, computer)
    now = 0.0
    while running or any(queues.values()):
        while free and (ready := only or _most_urgent(queues, free)):
            _, i = heapq.heappop(ready)
            all_can = len(able[i]) == computer.processors
            choice = free if all_can else [p for p in free if p in able[i]]
            where = traffic.best_processor(i, choice, now)
            start, time = traffic.bring(i, where, now), traffic.time(i, where)
            if traffic.timeline is not None:  # messages may take the time of a free processor
                start = traffic.timeline.take(where, start, time)
            end = start + time
            traffic.place(Placement(i, where, start, end))
            free.remove(where)
            heapq.heappush(running, (end, i))
            heapq.heappush(busy, (end - traffic.tail(i, where), where))
        now = min(events[0][0] for events in (running, busy) if events)
        while busy and busy[0][0] <= now:
            insort(free, heapq.heappop(busy)[1])
        while running and running[0][0] <= now:
            for s in graph.successors[heapq.heappop(running)[1]]:
                waiting[s] -= 1
                if not waiting[s]:
                    heapq.heappush(queues[able[s]], (urgency[s], s))
    return Schedule(graph, computer, traffic.placements(), tuple(traffic.messages), policy)


def _most_urgent(
    queues: Mapping[frozenset[int], list[tuple[Any, int]]], free: Sequence[int]
) -> list[tuple[Any, int]] | None:
    """The queue whose first task goes next; None when no task can start now."""
    chosen = None
    for able, queue in queues.items():
        if queue and (chosen is None or queue[0] < chosen[0]) and not able.isdisjoint(free):
            chosen = queue
    return chosen
