"""List scheduling for lanes in lock-step (SIMD): the most urgent task and those of its kind.

Policy: in every step the most urgent ready task decides what is done; as many ready tasks with the
same operations as there are lanes go with it, the most urgent first, and all end together. The next
step begins when the lanes are free, which in pipelined lanes is before the results are there. A
lane keeps a value where it was computed, and a task goes to a lane that holds what it reads if that
lane is free. State: the queue of each kind of task, what is running, the time.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Any

from phalanx.kernel.graph.operations import Operations
from phalanx.multiprocessor.computers.computer import Computer
from phalanx.multiprocessor.computers.placement import Placement
from phalanx.multiprocessor.plans.schedule import Schedule
from phalanx.multiprocessor.policies.traffic import WireTraffic
from phalanx.multiprocessor.tasks.task_graph import TaskGraph


def lock_step_schedule(
    graph: TaskGraph, computer: Computer, urgency: Sequence[Any], policy: str
) -> Schedule:
    """A plan in which all lanes do the same at a time (see ``list_schedule``)."""
    waiting = [len(before) for before in graph.predecessors]
    queues: dict[Operations, list[tuple[Any, int]]] = {}

    def ready(i: int) -> None:
        heapq.heappush(queues.setdefault(graph.tasks[i].operations, []), (urgency[i], i))

    for i, count in enumerate(waiting):
        if not count:
            ready(i)
    traffic = WireTraffic(graph, computer)
    running: list[tuple[float, int, int]] = []  # end, number, task
    now = 0.0
    while queues or running:
        while running and (running[0][0] <= now or not queues):
            end, _, i = heapq.heappop(running)
            now = max(now, end)
            for s in graph.successors[i]:
                waiting[s] -= 1
                if not waiting[s]:
                    ready(s)
        if not queues:
            break
        kind = min(queues, key=lambda k: queues[k][0])
        queue = queues[kind]
        step: list[int] = []
        while queue and len(step) < computer.processors:
            step.append(heapq.heappop(queue)[1])
        if not queue:
            del queues[kind]
        free = list(range(computer.processors))
        lanes = []
        for i in step:
            lane = traffic.best_processor(i, free, now)
            free.remove(lane)
            lanes.append(lane)
        start = max(traffic.bring(i, lane, now) for i, lane in zip(step, lanes, strict=True))
        end = start + traffic.time(step[0], 0)
        for i, lane in zip(step, lanes, strict=True):
            traffic.place(Placement(i, lane, start, end))
            heapq.heappush(running, (end, len(running), i))
        now = end - traffic.tail(step[0], 0)
    return Schedule(graph, computer, traffic.placements(), tuple(traffic.messages), policy)
