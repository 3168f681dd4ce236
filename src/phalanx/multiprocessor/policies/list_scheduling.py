"""List scheduling: whenever a processor is free, it takes the most urgent task that is ready.

Policy: time moves from one end of a task to the next. Tasks whose predecessors have all ended wait
in a queue, the most urgent first. Each takes the free processor on which it would end first if
wires were free (its data may still be on the way), the lowest number among equals. Nothing is
preempted, and no processor stays idle to wait for a better task. State: the queue, the free
processors, what is running, when each wire is free again.
"""

from __future__ import annotations

import heapq
from bisect import insort
from collections.abc import Sequence
from typing import Any

from phalanx.multiprocessor.computers.computer import Computer
from phalanx.multiprocessor.computers.placement import Placement
from phalanx.multiprocessor.plans.schedule import Schedule
from phalanx.multiprocessor.policies.lock_step import lock_step_schedule
from phalanx.multiprocessor.policies.traffic import Traffic
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
    queue = [(urgency[i], i) for i, count in enumerate(waiting) if not count]
    heapq.heapify(queue)
    free = list(range(computer.processors))
    running: list[tuple[float, int, int]] = []  # end, task, processor
    traffic = Traffic(graph, computer)
    now = 0.0
    while queue or running:
        while queue and free:
            _, i = heapq.heappop(queue)
            where = traffic.best_processor(i, free, now)
            start = traffic.bring(i, where, now)
            end = start + traffic.time(i, where)
            traffic.place(Placement(i, where, start, end))
            free.remove(where)
            heapq.heappush(running, (end, i, where))
        now = running[0][0]
        while running and running[0][0] <= now:
            _, i, where = heapq.heappop(running)
            insort(free, where)
            for s in graph.successors[i]:
                waiting[s] -= 1
                if not waiting[s]:
                    heapq.heappush(queue, (urgency[s], s))
    return Schedule(graph, computer, traffic.placements(), tuple(traffic.messages), policy)
