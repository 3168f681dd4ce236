"""Faddeev's algorithm as a systolic solver, without back substitution.

Columns c ≤ n of the mesh stream the rows of [A b], columns n + j those of [-I 0]. Adding rows of
the former to the latter until -I is zero leaves A⁻¹ b. Column n + j has cells only from row j on,
since the row is zero before its -1: n (n + 1) cells together. Neighbours may swap rows of A for the
larger pivot; with the right-hand sides at the end of the streams, further ones cost a tick each.

Reference:
    Wong (1991), 4.5, after Faddeev (1959).
"""

from __future__ import annotations

import numpy as np

from phalanx.hardware.solvers.fed_array import (
    Array,
    FedArray,
    Outlet,
    Wiring,
    cell_name,
)
from phalanx.hardware.solvers.feed_forward import last_column
from phalanx.hardware.solvers.row_operations import LINEAR, PAIRWISE
from phalanx.hardware.solvers.triangle import lay_triangle


def faddeev(name: str, A: Array, b: Array) -> FedArray:
    """The array of some systems of one size (see ``feed_forward``)."""
    systems, n, sides = b.shape
    wiring = Wiring(n + sides, systems)
    lay_triangle(wiring, PAIRWISE, A, b)
    for j in range(1, n + 1):
        for r in range(j, n + 1):
            cell = wiring.eliminate(r, n + j, LINEAR, r)
            wiring.wire(f"{cell_name(r, n + j - 1)}.x", f"{cell}.x_in")
            if r > j:
                wiring.wire(f"{cell_name(r - 1, n + j)}.y", f"{cell}.y_in")
        row = np.concatenate([-np.eye(n)[j - 1], np.zeros(sides)])
        first = j + n + j - 2
        wiring.feed(f"unit {j}", f"{cell_name(j, n + j)}.y_in", np.tile(row, systems), first)
    outlets = [
        Outlet(f"{cell}.y", f"{cell}.i", {n + 1 + k: (j, k) for k in range(sides)})
        for j, cell in enumerate(cell_name(n, n + 1 + j) for j in range(n))
    ]
    return wiring.made(name, outlets, last_column(n))
