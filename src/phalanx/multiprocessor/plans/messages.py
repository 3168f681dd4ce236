"""Validity of messages: which bring what they should, and why others do not.

A processor sends results that it has: its own when their task has ended, or those that another
message has brought it by then, which it passes on.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from phalanx.multiprocessor.computers.computer import Computer
from phalanx.multiprocessor.computers.placement import Message, Placement, has_happened
from phalanx.multiprocessor.plans.route import first_arrivals, leads
from phalanx.multiprocessor.tasks.task_graph import TaskGraph

Arrivals = Mapping[tuple[int, int], float]


def message_faults(
    graph: TaskGraph,
    computer: Computer,
    placed: Mapping[int, Placement],
    message: Message,
    arrivals: Arrivals,
) -> Iterator[str]:
    """Faults of messages that do not bring what they should.

    Args:
        graph: The tasks.
        computer: The processors and wires.
        placed: Where and when each task runs.
        message: The message.
        arrivals: When other messages have brought results of a task to a processor.
    """
    task, source, destination, words, hops, _ = message
    name = graph.tasks[task].name
    sender = placed.get(task)
    here = sender is not None and sender.processor == source
    ready = sender.end if here and sender else arrivals.get((task, source), math.inf)
    if math.isinf(ready):
        yield (
            f"processor {source} sends results of {name}, which it does not run and no message "
            "brings."
        )
        return
    if not 0 <= destination < computer.processors:
        yield f"a message of {name} goes to processor {destination} of {computer.processors}."
        return
    if words < graph.tasks[task].words:
        yield f"a message of {name} has {words} of its {graph.tasks[task].words} numbers."
    if not leads(computer, source, destination, hops):
        yield (
            f"a message of {name} from {computer.processor_name(source)} to "
            f"{computer.processor_name(destination)} takes wrong wires."
        )
    time = computer.hop_time(words)
    for hop in hops:
        link, start, end = hop
        begin, _ = computer.sending(hop)
        if not has_happened(ready, begin) or not has_happened(start + time, end):
            before = f" after {start - begin:g} to send it" if begin < start else ""
            yield (
                f"a message of {name} is on wire {link} from {start:g} to {end:g}; it is there at "
                f"{ready:g} and takes {time:g}{before}."
            )
        ready = end


def sound_messages(
    graph: TaskGraph,
    computer: Computer,
    placed: Mapping[int, Placement],
    messages: Sequence[Message],
) -> list[tuple[int, Message]]:
    """Messages that bring what they should, with their numbers."""
    found: list[tuple[int, Message]] = []
    arrivals: dict[tuple[int, int], float] = {}
    left = sorted(enumerate(messages), key=lambda one: _start(one[1]))
    while left:
        unsound = []
        for number, message in left:
            if any(message_faults(graph, computer, placed, message, arrivals)):
                unsound.append((number, message))
                continue
            found.append((number, message))
            for where, moment in first_arrivals(computer, (message,)).items():
                arrivals[where] = min(moment, arrivals.get(where, math.inf))
        # what is passed on in the moment in which it comes may stand before what brings it
        if len(unsound) == len(left):
            break
        left = unsound
    return sorted(found, key=lambda one: one[0])


def _start(message: Message) -> float:
    return message.hops[0].start if message.hops else -math.inf
