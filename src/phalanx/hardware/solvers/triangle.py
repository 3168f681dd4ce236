"""Triangular array of cells that reduces [A b] to upper triangular form."""

from __future__ import annotations

import numpy as np

from phalanx.hardware.solvers.fed_array import (
    Array,
    Wiring,
    cell_name,
)
from phalanx.hardware.solvers.row_operations import RowOperation


def lay_triangle(wiring: Wiring, operation: RowOperation, A: Array, b: Array) -> None:
    """Put the cells, and stream row c of [A b] into column c.

    The reduced row r leaves to the east of cell (r, n).
    """
    n = A.shape[1]
    for r in range(1, n + 1):
        wiring.turn(r, r, r)
        for c in range(r + 1, n + 1):
            cell = wiring.eliminate(r, c, operation, r)
            wiring.wire(f"{cell_name(r, c - 1)}.x", f"{cell}.x_in")
        for c in range(r, n + 1):
            if r > 1:
                wiring.wire(f"{cell_name(r - 1, c)}.y", f"{cell_name(r, c)}.y_in")
    rows = np.concatenate([A, b], axis=2)
    for c in range(1, n + 1):
        port = f"{cell_name(1, c)}.y_in"
        wiring.feed(f"row {c}", port, rows[:, c - 1].ravel(), c - 1)
