"""Feed-forward solvers (LU, QR): solutions stream out of the mesh, without back substitution.

Column c of the mesh streams row c of [Aᵀ I], columns n + 1 … stream the rows of [-bᵀ 0]. Any row
operations with Θ [Aᵀ I] = [R Θ], R upper triangular, will do: the cells of a last column add
multiples y of these rows so that -bᵀ + yᵀ R = 0, and what follows is yᵀ Θ = xᵀ, because
A Θᵀ y = Rᵀ y = b. Linear rotations give LU, orthogonal ones QR.

Reference:
    Wong (1991), 4.5.1, figure 4.4 and program (4.30), with rows and columns as in the text; the
    remainder R(0) is Lᵀ, where the source prints U.
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
from phalanx.hardware.solvers.row_operations import (
    LINEAR,
    RowOperation,
)


def feed_forward(operation: RowOperation, name: str, A: Array, b: Array) -> FedArray:
    """The array of some systems of one size.

    Args:
        operation: By what rows are reduced.
        name: Display name.
        A: Shape (systems, n, n).
        b: Shape (systems, n, sides).
    """
    systems, n, sides = b.shape
    wiring = Wiring(2 * n, systems)
    for r in range(1, n + 1):
        wiring.turn(r, r, r)
        for c in range(r + 1, n + sides + 1):
            cell = wiring.eliminate(r, c, operation if c <= n else LINEAR, r)
            wiring.wire(f"{cell_name(r, c - 1)}.x", f"{cell}.x_in")
        for c in range(r, n + sides + 1):
            if r > 1:
                wiring.wire(f"{cell_name(r - 1, c)}.y", f"{cell_name(r, c)}.y_in")
    for c, numbers in enumerate(rows_and_unit(A), start=1):
        wiring.feed(f"row {c}", f"{cell_name(1, c)}.y_in", numbers, c - 1)
    feed_sides(wiring, b)
    return wiring.made(name, outlets(n, sides), last_column(n))


def rows_and_unit(A: Array) -> list[Array]:
    """The rows of [Aᵀ I], each for all systems one after the other."""
    unit = np.broadcast_to(np.eye(A.shape[1]), A.shape)
    rows = np.concatenate([A.transpose(0, 2, 1), unit], axis=2)
    return [rows[:, c].ravel() for c in range(A.shape[1])]


def feed_sides(wiring: Wiring, b: Array) -> None:
    """Stream the rows of [-bᵀ 0] into the columns after those of the matrix."""
    n = b.shape[1]
    rows = np.concatenate([-b, np.zeros_like(b)], axis=1)
    for k in range(b.shape[2]):
        port = f"{cell_name(1, n + 1 + k)}.y_in"
        wiring.feed(f"side {k + 1}", port, rows[:, :, k].ravel(), n + k + wiring.late)


def outlets(n: int, sides: int) -> list[Outlet]:
    """South of the last row: n zeros, then the solution."""
    cells = [cell_name(n, n + 1 + k) for k in range(sides)]
    return [
        Outlet(f"{cell}.y", f"{cell}.i", {n + 1 + row: (row, k) for row in range(n)})
        for k, cell in enumerate(cells)
    ]


def last_column(n: int) -> list[str]:
    """Cells that see the pivots of R."""
    return [cell_name(r, n + 1) for r in range(1, n + 1)]
