"""Point-to-point and collective messages as matched sends and receives.

Policy: both carriers, in process and on ranks, make the same transfers and add up in the same
order, so that programs get the same bits from both. A sum over p processes takes log2 p rounds in
which processes swap what they have with a partner twice as far away each time (recursive doubling);
ranks beyond the largest power of two send theirs to one within it first, and receive the result
last.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from phalanx.distribute.processes.messages import (
    CENTRE,
    AllGather,
    Array,
    Collect,
    Maximum,
    Message,
    NeighbourExchange,
    Receive,
    Reply,
    Request,
    Send,
    Sum,
    UnmatchedMessages,
)

KINDS = ("all-gather", "request", "reply", "neighbour", "sum", "maximum", "send")


@dataclass(frozen=True)
class Transfer:
    """Messages that leave at the same time, and those that are waited for.

    Attributes:
        kind: Of those that leave, one of `KINDS`.
        out: By receiver.
        into: How many numbers are expected, by sender.
        into_kind: Of those that are waited for; as those that leave when not given.
        nonblocking: Whether the sender goes on before they have left.
    """

    kind: str
    out: Mapping[int, Array] = field(default_factory=dict)
    into: Mapping[int, int] = field(default_factory=dict)
    into_kind: str = ""
    nonblocking: bool = False

    @property
    def awaited(self) -> str:
        """The kind of messages that are waited for."""
        return self.into_kind or self.kind


# yields transfers, is resumed with what arrived, by sender; returns the reply to the message
Transfers = Generator[Transfer, Mapping[int, Array], Any]


def transfers_of(message: Message, rank: int, processes: int) -> Transfers:
    """Yield the transfers of a message of one rank, and return its reply."""
    others = [other for other in range(processes) if other != rank]
    match message:
        case AllGather(values=values, sizes=sizes):
            into = {other: sizes[other] for other in others}
            arrived = yield Transfer("all-gather", dict.fromkeys(others, values), into)
            return [values if other == rank else arrived[other] for other in range(processes)]
        case Request(values=values, expects=expects):
            arrived = yield Transfer("request", {CENTRE: values}, {CENTRE: expects}, "reply")
            return arrived[CENTRE]
        case Collect(expects=expected):
            arrived = yield Transfer("request", into=dict(zip(others, expected, strict=True)))
            return [arrived[other] for other in others]
        case Reply(values=values):
            yield Transfer("reply", dict.fromkeys(others, values))
            return None
        case NeighbourExchange():
            return (yield from _with_neighbours(message, rank, processes))
        case Sum(values=values):
            return (yield from _all_reduced("sum", np.add, values, rank, processes))
        case Maximum(values=values):
            return (yield from _all_reduced("maximum", np.maximum, values, rank, processes))
        case Send(receiver=receiver, values=values):
            _check_other(receiver, rank, processes)
            yield Transfer("send", {receiver: values}, nonblocking=True)
            return None
        case Receive(sender=sender, expects=expects):
            _check_other(sender, rank, processes)
            arrived = yield Transfer("send", into={sender: expects})
            return arrived[sender]


def _check_other(other: int, rank: int, processes: int) -> None:
    if not 0 <= other < processes or other == rank:
        raise UnmatchedMessages(
            f"rank {rank} has a message to or from rank {other}, which is none of the others of "
            f"{processes}."
        )


def _with_neighbours(message: NeighbourExchange, rank: int, processes: int) -> Transfers:
    out = {rank - 1: message.before, rank + 1: message.after}
    expected = dict(zip((rank - 1, rank + 1), message.expects, strict=True))
    arrived = yield Transfer(
        "neighbour",
        {to: values for to, values in out.items() if 0 <= to < processes and values.size},
        {who: size for who, size in expected.items() if 0 <= who < processes and size},
    )
    return tuple(arrived.get(who, np.empty(0)) for who in (rank - 1, rank + 1))


def _all_reduced(
    kind: str, combined: Callable[[Array, Array], Array], values: Array, rank: int, processes: int
) -> Transfers:
    have = np.array(values, dtype=np.float64)
    within = 1 << (processes.bit_length() - 1)  # the largest power of two among the processes
    extra = rank + within  # who sends its numbers to this one
    if rank >= within:
        yield Transfer(kind, {rank - within: have})
        arrived = yield Transfer(kind, into={rank - within: have.size})
        return arrived[rank - within]
    if extra < processes:
        arrived = yield Transfer(kind, into={extra: have.size})
        have = _together(combined, have, arrived[extra])
    distance = 1
    while distance < within:
        partner = rank ^ distance
        arrived = yield Transfer(kind, {partner: have}, {partner: have.size})
        # the partner has the two in the other order, which gives the same bits
        have = _together(combined, have, arrived[partner])
        distance *= 2
    if extra < processes:
        yield Transfer(kind, {extra: have})
    return have


def _together(combined: Callable[[Array, Array], Array], one: Array, other: Array) -> Array:
    """Combine two; what is not finite is for the program to find in the result."""
    with np.errstate(invalid="ignore", over="ignore"):
        return combined(one, other)
