"""Message-passing computers: private memories, messages along wires, one at a time on each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self, final

from phalanx.base.errors import InvalidInput
from phalanx.base.json_fields import Fields
from phalanx.base.short_repr import short_repr
from phalanx.multiprocessor.computers.computer import Computer
from phalanx.multiprocessor.computers.placement import Hop
from phalanx.multiprocessor.computers.speed import check_time
from phalanx.multiprocessor.computers.topology import Topology


@short_repr
@final
@dataclass(frozen=True)
class MessagePassing(Computer):
    """Processors with a memory each, joined by wires.

    A message holds every wire on its way for ``start_up + words * per_word``, one after the other
    (store and forward). A processor sends a task's results to another at most once, its own or
    those that a message has brought. Sending takes no time from the processor itself, unless there
    is an ``overhead`` or sends are ``blocking``; a processor does one thing at a time, a task or a
    message.

    Attributes:
        topology: The wires.
        start_up: Time to set up a message on each wire.
        per_word: Time for each number in it.
        broadcast: Whether all processors on a wire can read what one of them sends to another.
        overhead: Time of the processor that sends, for a message on each wire, before the wire
            takes it (the o of LogP).
        blocking: Whether the processors at both ends of a wire wait while it carries a message, as
            with channels of occam: no message overlaps with their work.
    """

    kind: ClassVar[str] = "message-passing"

    topology: Topology = field(kw_only=True)
    start_up: float = 0.0
    per_word: float = 0.0
    name: str = "message passing"
    broadcast: bool = field(default=False, kw_only=True)
    overhead: float = field(default=0.0, kw_only=True)
    blocking: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_time("start_up", self.start_up)
        check_time("per_word", self.per_word)
        check_time("overhead", self.overhead)
        if self.topology.processors != self.processors:
            raise InvalidInput(
                f"a {self.topology.name} of {self.topology.processors} processors for a computer "
                f"of {self.processors}."
            )

    def place_name(self, processor: int) -> str:
        names = self.topology.names
        return names[processor] if names else super().place_name(processor)

    def delay(self, words: int, source: int, destination: int) -> float:
        return len(self.route(source, destination)) * (self.overhead + self.hop_time(words))

    @property
    def wires(self) -> int:
        return len(self.topology.links)

    def route(self, source: int, destination: int) -> tuple[int, ...]:
        return self.topology.routes[source, destination]

    def hop_time(self, words: int) -> float:
        return self.start_up + words * self.per_word

    @property
    def holds_processors(self) -> bool:
        return self.blocking or self.overhead > 0

    def sending(self, hop: Hop) -> tuple[float, float]:
        return hop.start - self.overhead, hop.end if self.blocking else hop.start

    def receiving(self, hop: Hop) -> tuple[float, float]:
        return hop.start if self.blocking else hop.end, hop.end

    def attached(self, wire: int) -> tuple[int, ...]:
        return self.topology.links[wire]

    def onward(self, wire: int, processor: int) -> tuple[int, ...]:
        return self.topology.onward(wire, processor)

    def listeners(self, wire: int) -> tuple[int, ...]:
        return self.attached(wire) if self.broadcast else ()

    def with_agreement(self, time: float) -> Self:
        raise InvalidInput(
            f"a {self.name} sends messages over wires, so it takes no synchronization time."
        )

    def own_data(self) -> dict[str, Any]:
        data = {
            "start_up": self.start_up,
            "per_word": self.per_word,
            "topology": self.topology.to_data(),
        }
        given = {
            "broadcast": self.broadcast,
            "overhead": self.overhead,
            "blocking": self.blocking,
        }
        return data | {name: value for name, value in given.items() if value}

    @classmethod
    def from_data(cls, common: Mapping[str, Any], data: Fields) -> Self:
        return cls(
            **common,
            start_up=data.number("start_up"),
            per_word=data.number("per_word"),
            topology=Topology.from_data(common["processors"], data.object("topology")),
            broadcast=data.flag("broadcast"),
            overhead=0.0 if data.is_null("overhead") else data.number("overhead"),
            blocking=data.flag("blocking"),
        )
