"""Whether a plan can be carried out, and if not, what is wrong with it."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from phalanx.multiprocessor.computers import Computer
from phalanx.multiprocessor.placement import Message, Placement
from phalanx.multiprocessor.tasks import TaskGraph

ROUNDING = 1e-9


class Violation(NamedTuple):
    """Something that makes a plan impossible.

    Attributes:
        kind: ``missing``, ``repeated``, ``processor``, ``duration``, ``precedence``, ``overlap``,
            ``lock-step``, ``message`` or ``link``.
        tasks: Names of the tasks concerned.
        text: What is wrong, for people.
    """

    kind: str
    tasks: tuple[str, ...]
    text: str


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
    yield from _one_at_a_time(graph, on_machine)
    if computer.in_lock_step:
        yield from _in_lock_step(graph, on_machine)
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
    for p in placements:
        needed = computer.time(graph.tasks[p.task], p.processor)
        if p.start < 0 or not _by(p.start + needed, p.end):
            name = graph.tasks[p.task].name
            text = f"task {name} takes {needed:g}, but has from {p.start:g} to {p.end:g}."
            yield Violation("duration", (name,), text)


def _one_at_a_time(graph: TaskGraph, placements: Sequence[Placement]) -> Iterator[Violation]:
    queues: dict[int, list[Placement]] = defaultdict(list)
    for placement in placements:
        queues[placement.processor].append(placement)
    for processor, queue in sorted(queues.items()):
        queue.sort(key=lambda p: (p.start, p.end))
        for before, after in itertools.pairwise(queue):
            if not _by(before.end, after.start):
                names = graph.tasks[before.task].name, graph.tasks[after.task].name
                text = (
                    f"processor {processor} is still at {names[0]} until {before.end:g} when "
                    f"{names[1]} starts at {after.start:g}."
                )
                yield Violation("overlap", names, text)


def _in_lock_step(graph: TaskGraph, placements: Sequence[Placement]) -> Iterator[Violation]:
    queue = sorted(placements, key=lambda p: (p.start, p.end))
    for before, after in itertools.pairwise(queue):
        if before.end == before.start or _by(before.end, after.start):
            continue
        one, other = graph.tasks[before.task], graph.tasks[after.task]
        together = _by(after.start, before.start)
        if not together or one.operations != other.operations:
            text = f"lanes do {one.name} and {other.name} at the same time, which are not alike."
            yield Violation("lock-step", (one.name, other.name), text)


def _messages(
    graph: TaskGraph,
    computer: Computer,
    first: dict[int, Placement],
    messages: Sequence[Message],
) -> Iterator[Violation]:
    for m in messages:
        name = graph.tasks[m.task].name
        sender = first.get(m.task)
        if sender is None or sender.processor != m.source:
            text = f"processor {m.source} sends results of {name}, which it does not run."
            yield Violation("message", (name,), text)
            continue
        if tuple(hop.link for hop in m.hops) != computer.route(m.source, m.destination):
            text = f"a message of {name} from {m.source} to {m.destination} takes wrong wires."
            yield Violation("message", (name,), text)
        ready = sender.end
        for hop in m.hops:
            if not _by(ready, hop.start) or not _by(
                hop.start + computer.hop_time(m.words), hop.end
            ):
                text = (
                    f"a message of {name} is on wire {hop.link} from {hop.start:g} to {hop.end:g}; "
                    f"it is there at {ready:g} and takes {computer.hop_time(m.words):g}."
                )
                yield Violation("message", (name,), text)
            ready = hop.end


def _links(graph: TaskGraph, messages: Sequence[Message]) -> Iterator[Violation]:
    queues: dict[int, list[tuple[float, float, int]]] = defaultdict(list)
    for m in messages:
        for hop in m.hops:
            queues[hop.link].append((hop.start, hop.end, m.task))
    for link, queue in sorted(queues.items()):
        queue.sort()
        for (_, end, one), (start, _, other) in itertools.pairwise(queue):
            if not _by(end, start):
                names = graph.tasks[one].name, graph.tasks[other].name
                text = f"wire {link} carries messages of {names[0]} and {names[1]} at {start:g}."
                yield Violation("link", names, text)


def _after_predecessors(
    graph: TaskGraph,
    computer: Computer,
    first: dict[int, Placement],
    placements: Sequence[Placement],
    messages: Sequence[Message],
) -> Iterator[Violation]:
    arrivals = {(m.task, m.destination): m.arrival for m in messages if m.hops}
    for p in placements:
        for i in graph.predecessors[p.task]:
            source = first.get(i)
            if source is None:
                continue
            wired = bool(computer.route(source.processor, p.processor))
            names = graph.tasks[i].name, graph.tasks[p.task].name
            if wired and (i, p.processor) not in arrivals:
                text = (
                    f"{names[1]} on processor {p.processor} never gets the results of {names[0]}."
                )
                yield Violation("message", names, text)
                continue
            if wired:
                there = arrivals[i, p.processor]
            else:
                words = graph.tasks[i].words
                there = source.end + computer.delay(words, source.processor, p.processor)
            if not _by(there, p.start):
                text = (
                    f"{names[1]} starts at {p.start:g}; what it reads of {names[0]} is there at "
                    f"{there:g}."
                )
                yield Violation("precedence", names, text)


def _by(event: float, moment: float) -> bool:
    """Whether something has happened by a moment, but for rounding."""
    return event <= moment + ROUNDING * (abs(moment) + 1e-300) + 1e-18
