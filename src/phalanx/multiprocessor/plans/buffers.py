"""Buffers between tasks of a repeated plan, and their depths.

Results of a task are held where they are read: on the processor of the task itself, on each
processor that gets them, and on each that passes a message on. From the moment they are there until
the last who reads them in their sample has begun, they take a place of a buffer, which hands values
out in the order in which they came (first in, first out). With a new sample every interval T,

    depth = ceil((last read - arrival) / T)

places are needed. What is read at the moment it arrives needs none: a wire is enough. A place that
is read for the last time takes a new value at the same moment.

Inputs, and what is computed from them before the work starts, are there whenever they are read.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from phalanx.multiprocessor.computers.placement import Message, Placement, Violation, has_happened
from phalanx.multiprocessor.plans.messages import sound_messages
from phalanx.multiprocessor.plans.route import course, tapped_hop
from phalanx.multiprocessor.plans.schedule import Schedule

Place = tuple[int, int, int]  # task, where its results are, where they go from there


class Buffer(NamedTuple):
    """Places for values of a task on a processor.

    Attributes:
        task: Name of the task whose results wait here.
        processor: Where they wait.
        destination: Who reads them: the processor itself, or the one to which a message goes that
            is passed on here.
        words: How many numbers a place holds.
        depth: How many places there are, one for the values of a sample; 0 is a wire.
    """

    task: str
    processor: int
    destination: int
    words: int
    depth: int


class Reader(NamedTuple):
    """A task, or a message on a wire, that takes values out of a buffer in every sample."""

    task: int
    message: int | None = None
    hop: int = 0


class Stay(NamedTuple):
    """Values of a task on a processor in sample 0.

    Attributes:
        arrival: From when they are there.
        bringer: The message and hop that brings them; None where the task itself does.
        reads: When each of its readers takes them.
    """

    arrival: float
    bringer: tuple[int, int] | None
    reads: dict[Reader, float]

    @property
    def last_read(self) -> float:
        """When the last reader has them."""
        return max(self.reads.values())

    def depth(self, interval: float) -> int:
        """How many samples' values are there at a time."""
        waiting = (self.last_read - self.arrival) / interval
        depth = max(0, math.ceil(waiting) - 1)
        while not has_happened(self.last_read, self.arrival + depth * interval):
            depth += 1
        return depth


def buffers_needed(plan: Schedule, interval: float) -> tuple[Buffer, ...]:
    """The shallowest buffers with which a plan can be repeated; those that are wires have depth 0.

    Args:
        plan: What is done for each sample.
        interval: From one sample to the next, in the computer's unit.
    """
    tasks = plan.graph.tasks
    return tuple(
        Buffer(tasks[task].name, where, to, tasks[task].words, stay.depth(interval))
        for (task, where, to), stay in stays(plan).items()
    )


def buffer_violations(
    plan: Schedule, interval: float, there: Iterable[Buffer]
) -> Iterator[Violation]:
    """Buffers that are too shallow."""
    depths = {buffer[:3]: buffer.depth for buffer in there}
    for place, stay in stays(plan).items():
        task, where, to = place
        name = plan.graph.tasks[task].name
        depth, needed = depths.get((name, where, to), 0), stay.depth(interval)
        if depth < needed:
            on_the_way = "" if where == to else f" on the way to {plan.computer.processor_name(to)}"
            text = (
                f"results of {name} on {plan.computer.processor_name(where)}{on_the_way} wait "
                f"{stay.last_read - stay.arrival:g} and come every {interval:g}: they need a "
                f"buffer of depth {needed}; it has {depth}."
            )
            yield Violation("buffer", (name,), text)


def stays(plan: Schedule) -> dict[Place, Stay]:
    """Stays of values at processors until a task reads them.

    What does not happen (a task on no processor, a message that brings nothing) has no part in it.
    """
    placed = first_placements(plan)
    reads: dict[Place, dict[Reader, float]] = {}
    brought: dict[Place, tuple[float, tuple[int, int] | None]] = {
        (task, at.processor, at.processor): (at.end, None) for task, at in placed.items()
    }
    for number, message in hopping_messages(plan, placed):
        way = course(plan.computer, message)
        task, destination = message.task, message.destination
        for h, hop in enumerate(message.hops):
            start = (task, way[h], destination if h else way[h])
            reads.setdefault(start, {})[Reader(task, number, h)] = hop.start
            _bring(brought, (task, way[h + 1], destination), hop.end, (number, h))
        for tap in message.taps:
            h_tap = tapped_hop(plan.computer, message, tap)
            if h_tap is not None:
                _bring(brought, (task, tap, tap), message.hops[h_tap].end, (number, h_tap))
    for task, at in placed.items():
        for source in plan.graph.predecessors[task]:
            place = source, at.processor, at.processor
            reads.setdefault(place, {})[Reader(task)] = at.start
            if place not in brought and source in placed and not plan.computer.wires:
                sender = placed[source]
                words = plan.graph.tasks[source].words
                delay = plan.computer.delay(words, sender.processor, at.processor)
                brought[place] = sender.end + delay, None
    return {place: Stay(*brought[place], reads[place]) for place in reads if place in brought}


def hopping_messages(plan: Schedule, placed: dict[int, Placement]) -> list[tuple[int, Message]]:
    """Messages over wires that bring what they should, with their numbers."""
    sound = sound_messages(plan.graph, plan.computer, placed, plan.messages)
    return [(number, message) for number, message in sound if message.hops]


def first_placements(plan: Schedule) -> dict[int, Placement]:
    """Placement of each task; the first one when the plan has it twice."""
    placed: dict[int, Placement] = {}
    for placement in plan.placements:
        if 0 <= placement.processor < plan.computer.processors:
            placed.setdefault(placement.task, placement)
    return placed


def _bring(
    brought: dict[Place, tuple[float, tuple[int, int] | None]],
    place: Place,
    moment: float,
    bringer: tuple[int, int],
) -> None:
    """Note who is the first to bring values to a place."""
    if place not in brought or moment < brought[place][0]:
        brought[place] = moment, bringer
