"""Point-to-point and collective messages as matched sends and receives.

Policy: both carriers, in process and on ranks, send the same letters and add up in the same order,
so that programs get the same bits from both. A sum over p nodes takes log2 p rounds in which nodes
swap what they have with a partner twice as far away each time (recursive doubling); nodes beyond
the largest power of two hand theirs to one within it first, and hear the result last.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from phalanx.distribute.processes.messages import (
    CENTRE,
    Answer,
    Array,
    Ask,
    Hear,
    Largest,
    Listen,
    Message,
    Pass,
    Share,
    Sum,
    Tell,
    UnmatchedMessages,
)

KINDS = ("share", "ask", "answer", "neighbour", "sum", "largest", "letter")


@dataclass(frozen=True)
class Post:
    """Letters that leave at the same time, and those that are waited for.

    Attributes:
        kind: Of those that leave, one of `KINDS`.
        out: By receiver.
        into: How many numbers are expected, by sender.
        into_kind: Of those that are waited for; as those that leave when not given.
        at_leisure: Whether nobody waits until they have left.
    """

    kind: str
    out: Mapping[int, Array] = field(default_factory=dict)
    into: Mapping[int, int] = field(default_factory=dict)
    into_kind: str = ""
    at_leisure: bool = False

    @property
    def awaited(self) -> str:
        """The kind of letters that are waited for."""
        return self.into_kind or self.kind


# yields letters, is resumed with those that came, by sender; returns the reply to the message
Carrying = Generator[Post, Mapping[int, Array], Any]


def letters_of(message: Message, node: int, nodes: int) -> Carrying:
    """The letters of a node's message, and in the end its reply."""
    others = [other for other in range(nodes) if other != node]
    match message:
        case Share(values=values, sizes=sizes):
            into = {other: sizes[other] for other in others}
            told = yield Post("share", dict.fromkeys(others, values), into)
            return [values if other == node else told[other] for other in range(nodes)]
        case Ask(values=values, expects=expects):
            told = yield Post("ask", {CENTRE: values}, {CENTRE: expects}, "answer")
            return told[CENTRE]
        case Listen(expects=expected):
            told = yield Post("ask", into=dict(zip(others, expected, strict=True)))
            return [told[other] for other in others]
        case Answer(values=values):
            yield Post("answer", dict.fromkeys(others, values))
            return None
        case Pass():
            return (yield from _passed(message, node, nodes))
        case Sum(values=values):
            return (yield from _reduced("sum", np.add, values, node, nodes))
        case Largest(values=values):
            return (yield from _reduced("largest", np.maximum, values, node, nodes))
        case Tell(receiver=receiver, values=values):
            _check_other(receiver, node, nodes)
            yield Post("letter", {receiver: values}, at_leisure=True)
            return None
        case Hear(sender=sender, expects=expects):
            _check_other(sender, node, nodes)
            told = yield Post("letter", into={sender: expects})
            return told[sender]


def _check_other(other: int, node: int, nodes: int) -> None:
    if not 0 <= other < nodes or other == node:
        raise UnmatchedMessages(
            f"node {node} has a letter to or from node {other}, which is none of the others of "
            f"{nodes}."
        )


def _passed(message: Pass, node: int, nodes: int) -> Carrying:
    told = {node - 1: message.before, node + 1: message.after}
    expected = dict(zip((node - 1, node + 1), message.expects, strict=True))
    arrived = yield Post(
        "neighbour",
        {to: values for to, values in told.items() if 0 <= to < nodes and values.size},
        {who: size for who, size in expected.items() if 0 <= who < nodes and size},
    )
    return tuple(arrived.get(who, np.empty(0)) for who in (node - 1, node + 1))


def _reduced(
    kind: str, combined: Callable[[Array, Array], Array], values: Array, node: int, nodes: int
) -> Carrying:
    have = np.array(values, dtype=np.float64)
    within = 1 << (nodes.bit_length() - 1)  # the largest power of two among the nodes
    extra = node + within  # who hands its numbers to this one
    if node >= within:
        yield Post(kind, {node - within: have})
        told = yield Post(kind, into={node - within: have.size})
        return told[node - within]
    if extra < nodes:
        told = yield Post(kind, into={extra: have.size})
        have = _together(combined, have, told[extra])
    distance = 1
    while distance < within:
        partner = node ^ distance
        told = yield Post(kind, {partner: have}, {partner: have.size})
        # the partner has the two in the other order, which gives the same bits
        have = _together(combined, have, told[partner])
        distance *= 2
    if extra < nodes:
        yield Post(kind, {extra: have})
    return have


def _together(combined: Callable[[Array, Array], Array], one: Array, other: Array) -> Array:
    """Of two; what is not finite is for the program to find in the result."""
    with np.errstate(invalid="ignore", over="ignore"):
        return combined(one, other)
