"""Fault-tolerance experiment: chips break while a board works; detection, delay, results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from phalanx.base.arguments import checked
from phalanx.hardware.chip.board import Board
from phalanx.hardware.chip.faults import Fault
from phalanx.hardware.chip.host import Host
from phalanx.hardware.chip.network import Excision, Network
from phalanx.hardware.chip.number_format import NumberFormat


@dataclass(frozen=True)
class Survival:
    """Result of a run of a board with faults.

    Attributes:
        sweep: Cycles in which the longest chain is checked once.
        sets: How many went through.
        period: Cycles from one sample to the next.
        faults: What broke.
        excisions: Chips that were taken out, in order.
        reported: Numbers of those that maintenance mode names.
        wrong: Sets with a wrong number, from 0.
    """

    sweep: int
    sets: int
    period: int
    faults: tuple[Fault, ...]
    excisions: tuple[Excision, ...]
    reported: tuple[int, ...]
    wrong: tuple[int, ...]

    @property
    def found(self) -> tuple[Fault, ...]:
        """Faults whose chip was taken out."""
        out = {excision.number for excision in self.excisions}
        return tuple(fault for fault in self.faults if fault.number in out)

    @property
    def accused(self) -> tuple[int, ...]:
        """Numbers of chips that were taken out though nothing was broken in them."""
        broken = {fault.number for fault in self.faults}
        return tuple(e.number for e in self.excisions if e.number not in broken)

    @property
    def survived(self) -> bool:
        """Whether all samples of the last sweep came out right."""
        return all((self.sets - k) * self.period > self.sweep for k in self.wrong)

    def delay(self, fault: Fault) -> int | None:
        """Cycles from a fault to its excision; None when it was not found."""
        at = [e.cycle for e in self.excisions if e.number == fault.number]
        return at[0] - fault.cycle if at else None


def sweep_cycles(board: Board) -> int:
    """Cycles in which the longest chain of a board is checked once: 2 (P + 1) for P chips."""
    return 2 * (1 + max((len(chain) for chain in board.chains), default=0))


@checked
def survive(
    board: Board,
    words: NumberFormat,
    values: ArrayLike,
    faults: Sequence[Fault],
    sets: int | None = None,
) -> Survival:
    """Run a board whose chips break, and compare with one whose chips do not.

    Args:
        board: The board, with chains.
        words: How chips keep numbers.
        values: What the host writes, shape (some, ports, 3); repeated until there are enough
            samples.
        faults: What breaks, and when.
        sets: How many go through; two sweeps after the last fault when not given.
    """
    sweep = sweep_cycles(board)
    count = sets
    if count is None:
        cycles = 2 * sweep + max((fault.cycle for fault in faults), default=0)
        count = -(-cycles // board.period)
    given = board.program.sets(values)
    clean = Host(Network(board, words))
    clean.program()
    expected = clean.run(given)

    network = Network(board, words)
    host = Host(network)
    host.program()
    for fault in faults:
        network.break_later(fault)
    rows = np.arange(count) % len(given)
    found = host.run(given[rows])
    wrong = np.flatnonzero(np.any(found != expected[rows], axis=1))
    return Survival(
        sweep,
        count,
        board.period,
        tuple(faults),
        tuple(network.excisions),
        tuple(host.faulty_numbers()),
        tuple(int(k) for k in wrong),
    )
