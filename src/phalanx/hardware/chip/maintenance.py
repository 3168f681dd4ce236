"""Maintenance mode: fault notices on their way to the host.

A notice is a word (number, mark, limit): the number of a chip that has found its successor wrong.
Of the notices that meet in a chip, the one with the largest number below the limit goes on; so the
host finds all of them, one after another, by lowering the limit, which comes with operand A.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from phalanx.hardware.chip.board import Board, OperandWire
from phalanx.hardware.chip.rolling_check import ChipState
from phalanx.hardware.chip.vamp import NOTHING, Vamp, Vector

MARK = 21845  # alternating bits
NOBODY = -1  # no chip's number


def notice(number: int, limit: int) -> Vector:
    """A word that says who has found a fault."""
    return (number, MARK, limit)


def notices(
    board: Board, chips: Sequence[Vamp], read: Callable[[OperandWire], Vector]
) -> list[Vector]:
    """What goes on from each socket.

    Args:
        board: The board.
        chips: In its sockets, then the spares.
        read: What a wire brings.
    """
    finders = {
        board.links[k]: chip.number
        for k, chip in enumerate(chips)
        if chip.state is ChipState.HOLD and k in board.links
    }
    found: list[Vector] = []
    for place, duties in enumerate(board.sockets):
        _, mark, limit = read(board.first_duties[place].a[0])
        if mark != MARK:
            found.append(NOTHING)
            continue
        words = [read(wire) for duty in duties for wire in board.duties[duty].wires]
        known = [number for number, mark, _ in words if mark == MARK]
        known.append(finders.get(place, NOBODY))
        best = max((number for number in known if number < limit), default=NOBODY)
        found.append((best, MARK, limit))
    return found
