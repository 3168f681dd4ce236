"""Wires of a board: results, passive buffers (delay lines), host words, bus latches.

A result stays on its wire until the next one. A passive buffer moves on by one word whenever its
source does, so a reader further back sees an earlier word of the same source.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence

from phalanx.base.errors import InvalidInput
from phalanx.hardware.chip.board import Board, OperandWire
from phalanx.hardware.chip.vamp import NOTHING, Vector


class BusConflict(InvalidInput):
    """Two results on one bus at a time."""


class Wires:
    """Words on their way between the chips of a board."""

    def __init__(self, board: Board) -> None:
        depth = 2 + max((w.delay for duty in board.duties for w in duty.wires), default=0)

        def buffer() -> deque[Vector]:
            return deque([NOTHING] * depth, maxlen=depth)

        self._board = board
        self._results = [buffer() for _ in board.sockets]
        self._ports = [buffer() for _ in board.program.ports]
        carried = (w for duty in board.duties for w in duty.wires if w.slot is not None)
        self._latches: Mapping[OperandWire, deque[Vector]] = {wire: buffer() for wire in carried}
        self._driven: dict[int, Vector] = {}
        self._strobes: dict[int, list[int]] = {}
        for place, duty in enumerate(board.first_duties):
            self._strobes.setdefault(duty.program.dump, []).append(place)

    def read(self, wire: OperandWire) -> Vector:
        """What a chip finds at the end of a wire."""
        if wire.slot is not None:
            return self._latches[wire][-1 - wire.delay]
        return self.passing(wire)

    def passing(self, wire: OperandWire) -> Vector:
        """The same when all transfers are at the start of a cycle, and no bus has to wait."""
        if wire.source.from_host:
            return self._ports[wire.source.place][-1 - wire.delay]
        return self._results[self._board.socket_of[wire.source.place]][-1 - wire.delay]

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
