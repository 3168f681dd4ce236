"""Heterogeneous earliest finish time (HEFT): each task goes where it ends first.

Policy: a task's rank is its mean time plus the longest way to the end after it, where every step
also takes the mean time of a message between two processors. Tasks are placed by falling rank. Each
goes where it ends first, given when its data arrive over the wires as they are then (each message
judged by itself), into the first idle gap that holds what it occupies; the lowest number among
equals. A plan that is slower than all tasks on one processor is given up for that. State: for every
processor its latest idle gaps, and the traffic on the wires.

Lanes in lock-step cannot fill gaps; there the rank is the urgency of a list schedule.

Reference:
    Topcuoglu, Hariri and Wu, Performance-effective and low-complexity task scheduling for
    heterogeneous computing, IEEE Transactions on Parallel and Distributed Systems 13 (2002).
"""

from __future__ import annotations

from phalanx.multiprocessor.computers.computer import Computer
from phalanx.multiprocessor.computers.costs import (
    mean_times,
    serial_processor,
    task_tails,
    task_times,
)
from phalanx.multiprocessor.computers.placement import Placement, has_happened
from phalanx.multiprocessor.plans.schedule import Schedule
from phalanx.multiprocessor.policies.gaps import Gaps
from phalanx.multiprocessor.policies.list_scheduling import list_schedule
from phalanx.multiprocessor.policies.traffic import WireTraffic
from phalanx.multiprocessor.tasks.task_graph import TaskGraph

_NAME = "earliest-finish"


def earliest_finish(graph: TaskGraph, computer: Computer) -> Schedule:
    """A plan that weighs messages against waiting, never slower than one processor."""
    rank = upward_ranks(graph, computer)
    serial = on_one_processor(graph, computer)
    if computer.in_lock_step:
        plan = list_schedule(graph, computer, [-r for r in rank], _NAME)
        return plan if plan.makespan <= serial.makespan else serial
    return _by_rank(graph, computer, rank, serial.makespan) or serial


def upward_ranks(graph: TaskGraph, computer: Computer) -> list[float]:
    """For each task the mean time of the longest way to the end, with messages."""
    message = {task.words: 0.0 for task in graph.tasks}
    everywhere = range(computer.processors)
    for words in message:
        delays = [computer.delay(words, a, b) for a in everywhere for b in everywhere]
        message[words] = sum(delays) / len(delays)
    rank = mean_times(graph, computer)
    for i in reversed(graph.order):
        if graph.successors[i]:
            rank[i] += message[graph.tasks[i].words] + max(rank[s] for s in graph.successors[i])
    return rank


def on_one_processor(graph: TaskGraph, computer: Computer) -> Schedule:
    """All tasks in order on the processor that is quickest at them; a pipeline overlaps them."""
    processor = serial_processor(graph, computer)
    times = task_times(graph, computer)[processor]
    tails = task_tails(graph, computer)[processor]
    placements, free = [], 0.0
    ends = [0.0] * len(graph)
    for i in graph.order:
        start = max([free, *(ends[p] for p in graph.predecessors[i])])
        ends[i] = start + times[i]
        placements.append(Placement(i, processor, start, ends[i]))
        free = ends[i] - tails[i]
    return Schedule(graph, computer, tuple(placements), policy=_NAME)


def _by_rank(
    graph: TaskGraph, computer: Computer, rank: list[float], limit: float
) -> Schedule | None:
    """The plan, or None as soon as it takes longer than the limit."""
    traffic = WireTraffic(graph, computer)
    gaps = traffic.timeline or Gaps(computer.processors)
    position = {i: k for k, i in enumerate(graph.order)}
    for i in sorted(graph.order, key=lambda i: (-rank[i], position[i])):
        times = traffic.times(i)
        occupied = times - traffic.tails(i)
        where = int((gaps.starts(traffic.arrivals(i), occupied) + times).argmin())
        time = traffic.time(i, where)
        start = gaps.take(where, traffic.bring(i, where), time - traffic.tail(i, where))
        if not has_happened(start + time, limit):
            return None
        traffic.place(Placement(i, where, start, start + time))
    return Schedule(graph, computer, traffic.placements(), tuple(traffic.messages), _NAME)
