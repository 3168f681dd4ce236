"""Message types of programs on processes (point-to-point and collective), and message counts.

The program of a process is a generator: it yields a message and is resumed with the reply. It does
not know who carries the message, so the same program runs beside the others in one process
(`inprocess`) and alone on an MPI rank (`ranks`). What it returns is its result.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phalanx.base.errors import PhalanxError

Array = NDArray[np.float64]

CENTRE = 0  # the rank that others send requests to


@dataclass(frozen=True)
class AllGather:
    """Send the same to all processes; the reply is a list of arrays, one from each process.

    Attributes:
        values: What this process sends.
        sizes: How many numbers each process sends.
    """

    values: Array
    sizes: tuple[int, ...]


@dataclass(frozen=True)
class Request:
    """Send to the centre (rank 0); the reply is an array of ``expects`` numbers."""

    values: Array
    expects: int


@dataclass(frozen=True)
class Collect:
    """At the centre: receive the requests of all others, a list of ``expects`` numbers each."""

    expects: tuple[int, ...]


@dataclass(frozen=True)
class Reply:
    """At the centre: send the same to all others, whose requests it answers; has no reply."""

    values: Array


_NOTHING: Array = np.empty(0)
_NOTHING.setflags(write=False)


@dataclass(frozen=True)
class NeighbourExchange:
    """Send to the ranks before and after this one; the reply is a pair, what these two sent.

    Where nothing is sent or expected no message travels, so that a process may wait for one
    neighbour and then send to the other: a pipeline along all ranks.

    Attributes:
        before: What goes to rank - 1.
        after: What goes to rank + 1.
        expects: How many numbers come from rank - 1, and how many from rank + 1.
    """

    before: Array = field(default_factory=lambda: _NOTHING)
    after: Array = field(default_factory=lambda: _NOTHING)
    expects: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Sum:
    """All-reduce by addition, number by number; the reply has the same bits at all processes."""

    values: Array


@dataclass(frozen=True)
class Maximum:
    """All-reduce by maximum, number by number; the reply is the same at all, NaN if one is."""

    values: Array


@dataclass(frozen=True)
class Send:
    """Send to one other process without waiting; there is no reply.

    Attributes:
        receiver: Its rank.
        values: What.
    """

    receiver: int
    values: Array


@dataclass(frozen=True)
class Receive:
    """Wait for what one other process sends; the reply is an array of ``expects`` numbers.

    Messages from one process arrive in the order in which they were sent.
    """

    sender: int
    expects: int


Message = AllGather | Request | Collect | Reply | NeighbourExchange | Sum | Maximum | Send | Receive
ProcessProgram = Generator[Message, Any, Any]
"""A generator that yields messages and ends with a result: what a process runs."""


class UnmatchedMessages(PhalanxError):
    """Programs whose messages do not fit together."""

    def __init__(self, what: str) -> None:
        """Say what came, and what would have fitted."""
        super().__init__(
            f"messages of the processes do not fit together: {what} Either every process yields "
            "AllGather with the sizes of all, or rank 0 yields Collect, then Reply, while every "
            "other yields Request, or every process yields Sum, or Maximum, of as many numbers, or "
            "neighbours yield NeighbourExchange with what the other expects, or what one yields "
            "with Send the other yields with Receive; and all programs end together."
        )


@dataclass
class SentMessages:
    """Messages of one kind that a process has sent to another one.

    Attributes:
        kind: ``all-gather``, ``request``, ``reply``, ``neighbour``, ``sum``, ``maximum`` or
            ``send``.
        receiver: Rank of the other process.
        messages: How many.
        words: Numbers in those, 8 bytes each.
    """

    kind: str
    receiver: int
    messages: int = 0
    words: int = 0


@dataclass
class Traffic:
    """What a process has sent, and how long it has waited.

    Attributes:
        exchanges: How often it took part in an `AllGather`.
        round_trips: How often it sent a request to the centre, or replied as the centre.
        messages: Sent to a single other process, each.
        words: Numbers in those, 8 bytes each.
        waited: Time until replies came [s].
        neighbour_exchanges: How often it sent to its neighbours, or received from them.
        reductions: How often it took part in a sum or maximum over all processes.
        sent: The messages by kind and receiver.
    """

    exchanges: int = 0
    round_trips: int = 0
    messages: int = 0
    words: int = 0
    waited: float = 0.0
    neighbour_exchanges: int = field(default=0, repr=False)
    reductions: int = field(default=0, repr=False)
    sent: list[SentMessages] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        """Take messages as they come out of JSON, too."""
        self.sent = [
            one if isinstance(one, SentMessages) else SentMessages(**one) for one in self.sent
        ]
        self._known = {(one.kind, one.receiver): one for one in self.sent}

    def count(self, message: Message) -> None:
        """Add a message that a program has yielded."""
        match message:
            case AllGather():
                self.exchanges += 1
            case Request() | Reply():
                self.round_trips += 1
            case NeighbourExchange():
                self.neighbour_exchanges += 1
            case Sum() | Maximum():
                self.reductions += 1
            case Collect() | Send() | Receive():
                pass

    def add(self, kind: str, receiver: int, words: int) -> None:
        """Add a message to a single other process."""
        self.messages += 1
        self.words += words
        known = self._known.get((kind, receiver))
        if known is None:
            known = self._known[kind, receiver] = SentMessages(kind, receiver)
            self.sent.append(known)
        known.messages += 1
        known.words += words

    def as_json(self) -> dict[str, Any]:
        """Return the counts by name."""
        return asdict(self)
