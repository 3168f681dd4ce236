"""Processor time that messages take: overhead of sends, blocking sends and receives.

A processor does one thing at a time, a task or a message. Where messages overlap with work (the
default of every computer) there are no holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from phalanx.multiprocessor.computers.computer import Computer
from phalanx.multiprocessor.computers.placement import Message
from phalanx.multiprocessor.plans.route import course, leads, tapped_hop


class Hold(NamedTuple):
    """A message that takes the time of a processor at one end of a wire.

    Attributes:
        message: Its number.
        link: The wire.
        task: Whose results it brings.
        processor: Who sends or receives it.
        start: From when.
        end: To when.
    """

    message: int
    link: int
    task: int
    processor: int
    start: float
    end: float


def holds(computer: Computer, messages: Iterable[Message]) -> Iterator[Hold]:
    """The holds of messages; none for one that takes wrong wires, which brings nothing."""
    if not computer.holds_processors:
        return
    for number, message in enumerate(messages):
        if not leads(computer, message.source, message.destination, message.hops):
            continue
        way = course(computer, message)
        readers = [list(way[h + 1 : h + 2]) for h in range(len(message.hops))]
        for tap in message.taps:
            hop_there = tapped_hop(computer, message, tap)
            if hop_there is not None:
                readers[hop_there].append(tap)
        for hop, sender, receivers in zip(message.hops, way, readers, strict=False):
            spans = [(sender, *computer.sending(hop))]
            spans += [(reader, *computer.receiving(hop)) for reader in receivers]
            for processor, start, end in spans:
                if end > start:
                    yield Hold(number, hop.link, message.task, processor, start, end)
