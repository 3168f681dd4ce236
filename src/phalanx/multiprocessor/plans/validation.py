"""Validation of schedules: precedence and resource conflicts."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from phalanx.multiprocessor.computers.computer import Computer
from phalanx.multiprocessor.computers.costs import release_times, task_times
from phalanx.multiprocessor.computers.operators import Operator, needs
from phalanx.multiprocessor.computers.placement import Message, Placement, Violation, has_happened
from phalanx.multiprocessor.plans.held_time import Hold, holds
from phalanx.multiprocessor.plans.messages import message_faults, sound_messages
from phalanx.multiprocessor.plans.route import first_arrivals, tapped_hop
from phalanx.multiprocessor.tasks.task_graph import TaskGraph


def violations(
    graph: TaskGraph,
    computer: Computer,
    placements: Sequence[Placement],
    messages: Sequence[Message] = (),
) -> Iterator[Violation]:
    """Everything that is wrong, in the order of the rules below."""
    on_machine = [p for p in placements if 0 <= p.processor < computer.processors]
    first: dict[int, Placement] = {}
    for placement in on_machine:
        first.setdefault(placement.task, placement)
    yield from _each_task_once(graph, placements)
    yield from _on_a_processor(graph, computer, placements)
    yield from _long_enough(graph, computer, on_machine)
    yield from _one_at_a_time(graph, computer, on_machine, messages)
    yield from computer.broken_rules(graph, on_machine)
    yield from _messages(graph, computer, first, messages)
    yield from _links(graph, messages)
    yield from _after_predecessors(graph, computer, first, on_machine, messages)


def _each_task_once(graph: TaskGraph, placements: Sequence[Placement]) -> Iterator[Violation]:
    times: dict[int, list[Placement]] = defaultdict(list)
    for placement in placements:
        times[placement.task].append(placement)
    for i, task in enumerate(graph.tasks):
        runs = times.get(i, [])
        if not runs:
            yield Violation("missing", (task.name,), f"task {task.name} is never run.")
        if len(runs) > 1:
            starts = ", ".join(f"{run.start:g}" for run in runs)
            text = f"task {task.name} is run {len(runs)} times, at {starts}."
            yield Violation("repeated", (task.name,), text)


def _on_a_processor(
    graph: TaskGraph, computer: Computer, placements: Sequence[Placement]
) -> Iterator[Violation]:
    for p in placements:
        if not 0 <= p.processor < computer.processors:
            name = graph.tasks[p.task].name
            text = f"task {name} is on processor {p.processor} of {computer.processors}."
            yield Violation("processor", (name,), text)


def _long_enough(
    graph: TaskGraph, computer: Computer, placements: Sequence[Placement]
) -> Iterator[Violation]:
    times = task_times(graph, computer)
    for p in placements:
        needed = times[p.processor][p.task]
        if math.isinf(needed):
            task, operator = graph.tasks[p.task], computer.speed_of(p.processor)
            assert isinstance(operator, Operator), "a speed is for all operations"
            text = (
                f"task {task.name} needs {needs(task)}; it is on {operator.name}, which does "
                f"{operator.does} alone."
            )
            yield Violation("operator", (task.name,), text)
        elif p.start < 0 or not has_happened(p.start + needed, p.end):
            name = graph.tasks[p.task].name
            text = f"task {name} takes {needed:g}, but has from {p.start:g} to {p.end:g}."
            yield Violation("duration", (name,), text)


def _one_at_a_time(
    graph: TaskGraph,
    computer: Computer,
    placements: Sequence[Placement],
    messages: Sequence[Message],
) -> Iterator[Violation]:
    """Tasks, and messages that take a processor's time."""
    queues: dict[int, list[tuple[Placement | Hold, float]]] = defaultdict(list)
    for placement, free in zip(placements, release_times(graph, computer, placements), strict=True):
        queues[placement.processor].append((placement, free))
    for hold in holds(computer, messages):
        queues[hold.processor].append((hold, hold.end))
    for processor, queue in sorted(queues.items()):
        queue.sort(key=lambda one: (one[0].start, one[1]))
        before, until = queue[0]
        for after, free in queue[1:]:
            if not has_happened(until, after.start):
                names = graph.tasks[before.task].name, graph.tasks[after.task].name
                sent = [
                    f"a message of {name}" if isinstance(one, Hold) else name
                    for name, one in zip(names, (before, after), strict=True)
                ]
                text = (
                    f"processor {processor} is still at {sent[0]} until {until:g} when "
                    f"{sent[1]} starts at {after.start:g}."
                )
                yield Violation("overlap", names, text)
            before, until = max((before, until), (after, free), key=lambda one: one[1])


def _messages(
    graph: TaskGraph,
    computer: Computer,
    first: Mapping[int, Placement],
    messages: Sequence[Message],
) -> Iterator[Violation]:
    sound = sound_messages(graph, computer, first, messages)
    arrivals = first_arrivals(computer, (message for _, message in sound))
    for message in messages:
        name = graph.tasks[message.task].name
        for text in message_faults(graph, computer, first, message, arrivals):
            yield Violation("message", (name,), text)
        for tap in message.taps:
            if tapped_hop(computer, message, tap) is None:
                wires = ", ".join(str(hop.link) for hop in message.hops)
                text = (
                    f"processor {tap} reads a message of {name} on its way over wire {wires}, "
                    "where it cannot listen."
                )
                yield Violation("message", (name,), text)


def _links(graph: TaskGraph, messages: Sequence[Message]) -> Iterator[Violation]:
    queues: dict[int, list[tuple[float, float, int]]] = defaultdict(list)
    for m in messages:
        for hop in m.hops:
            queues[hop.link].append((hop.start, hop.end, m.task))
    for link, queue in sorted(queues.items()):
        queue.sort()
        _, end, one = queue[0]
        for start, until, other in queue[1:]:
            if not has_happened(end, start):
                names = graph.tasks[one].name, graph.tasks[other].name
                text = f"wire {link} carries messages of {names[0]} and {names[1]} at {start:g}."
                yield Violation("link", names, text)
            end, one = max((end, one), (until, other))


def _after_predecessors(
    graph: TaskGraph,
    computer: Computer,
    first: Mapping[int, Placement],
    placements: Sequence[Placement],
    messages: Sequence[Message],
) -> Iterator[Violation]:
    arrivals = first_arrivals(computer, messages)
    for p in placements:
        for i in graph.predecessors[p.task]:
            source = first.get(i)
            if source is None:
                continue
            there = computer.visible(
                graph.tasks[i].words,
                source.processor,
                source.end,
                p.processor,
                arrivals.get((i, p.processor), math.inf),
            )
            if there < math.inf and has_happened(there, p.start):
                continue
            names = graph.tasks[i].name, graph.tasks[p.task].name
            if there == math.inf:
                text = (
                    f"{names[1]} on processor {p.processor} never gets the results of {names[0]}."
                )
                yield Violation("message", names, text)
            else:
                text = (
                    f"{names[1]} starts at {p.start:g}; what it reads of {names[0]} is there at "
                    f"{there:g}."
                )
                yield Violation("precedence", names, text)
