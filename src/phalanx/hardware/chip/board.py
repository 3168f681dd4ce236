"""Board: sockets for chips, wires between them, and the operation of each chip.

A board is data. A chip's duty is one operation of a program, with wires to the places that its
operands come from. On a wire may lie a passive buffer, which hands a word on some cycles later. A
socket has one duty, which its chip does in every cycle; or several that are alike, one after the
other, with a switch before its operands. Then a new sample enters only after all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from phalanx.base.cached import cached_property
from phalanx.hardware.chip.serial import SerialPorts
from phalanx.hardware.chip.vamp import ChipProgram
from phalanx.hardware.chip.vector_program import Source, VectorProgram


@dataclass(frozen=True)
class OperandWire:
    """Wire that an operand is read from.

    Attributes:
        source: A socket, or a port of the host.
        delay: Words of the passive buffer: how many cycles later it hands a vector on.
        slot: In which Flop of a cycle a bus carries it; None for a wire of its own.
        bus: Which one, as (tier, segment); None for a wire of its own.
    """

    source: Source
    delay: int = 0
    slot: int | None = None
    bus: tuple[int, int] | None = None


@dataclass(frozen=True)
class Duty:
    """An operation as a chip does it.

    Attributes:
        role: The operation, by name.
        a: Wires of operand A: one, or three for a matrix.
        b: The wire of operand B.
        program: What its chip has to hold.
        start: Flop in which it begins with the first sample, from the moment the host writes it.
        finish: Flop at which its first result is out.
    """

    role: str
    a: tuple[OperandWire, ...]
    b: OperandWire
    program: ChipProgram
    start: int
    finish: int

    @property
    def wires(self) -> tuple[OperandWire, ...]:
        """Of both operands."""
        return (*self.a, self.b)


@dataclass(frozen=True)
class Board:
    """Sockets, wires and programs for one vector program.

    Attributes:
        program: What is computed.
        cycle: Flops in which a chip does its work once.
        duties: One for each operation, in the program's order.
        sockets: For each socket the duties of its chip, in order of time.
        period: Cycles from one sample to the next.
        chains: Sockets in the order in which their chips check each other; a spare stands before
            each chain. Empty for a board without checks.
        ports: Over which vectors are shifted; None where they are there at once.
    """

    program: VectorProgram
    cycle: int
    duties: tuple[Duty, ...]
    sockets: tuple[tuple[int, ...], ...]
    period: int = 1
    chains: tuple[tuple[int, ...], ...] = field(default=())
    ports: SerialPorts | None = None

    @property
    def chips(self) -> int:
        """How many are needed, spares among them."""
        return len(self.sockets) + len(self.chains)

    @property
    def latency(self) -> int:
        """Flops from writing a set to its last number."""
        finishes = (self.duties[o.operation].finish for o in self.program.outputs)
        return max(finishes, default=0) + self.shifting_out

    @property
    def shifting_out(self) -> int:
        """Flops in which a result is shifted out."""
        return 0 if self.ports is None else self.ports.flops()

    @property
    def interval(self) -> int:
        """Flops from one sample to the next."""
        return self.cycle * self.period

    @property
    def buffers(self) -> int:
        """Words of passive buffers, a vector each, that results wait in."""
        return sum(w.delay for s in self.duties for w in s.wires if not w.source.from_host)

    @property
    def input_buffers(self) -> int:
        """The same for what the host writes."""
        return sum(w.delay for s in self.duties for w in s.wires if w.source.from_host)

    @cached_property
    def socket_of(self) -> tuple[int, ...]:
        """The socket of each duty."""
        places = {duty: place for place, duties in enumerate(self.sockets) for duty in duties}
        return tuple(places[duty] for duty in range(len(self.duties)))

    @cached_property
    def first_duties(self) -> tuple[Duty, ...]:
        """Of each socket; all of a socket have the same program."""
        return tuple(self.duties[duties[0]] for duties in self.sockets)

    @cached_property
    def links(self) -> Mapping[int, int]:
        """The socket that follows each chip in its chain, by socket; spares come after all."""
        links = {}
        for c, chain in enumerate(self.chains):
            for place, following in zip((len(self.sockets) + c, *chain), chain, strict=False):
                links[place] = following
        return links

    @cached_property
    def turns(self) -> tuple[tuple[Duty | None, ...], ...]:
        """For each cycle of a period what the chip of each socket begins; None when it rests."""
        rows: list[list[Duty | None]] = [[None] * len(self.sockets) for _ in range(self.period)]
        for duty, place in zip(self.duties, self.socket_of, strict=True):
            rows[duty.start // self.cycle % self.period][place] = duty
        return tuple(tuple(row) for row in rows)

    @cached_property
    def program_depth(self) -> int:
        """Cycles that a packet needs from the host to the last socket, over operands A.

        Switches then stand where they do for a chip's first duty. Who it reads has begun before,
        so every way leads back to the host.
        """
        reached: dict[int, int] = {}
        for place in sorted(range(len(self.sockets)), key=lambda k: self.first_duties[k].start):
            wire = self.first_duties[place].a[0]
            before = 0 if wire.source.from_host else reached[self.socket_of[wire.source.place]]
            reached[place] = 1 + wire.delay + before
        return max(reached.values(), default=0)

    @cached_property
    def depth(self) -> int:
        """Cycles of the longest way from the host through all wires, a cycle for each chip."""
        reached: list[int] = []
        for duty in self.duties:
            ways = (
                wire.delay + (0 if wire.source.from_host else reached[wire.source.place])
                for wire in duty.wires
            )
            reached.append(1 + max(ways))
        return max(reached, default=0)
