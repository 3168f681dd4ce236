"""Factorization, then back substitution on a linear array (two phases).

A triangle of cells reduces [A b] to [U y]. Its rows leave from the first to the last, and
substitution needs the last first, so it cannot begin before all of them are there; a store that is
no cell turns their order round. Then a line of n cells solves U x = y: sums move from its end to
its head, where a cell divides, and solutions move back (Kung and Leiserson). With n - 1 ticks to
the head, 2 for each further number and n - 1 back to the end it takes 4 n - 3.

Reference:
    Wong (1991), 4.5, after Liu and Young (1983): 3 n - 2 and 4 n - 3 cycles.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.hardware.cells.clocked import ClockedCells
from phalanx.hardware.solvers.fed_array import (
    Array,
    FedArray,
    Outlet,
    Wiring,
    cell_name,
)
from phalanx.hardware.solvers.programs import (
    IDLE,
    LATER,
    PIVOT,
    counted,
    program,
)
from phalanx.hardware.solvers.row_operations import LINEAR
from phalanx.hardware.solvers.triangle import lay_triangle
from phalanx.kernel.graph.graph import Graph
from phalanx.kernel.graph.operations import Operations

_DIVIDING = Operations(divide=1), Operations()
_ADDING = Operations(), Operations(multiply=1, add=1)


def factor_and_substitute(name: str, A: Array, b: Array) -> FedArray:
    """The array of some systems of one size (see ``feed_forward``)."""
    systems, n, sides = b.shape
    wiring = Wiring(n + sides, systems)
    lay_triangle(wiring, LINEAR, A, b)
    U, y, ready = _factors(wiring, systems, n, sides)
    _lay_line(wiring, U, y, ready)
    end = f"line {n}"
    wanted = {side * n + k + 1: (n - 1 - k, side) for side in range(sides) for k in range(n)}
    outlet = Outlet(f"{end}.x", f"{end}.leaving", wanted)
    pivots = [cell_name(r, n) for r in range(1, n + 1)]
    made = wiring.made(name, [outlet], pivots)
    return replace(made, interval=2 * n * sides)


def _factors(wiring: Wiring, systems: int, n: int, sides: int) -> tuple[Array, Array, int]:
    """U and y of all systems, and the tick in which those of the first are there."""
    triangle = ClockedCells("triangle", tuple(wiring.cells), tuple(wiring.wires), wiring.inputs, {})
    length = n + sides
    rows = triangle.registers(1 + int(max(cell.last for cell in wiring.cells)), **wiring.streams)
    # row r of a system leaves while cell (r, n) counts its numbers
    found = np.empty((systems, n, length))
    for r in range(n):
        cell = cell_name(r + 1, n)
        ticks = np.flatnonzero(~np.isnan(rows[f"{cell}.i"]))
        found[:, r] = rows[f"{cell}.x"][ticks].reshape(systems, length)
    last = rows[f"{cell_name(n, n)}.i"]
    ready = int(np.flatnonzero(last == length)[0]) + 1
    return found[:, :, :n], found[:, :, n:], ready


def _lay_line(wiring: Wiring, U: Array, y: Array, ready: int) -> None:
    """Put the line; in turn k of a side cell j of it adds what x of j turns before takes."""
    systems, n, sides = y.shape
    U, y = U[:, ::-1, ::-1], y[:, ::-1]  # the last unknown first
    for j in range(n):
        end = j == n - 1
        cell, first = f"line {j + 1}", ready + n - 1 - j
        initially = {"x": 0.0} | ({"leaving": 1.0 - n} if end else {})
        wiring.add(
            cell,
            _line_cell(j, n, n * sides if end else 0),
            first,
            (n + 2, n - j),
            _ADDING if j else _DIVIDING,
            every=2,
            # solutions are on their way through the cell for as long as it takes from the head
            times=systems * sides * n + j,
            **initially,
        )
        if j:
            wiring.wire(f"line {j}.x", f"{cell}.x_in")
            wiring.wire(f"{cell}.s", f"line {j}.s_in")
        factors = np.zeros((systems, sides, n))
        factors[:, :, j:] = np.diagonal(U, -j, 1, 2)[:, None]
        wiring.feed(f"factor {j + 1}", f"{cell}.u_in", _every_other(factors), first)
    wiring.feed("y", f"line {n}.s_in", _every_other(y.transpose(0, 2, 1)), ready)


def _every_other(numbers: Array) -> Array:
    """In order, with a tick between them."""
    spread = np.full(2 * numbers.size, np.nan)
    spread[::2] = numbers.ravel()
    return spread


@lru_cache(maxsize=4096)
def _line_cell(j: int, n: int, leaving: int) -> Graph:
    """Cell j of the line; the first divides. The last counts the solutions that leave it."""
    s, u, x = SX.sym("s_in"), SX.sym("u_in"), SX.sym("x_in")
    before, i = counted(n)
    ports, registers = {"s_in": s, "u_in": u, "i_in": before}, {"x": s / u, "mode": SX(PIVOT)}
    if j:
        ports |= {"x_in": x}
        registers = {"s": s - u * x, "x": x, "mode": ca.if_else(i > j, LATER, IDLE)}
    registers |= {"i": i}
    if leaving:
        count = SX.sym("leaving_in")
        ports |= {"leaving_in": count}
        registers |= {"leaving": ca.if_else(count >= leaving, 1, count + 1)}
    return program(f"line_{j}", ports, registers)
