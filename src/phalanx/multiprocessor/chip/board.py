"""A board: sockets for chips, the wires between them, and what each socket's chip is to do.

A board is data. A socket has a role, one operation of a program, and wires to the places that its
operands come from. On a wire may lie a passive buffer, which hands a word on some cycles later.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from phalanx.multiprocessor.chip.vamp import Program
from phalanx.multiprocessor.chip.vector_program import Source, VectorProgram


@dataclass(frozen=True)
class Wire:
    """What an operand is read from.

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
class Socket:
    """A place for a chip.

    Attributes:
        role: The operation that its chip does, by name.
        a: Wires of operand A: one, or three for a matrix.
        b: The wire of operand B.
        program: What its chip has to hold.
        start: Flop in which it begins with the first set, from the moment the host writes it.
        finish: Flop at which its first result is out.
    """

    role: str
    a: tuple[Wire, ...]
    b: Wire
    program: Program
    start: int
    finish: int

    @property
    def wires(self) -> tuple[Wire, ...]:
        """Of both operands."""
        return (*self.a, self.b)


@dataclass(frozen=True)
class Board:
    """Sockets, wires and programs for one vector program.

    Attributes:
        program: What is computed.
        cycle: Flops from one set to the next.
        sockets: One for each operation, in the program's order.
        chains: Sockets in the order in which their chips check each other; a spare stands before
            each chain. Empty for a board without checks.
    """

    program: VectorProgram
    cycle: int
    sockets: tuple[Socket, ...]
    chains: tuple[tuple[int, ...], ...] = field(default=())

    @property
    def chips(self) -> int:
        """How many are needed, spares among them."""
        return len(self.sockets) + len(self.chains)

    @property
    def latency(self) -> int:
        """Flops from writing a set to its last number."""
        return max((self.sockets[o.operation].finish for o in self.program.outputs), default=0)

    @property
    def buffers(self) -> int:
        """Words of passive buffers, a vector each, that results wait in."""
        return sum(w.delay for s in self.sockets for w in s.wires if not w.source.from_host)

    @property
    def input_buffers(self) -> int:
        """The same for what the host writes."""
        return sum(w.delay for s in self.sockets for w in s.wires if w.source.from_host)

    @cached_property
    def program_depth(self) -> int:
        """Cycles that a packet needs from the host to the last socket, over operands A."""
        return self._depth(lambda socket: (socket.a[0],))

    @cached_property
    def depth(self) -> int:
        """Cycles of the longest way from the host through all wires, a cycle for each chip."""
        return self._depth(lambda socket: socket.wires)

    def _depth(self, wires: Callable[[Socket], tuple[Wire, ...]]) -> int:
        reached: list[int] = []
        for socket in self.sockets:
            ways = (
                wire.delay + (0 if wire.source.from_host else reached[wire.source.place])
                for wire in wires(socket)
            )
            reached.append(1 + max(ways))
        return max(reached, default=0)
