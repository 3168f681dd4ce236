"""Unrolling of a repeated plan: several samples as one plan."""

from __future__ import annotations

from dataclasses import replace

from phalanx.multiprocessor.computers.placement import Hop, Message, Placement
from phalanx.multiprocessor.plans.schedule import Schedule
from phalanx.multiprocessor.tasks.task_graph import TaskGraph


def unrolled(plan: Schedule, interval: float, sets: int) -> Schedule:
    """Every task once for each sample: ``mul12 #0``, ``mul12 #1``, … in links ``set 0``, ….

    The tasks have costs but no program.
    """
    graph, count = plan.graph, len(plan.graph)
    tasks, before = [], []
    placements: list[Placement] = []
    messages: list[Message] = []
    for k in range(sets):
        first, begin = k * count, k * interval
        for work, waits_for in zip(graph.tasks, graph.predecessors, strict=True):
            tasks.append(replace(work, name=f"{work.name} #{k}", link=f"set {k}", nodes=()))
            before.append(tuple(first + p for p in waits_for))
        for task, processor, start, end in plan.placements:
            placements.append(Placement(first + task, processor, start + begin, end + begin))
        for message in plan.messages:
            hops = tuple(Hop(h.link, h.start + begin, h.end + begin) for h in message.hops)
            messages.append(message._replace(task=first + message.task, hops=hops))
    name = f"{graph.name}, {sets} sets"
    repeated = TaskGraph(name, tuple(tasks), tuple(before), link_means="set")
    placements.sort(key=lambda p: (p.start, p.processor))
    return Schedule(repeated, plan.computer, tuple(placements), tuple(messages), policy=plan.policy)
