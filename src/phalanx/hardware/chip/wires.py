"""Wires of a board: results, passive buffers (delay lines), host words, bus latches.

A result stays on its wire until the next one. A passive buffer moves on by one word whenever its
source does, so a reader further back sees an earlier word of the same source.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence

from phalanx.base.errors import InvalidInput
from phalanx.hardware.chip.board import Board, OperandWire
from phalanx.hardware.chip.number_format import NumberFormat
from phalanx.hardware.chip.vamp import NOTHING, Vector


class BusConflict(InvalidInput):
    """Two results on one bus at a time."""


class Wires:
    """Words on their way between the chips of a board."""

    def __init__(self, board: Board, words: NumberFormat) -> None:
        depth = 2 + max((w.delay for duty in board.duties for w in duty.wires), default=0)

        def buffer() -> deque[Vector]:
            return deque([NOTHING] * depth, maxlen=depth)

        self._board, self._words = board, words
        self._results = [buffer() for _ in board.sockets]
        self._ports = [buffer() for _ in board.program.ports]
        carried = (w for duty in board.duties for w in duty.wires if w.slot is not None)
        self._latches: Mapping[OperandWire, deque[Vector]] = {wire: buffer() for wire in carried}
        self._driven: dict[int, Vector] = {}
        self._strobes: dict[int, list[int]] = {}
        for place, duty in enumerate(board.first_duties):
            self._strobes.setdefault(duty.program.dump, []).append(place)

    def read(self, wire: OperandWire, flop: int, line: int = 0) -> Vector:
        """What a chip finds at the end of a wire, or in the register that it is shifted into.

        Args:
            wire: The wire.
            flop: Of the cycle.
            line: Vectors of the same operand that come in before.
        """
        if wire.slot is not None:
            return self._latches[wire][-1 - wire.delay]
        ports = self._board.ports
        if ports is None:
            return self.passing(wire)
        words = self._words_of(wire)
        since = wire.delay * self._board.cycle + self._age(wire, flop) - ports.flops(line)
        return ports.received(since, words[-1 - wire.delay], words[-2 - wire.delay], self._words)

    def passing(self, wire: OperandWire) -> Vector:
        """The same when all transfers are at the start of a cycle, and no bus has to wait."""
        return self._words_of(wire)[-1 - wire.delay]

    def _words_of(self, wire: OperandWire) -> deque[Vector]:
        """The newest words of a wire's source, the last one last."""
        if wire.source.from_host:
            return self._ports[wire.source.place]
        return self._results[self._board.socket_of[wire.source.place]]

    def _age(self, wire: OperandWire, flop: int) -> int:
        """Flops since the source of a wire had its newest word."""
        if wire.source.from_host:
            return flop
        place = self._board.socket_of[wire.source.place]
        return (flop - self._board.first_duties[place].program.dump) % self._board.cycle

    def on_socket(self, place: int) -> Vector:
        """What is on the result wire of a socket."""
        return self._results[place][-1]

    def write_ports(self, given: Sequence[Vector]) -> None:
        """Put words of the host on its ports."""
        for port, vector in zip(self._ports, given, strict=True):
            port.append(vector)

    def drive(self, place: int, result: Vector) -> None:
        """Let a chip drive the result wire of a socket."""
        self._driven[place] = result

    def strobe(self, flop: int) -> None:
        """Take what is driven at the end of a Flop; a wire that is not driven reads as zero."""
        for place in self._strobes.get(flop, ()):
            self._results[place].append(self._driven.pop(place, NOTHING))

    def hand_on(self, words: Sequence[Vector]) -> None:
        """Put a word on the result wire of every socket, as between two cycles."""
        for buffer, word in zip(self._results, words, strict=True):
            buffer.append(word)

    def carry(self, flop: int) -> None:
        """Let buses carry results to the latches of those who read them.

        Raises:
            BusConflict: Two results share a segment.
        """
        driving: dict[tuple[int, int], int] = {}
        for wire, latch in self._latches.items():
            if wire.slot == flop and wire.bus is not None:
                source = wire.source.place
                other = driving.setdefault(wire.bus, source)
                if other != source:
                    first, second = (self._board.duties[k].role for k in (other, source))
                    raise BusConflict(
                        f"'{first}' and '{second}' both drive segment {wire.bus[1]} of tier "
                        f"{wire.bus[0]} in Flop {flop} of the cycle."
                    )
                latch.append(self.on_socket(self._board.socket_of[source]))

    def fill(self, vector: Callable[[], Vector]) -> None:
        """Put anything into all buffers."""
        for buffer in (*self._results, *self._ports, *self._latches.values()):
            buffer.extend(vector() for _ in range(buffer.maxlen or 0))
