"""Programs of the cells of solvers.

Cells count the numbers of a stream, ``i`` from 1, and begin again with the next system; they get no
other order. ``mode`` says what a tick was: 0 nothing, 1 the pivot, 2 a number after it.
"""

from __future__ import annotations

from functools import lru_cache

import casadi as ca
from casadi import SX

from phalanx.hardware.solvers.row_operations import RowOperation
from phalanx.kernel.graph.graph import Graph
from phalanx.kernel.graph.passes.simplify import simplify
from phalanx.kernel.graph.read_casadi import read_casadi, scalar_function

IDLE, PIVOT, LATER = 0, 1, 2


@lru_cache(maxsize=4096)  # by what arrays of several sizes have in common
def eliminating(operation: RowOperation, pivot: int, length: int) -> Graph:
    """A cell that makes number ``pivot`` of the row from the north zero.

    Args:
        operation: How.
        pivot: Which number of the stream.
        length: How many numbers a system has.
    """
    x, y = SX.sym("x_in"), SX.sym("y_in")
    kept = SX.sym("kept_in", operation.parameters)
    before, i = counted(length)
    at = i == pivot
    keep = ca.if_else(at, operation.chosen(x, y), kept)
    x_next, y_next = operation.applied(keep, x, y)
    return program(
        f"eliminate_{pivot}",
        {"x_in": x, "y_in": y, "kept_in": kept, "i_in": before},
        {
            # at the pivot it is zero but for rounding
            "y": ca.if_else(i > pivot, y_next, 0),
            "x": ca.if_else(i >= pivot, x_next, 0),
            "kept": keep,
            "i": i,
            "mode": mode(i, pivot),
        },
    )


@lru_cache(maxsize=4096)
def turning(pivot: int, length: int) -> Graph:
    """A cell that turns a row from the north to the east."""
    y = SX.sym("y_in")
    before, i = counted(length)
    return program(
        f"turn_{pivot}", {"y_in": y, "i_in": before}, {"x": y, "i": i, "mode": mode(i, pivot)}
    )


def counted(length: int) -> tuple[SX, SX]:
    """The number before, and that of this tick."""
    before = SX.sym("i_in")
    return before, ca.if_else(before >= length, 1, before + 1)


def mode(i: SX, pivot: int) -> SX:
    """What a tick is."""
    return ca.if_else(i < pivot, IDLE, ca.if_else(i == pivot, PIVOT, LATER))


def program(name: str, ports: dict[str, SX], registers: dict[str, SX]) -> Graph:
    """A program of ports and registers."""
    function = ca.Function(name, [*ports.values()], [*registers.values()], [*ports], [*registers])
    return simplify(read_casadi(scalar_function(function)))
