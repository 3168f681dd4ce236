"""The way of a message: the processors it passes, and those that read it from a wire in passing."""

from __future__ import annotations

import math
from collections.abc import Iterable

from phalanx.multiprocessor.computers.computer import Computer
from phalanx.multiprocessor.computers.placement import Message


def course(computer: Computer, message: Message) -> tuple[int, ...]:
    """Where a message is before its first wire and after each of them.

    The wires are those that lead from its source to its destination.
    """
    way = [message.source]
    for one, other in zip(message.hops[:-1], message.hops[1:], strict=True):
        both = set(computer.attached(one.link)) & set(computer.attached(other.link))
        way.append(min(both))
    return (*way, message.destination)


def tapped_hop(computer: Computer, message: Message, tap: int) -> int | None:
    """The first of a message's wires from which a processor can read it; None when none is."""
    for number, hop in enumerate(message.hops):
        if 0 <= hop.link < computer.wires and tap in computer.listeners(hop.link):
            return number
    return None


def first_arrivals(computer: Computer, messages: Iterable[Message]) -> dict[tuple[int, int], float]:
    """When the results of a task reach a processor over wires, by task and processor."""
    arrivals: dict[tuple[int, int], float] = {}

    def arrive(task: int, processor: int, moment: float) -> None:
        arrivals[task, processor] = min(moment, arrivals.get((task, processor), math.inf))

    for message in messages:
        if message.hops:
            arrive(message.task, message.destination, message.arrival)
        for tap in message.taps:
            hop = tapped_hop(computer, message, tap)
            if hop is not None:
                arrive(message.task, tap, message.hops[hop].end)
    return arrivals
