"""Route of a message: the processors it passes, and those that read it on the way."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from phalanx.multiprocessor.computers.computer import Computer
from phalanx.multiprocessor.computers.placement import Hop, Message


def course(computer: Computer, message: Message) -> tuple[int, ...]:
    """Processors of a message's route: before its first wire and after each of them.

    The wires are those that lead from its source to its destination; where several processors
    could pass it on, the lowest number does.
    """
    within_reach = _reached(computer, message.source, message.hops)
    way = [message.destination]
    for there, hop in zip(reversed(within_reach[:-1]), reversed(message.hops), strict=True):
        way.append(min(p for p in there if way[-1] in computer.onward(hop.link, p)))
    return tuple(reversed(way))


def leads(computer: Computer, source: int, destination: int, hops: Sequence[Hop]) -> bool:
    """Whether wires, one after the other, lead from a processor to another.

    Where memory is shared, none are needed.
    """
    if not hops and not computer.is_wired:
        return True
    if any(not 0 <= hop.link < computer.wires for hop in hops):
        return False
    return destination in _reached(computer, source, hops)[-1]


def tapped_hop(computer: Computer, message: Message, tap: int) -> int | None:
    """The first of a message's wires from which a processor can read it; None when none is."""
    for number, hop in enumerate(message.hops):
        if 0 <= hop.link < computer.wires and tap in computer.listeners(hop.link):
            return number
    return None


def first_arrivals(computer: Computer, messages: Iterable[Message]) -> dict[tuple[int, int], float]:
    """First arrival of a task's results at a processor over wires, by task and processor."""
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


def _reached(computer: Computer, source: int, hops: Sequence[Hop]) -> list[set[int]]:
    """Where a message can be before its first wire and after each of them."""
    reached = [{source}]
    for hop in hops:
        reached.append({q for p in reached[-1] for q in computer.onward(hop.link, p)})
    return reached
