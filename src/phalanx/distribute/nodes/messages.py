"""What nodes say to each other, and how much of it.

A node's program is a generator: it yields a message and is resumed with the reply. It does not know
who carries the message, so that the same program runs beside the others in one process
(`inprocess`) and alone on an MPI rank (`ranks`). What it returns is its result.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phalanx.errors import PhalanxError

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


Message = Share | Ask | Listen | Answer
Program = Generator[Message, Any, Any]


class UnmatchedMessages(PhalanxError):
    """Programs whose messages do not fit together."""

    def __init__(self, what: str) -> None:
        """Say what came, and what would have fitted."""
        super().__init__(
            f"messages of the nodes do not fit together: {what} Either every node says Share with "
            "the sizes of all, or node 0 says Listen, then Answer, while every other says Ask; and "
            "all programs end together."
        )


@dataclass
class Traffic:
    """What a node has sent, and how long it has waited.

    Attributes:
        exchanges: How often it told all nodes.
        round_trips: How often it asked the centre, or answered as the centre.
        messages: Sent to a single other node, each.
        words: Numbers in those, 8 bytes each.
        waited: Time until replies came [s].
    """

    exchanges: int = 0
    round_trips: int = 0
    messages: int = 0
    words: int = 0
    waited: float = 0.0

    def count(self, message: Message, nodes: int) -> None:
        """Add a message of a job of so many nodes."""
        match message:
            case Share(values=values):
                self.exchanges += 1
                self.messages += nodes - 1
                self.words += (nodes - 1) * values.size
            case Ask(values=values):
                self.round_trips += 1
                self.messages += 1
                self.words += values.size
            case Answer(values=values):
                self.round_trips += 1
                self.messages += nodes - 1
                self.words += (nodes - 1) * values.size
            case Listen():
                pass

    def as_json(self) -> dict[str, float]:
        """By name."""
        return asdict(self)


@dataclass(frozen=True)
class Finished:
    """What programs of nodes leave behind when all have ended, node by node.

    Attributes:
        results: What each program returned.
        traffic: What each node sent.
    """

    results: tuple[Any, ...]
    traffic: tuple[Traffic, ...]
