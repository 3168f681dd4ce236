"""Topological order of tasks and hops of a schedule, kept by every rank for its own events.

Policy: nothing comes before what it waits for, and otherwise what the schedule has earlier comes
first. Ranks that keep one order never deadlock: the first event that is not done yet waits for
nothing.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from phalanx.multiprocessor.plans.route import course, tapped_hop
from phalanx.multiprocessor.plans.schedule import Schedule


class TaskEvent(NamedTuple):
    """A task on a processor."""

    task: int
    processor: int


class HopEvent(NamedTuple):
    """A message on one of its wires.

    Attributes:
        message: Its number in the plan.
        hop: Which of its wires.
        source: The processor before the wire.
        destination: The processor after it.
        taps: Processors that read it from the wire.
    """

    message: int
    hop: int
    source: int
    destination: int
    taps: tuple[int, ...]


Event = TaskEvent | HopEvent


def ordered_events(plan: Schedule) -> Iterator[Event]:
    """Yield all events of a schedule without violations, each after those it waits for."""
    events, starts = _events(plan)
    number = {event: k for k, event in enumerate(events)}
    waiting = _waiting(plan, events, number)
    after: dict[int, list[int]] = defaultdict(list)
    for k, before in enumerate(waiting):
        for one in before:
            after[one].append(k)
    missing = [len(before) for before in waiting]
    ready = [(starts[k], k) for k, count in enumerate(missing) if not count]
    heapq.heapify(ready)
    done = 0
    while ready:
        _, k = heapq.heappop(ready)
        yield events[k]
        done += 1
        for one in after[k]:
            missing[one] -= 1
            if not missing[one]:
                heapq.heappush(ready, (starts[one], one))
    assert done == len(events), "a plan without violations can be carried out"


def _events(plan: Schedule) -> tuple[list[Event], list[float]]:
    events: list[Event] = []
    starts = []
    for placement in plan.placements:
        events.append(TaskEvent(placement.task, placement.processor))
        starts.append(placement.start)
    for m, message in enumerate(plan.messages):
        way = course(plan.computer, message)
        taps = {tap: tapped_hop(plan.computer, message, tap) for tap in message.taps}
        for h, hop in enumerate(message.hops):
            here = tuple(tap for tap, at in taps.items() if at == h)
            events.append(HopEvent(m, h, way[h], way[h + 1], here))
            starts.append(hop.start)
    return events, starts


def _waiting(plan: Schedule, events: list[Event], number: dict[Event, int]) -> list[set[int]]:
    """Return for each event those it waits for."""
    at = {run.task: k for k, run in enumerate(events) if isinstance(run, TaskEvent)}
    hops = {(hop.message, hop.hop): k for k, hop in enumerate(events) if isinstance(hop, HopEvent)}
    brings = _arrivals(plan, hops)
    waiting: list[set[int]] = [set() for _ in events]
    for processor in range(plan.computer.processors):
        line = [number[TaskEvent(p.task, processor)] for p in plan.on_processor(processor)]
        for before, then in pairwise(line):
            waiting[then].add(before)
    for k, event in enumerate(events):
        if isinstance(event, HopEvent):
            if event.hop:
                waiting[k].add(hops[event.message, event.hop - 1])
                continue
            task = plan.messages[event.message].task
            runner = events[at[task]]
            assert isinstance(runner, TaskEvent)
            # a processor that has not computed what it sends passes on what a message has brought
            own = runner.processor == event.source
            waiting[k].add(at[task] if own else brings[task, event.source])
            continue
        for p in plan.graph.predecessors[event.task]:
            source = events[at[p]]
            assert isinstance(source, TaskEvent)
            here = source.processor == event.processor
            waiting[k].add(at[p] if here else brings[p, event.processor])
    return waiting


def _arrivals(plan: Schedule, hops: dict[tuple[int, int], int]) -> dict[tuple[int, int], int]:
    """Return by task and processor the hop that first brings the task's results there."""
    found: dict[tuple[int, int], tuple[float, int]] = {}
    for m, message in enumerate(plan.messages):
        readers = {tap: tapped_hop(plan.computer, message, tap) for tap in message.taps}
        readers[message.destination] = len(message.hops) - 1
        for processor, hop in readers.items():
            assert hop is not None, "a plan without violations"
            key, arrival = (message.task, processor), (message.hops[hop].end, hops[m, hop])
            found[key] = min(found.get(key, arrival), arrival)
    return {key: hop for key, (_, hop) in found.items()}
