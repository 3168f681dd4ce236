"""Message types of programs on processes, and counts of their traffic.

A node's program is a generator: it yields a message and is resumed with the reply. It does not know
who carries the message, so that the same program runs beside the others in one process
(`inprocess`) and alone on an MPI rank (`ranks`). What it returns is its result.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phalanx.base.errors import PhalanxError

Array = NDArray[np.float64]

CENTRE = 0  # the node that others ask


@dataclass(frozen=True)
class Share:
    """Tell all nodes, and hear from all; the reply is a list of arrays, one a node.

    Attributes:
        values: What this node has to tell.
        sizes: How many numbers each node tells.
    """

    values: Array
    sizes: tuple[int, ...]


@dataclass(frozen=True)
class Ask:
    """Tell the centre; the reply is its answer, an array of ``expects`` numbers."""

    values: Array
    expects: int


@dataclass(frozen=True)
class Listen:
    """At the centre: the reply is a list of what the other nodes ask, ``expects`` numbers each."""

    expects: tuple[int, ...]


@dataclass(frozen=True)
class Answer:
    """At the centre: tell all other nodes the same; there is no reply."""

    values: Array


_NOTHING: Array = np.empty(0)
_NOTHING.setflags(write=False)


@dataclass(frozen=True)
class Pass:
    """Tell the nodes before and after this one; the reply is a pair, what these two told.

    Where nothing is told or expected no letter travels, so that a node may wait for one neighbour
    and then tell the other: something that goes along all nodes, one after the other.

    Attributes:
        before: What node - 1 is told.
        after: What node + 1 is told.
        expects: How many numbers come from node - 1, and how many from node + 1.
    """

    before: Array = field(default_factory=lambda: _NOTHING)
    after: Array = field(default_factory=lambda: _NOTHING)
    expects: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Sum:
    """Add up over all nodes, number by number; the reply is the same at all, to the last bit."""

    values: Array


@dataclass(frozen=True)
class Largest:
    """The largest of all nodes, number by number; the reply is the same at all, NaN if one is."""

    values: Array


@dataclass(frozen=True)
class Tell:
    """Tell one other node, and go on at once; there is no reply.

    Attributes:
        receiver: Who is told.
        values: What.
    """

    receiver: int
    values: Array


@dataclass(frozen=True)
class Hear:
    """Wait for what one other node tells; the reply is an array of ``expects`` numbers.

    What a node tells another is heard in the order in which it was told.
    """

    sender: int
    expects: int


Message = Share | Ask | Listen | Answer | Pass | Sum | Largest | Tell | Hear
Program = Generator[Message, Any, Any]
"""A generator that asks for messages and ends with a result: what a node runs."""


class UnmatchedMessages(PhalanxError):
    """Programs whose messages do not fit together."""

    def __init__(self, what: str) -> None:
        """Say what came, and what would have fitted."""
        super().__init__(
            f"messages of the nodes do not fit together: {what} Either every node says Share with "
            "the sizes of all, or node 0 says Listen, then Answer, while every other says Ask, or "
            "every node says Sum, or Largest, of as many numbers, or neighbours say Pass with what "
            "the other expects, or what one says with Tell the other says with Hear; and all "
            "programs end together."
        )


@dataclass
class Letters:
    """What a node has sent to another one.

    Attributes:
        kind: Of messages: ``share``, ``ask``, ``answer``, ``neighbour``, ``sum``,
            ``largest`` or ``letter``.
        receiver: The other node.
        messages: How many.
        words: Numbers in those, 8 bytes each.
    """

    kind: str
    receiver: int
    messages: int = 0
    words: int = 0


@dataclass
class Traffic:
    """What a node has sent, and how long it has waited.

    Attributes:
        exchanges: How often it told all nodes.
        round_trips: How often it asked the centre, or answered as the centre.
        messages: Sent to a single other node, each.
        words: Numbers in those, 8 bytes each.
        waited: Time until replies came [s].
        passes: How often it told its neighbours, or heard from them.
        reductions: How often it took part in a sum or maximum over all nodes.
        letters: The messages by kind and receiver.
    """

    exchanges: int = 0
    round_trips: int = 0
    messages: int = 0
    words: int = 0
    waited: float = 0.0
    passes: int = field(default=0, repr=False)
    reductions: int = field(default=0, repr=False)
    letters: list[Letters] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        """Take letters as they come out of JSON, too."""
        self.letters = [one if isinstance(one, Letters) else Letters(**one) for one in self.letters]
        self._known = {(one.kind, one.receiver): one for one in self.letters}

    def count(self, message: Message) -> None:
        """Add a message that a program has asked for."""
        match message:
            case Share():
                self.exchanges += 1
            case Ask() | Answer():
                self.round_trips += 1
            case Pass():
                self.passes += 1
            case Sum() | Largest():
                self.reductions += 1
            case Listen() | Tell() | Hear():
                pass

    def post(self, kind: str, receiver: int, words: int) -> None:
        """Add a letter to another node."""
        self.messages += 1
        self.words += words
        known = self._known.get((kind, receiver))
        if known is None:
            known = self._known[kind, receiver] = Letters(kind, receiver)
            self.letters.append(known)
        known.messages += 1
        known.words += words

    def as_json(self) -> dict[str, Any]:
        """By name."""
        return asdict(self)


@dataclass(frozen=True)
class Sent:
    """A line of the log of a run: what one node has sent to another.

    Attributes:
        kind: Of messages, as `Letters` has them.
        sender: A node.
        receiver: Another node.
        messages: How many.
        words: Numbers in those, 8 bytes each.
    """

    kind: str
    sender: int
    receiver: int
    messages: int
    words: int


@dataclass(frozen=True)
class Finished:
    """What programs of nodes leave behind when all have ended, node by node.

    Attributes:
        results: What each program returned.
        traffic: What each node sent.
    """

    results: tuple[Any, ...]
    traffic: tuple[Traffic, ...]

    @property
    def log(self) -> tuple[Sent, ...]:
        """Who has sent how much to whom, kind by kind."""
        return message_log(self.traffic)


def message_log(traffic: Sequence[Traffic]) -> tuple[Sent, ...]:
    """Who has sent how much to whom, kind by kind, from the traffic of all nodes."""
    lines = (
        Sent(one.kind, sender, one.receiver, one.messages, one.words)
        for sender, of_node in enumerate(traffic)
        for one in of_node.letters
    )
    return tuple(sorted(lines, key=lambda line: (line.kind, line.sender, line.receiver)))
