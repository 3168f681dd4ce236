"""Host computer: writes programs into chips over their data wires, feeds samples, reads results.

The host knows which number sits in which socket. It writes a packet for every chip to every port,
and the packets pass through the network from chip to chip. Chips may stand in any order: the host
only has to address them accordingly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from phalanx.base.arguments import checked
from phalanx.base.errors import InvalidInput
from phalanx.hardware.chip.board import Board
from phalanx.hardware.chip.by_numpy import Array
from phalanx.hardware.chip.global_reset import HELD, RELEASED
from phalanx.hardware.chip.maintenance import MARK, NOBODY, notice
from phalanx.hardware.chip.network import Network
from phalanx.hardware.chip.number_format import NumberFormat, TooNarrow, Word
from phalanx.hardware.chip.vamp import (
    MICROCODE,
    NEXT_PROGRAM,
    NOTHING,
    NUMBERS,
    OWN_PROGRAM,
    Vector,
    packet,
)

IDLE: Vector = (NOBODY, 0, 0)


class Host:
    """Host computer at the ports of a network.

    Attributes:
        network: The chips.
        numbers: The number that the host takes each chip to have, by socket, then by spare.
    """

    def __init__(self, network: Network, numbers: Sequence[int] | None = None) -> None:
        """Take note of the chips' numbers; those that are burned in when not given."""
        there = [chip.number for chip in network.chips]
        self.network, self.numbers = network, list(there if numbers is None else numbers)
        if len(self.numbers) != len(there):
            raise InvalidInput(
                f"the host knows {len(self.numbers)} numbers; the board has {len(there)} chips."
            )

    def packets(self, microcode: Mapping[int, Sequence[int]] | None = None) -> list[Vector]:
        """One for each program register, and one for each word of microcode.

        Args:
            microcode: Words to write into chips, by socket, from address 0 on.
        """
        board = self.network.board
        made = [
            packet(self.numbers[k], OWN_PROGRAM, *duty.program.words())
            for k, duty in enumerate(board.first_duties)
        ]
        for k, following in board.links.items():
            words = board.first_duties[following].program.words()
            made.append(packet(self.numbers[k], NEXT_PROGRAM, *words))
        for k, code in (microcode or {}).items():
            for chip in (
                k,
                *(before for before, after in self.network.board.links.items() if after == k),
            ):
                for address, word in enumerate(code):
                    made.append(packet(self.numbers[chip], MICROCODE, address, word))
        return made

    def program(self, microcode: Mapping[int, Sequence[int]] | None = None) -> int:
        """Program all chips, whatever state they are in; how many cycles it took."""
        words = [*self.packets(microcode), *[IDLE] * self.network.board.program_depth]
        self._hold()
        for word in words:
            self._after_a_gap(1, word)
        return len(words)

    @checked
    def run(self, values: ArrayLike) -> Array:
        """Send samples through, one a period, and collect their results.

        Args:
            values: What the host writes, shape (samples, ports, 3).

        Returns:
            Outputs, shape (samples, outputs).

        Raises:
            TooNarrow: A value fits into no word; says which, in which chip and sample.
        """
        network = self.network
        board, words = network.board, network.words
        sets = self._encoded(values)
        outputs = board.program.outputs
        record = np.full((len(sets), len(outputs)), np.nan)
        due = [board.duties[o.operation].finish + board.shifting_out for o in outputs]

        def observe(flops: int) -> None:
            for column, output in enumerate(outputs):
                row, early = divmod(flops - due[column], board.interval)
                if not early and 0 <= row < len(sets):
                    vector = network.result(output.operation)
                    record[row, column] = words.value(vector[output.component - 1])

        idle = [NOTHING] * len(board.program.ports)
        self._hold()
        for _ in range(RELEASED):
            network.tick(False, idle)
        for k in range(cycles_needed(board, len(sets))):
            number, waits = divmod(k, board.period)
            given = idle if waits or number >= len(sets) else sets[number]
            for flop in range(board.cycle):
                network.tick(flop == 0, given)
                observe(k * board.cycle + flop + 1)
        return record

    def faulty_numbers(self) -> list[int]:
        """Numbers of chips that were taken out, as notices bring them in maintenance mode.

        Those who found a fault send their own number; who follows whom is known to the host. What
        a broken chip has made of a notice on its way is dropped.
        """
        network = self.network
        place: dict[Word, int] = {number: k for k, number in enumerate(self.numbers)}
        faulty: list[int] = []
        below = NUMBERS
        self._hold()
        while True:
            for _ in range(network.board.depth + 1):
                self._after_a_gap(2, notice(NOBODY, below))
            words = [network.result(output.operation) for output in network.board.program.outputs]
            finders = [
                int(number)
                for number, mark, limit in words
                if (mark, limit) == (MARK, below)
                and number < below
                and place.get(number) in network.board.links
            ]
            if not finders:
                return sorted(faulty)
            below = max(finders)
            faulty.append(self.numbers[network.board.links[place[below]]])

    def _hold(self) -> None:
        """End data mode, or whatever was under way."""
        for _ in range(HELD):
            self.network.tick(True, self._everywhere(IDLE))

    def _after_a_gap(self, ticks: int, word: Vector) -> None:
        """One cycle in program or maintenance mode, with a word on all ports."""
        for _ in range(ticks):
            self.network.tick(False, self._everywhere(word))
        self.network.tick(True, self._everywhere(word))

    def _everywhere(self, word: Vector) -> list[Vector]:
        return [word] * len(self.network.board.program.ports)

    def _encoded(self, values: ArrayLike) -> list[list[Vector]]:
        words = self.network.words
        program = self.network.board.program
        sets = []
        for number, given in enumerate(program.sets(values)):
            row = []
            for name, (x, y, z) in zip(program.ports, given.tolist(), strict=True):
                try:
                    row.append((words.word(x), words.word(y), words.word(z)))
                except TooNarrow as error:
                    raise error.at(f"what the host writes as '{name}', set {number}") from None
            sets.append(row)
        return sets


def cycles_needed(board: Board, sets: int) -> int:
    """Cycles until the last number of the last sample is out."""
    return -(-board.latency // board.cycle) + (sets - 1) * board.period


@checked
def run_on_chips(board: Board, words: NumberFormat, values: ArrayLike) -> Array:
    """Outputs of a board with new chips, programmed over their wires, shape (samples, outputs)."""
    host = Host(Network(board, words))
    host.program()
    return host.run(values)
