"""Feed-forward Cholesky solver by hyperbolic rotations.

With D the diagonal of a symmetric A and N what is above it, A = Vᵀ V - Wᵀ W, where
V = D^-½ (D + N) and W = D^-½ N. Rotations that keep this difference and make W zero leave
R with Rᵀ R = A in the place of V. Where V and W are continued by D^-½, R is continued by its
inverse, transposed; the last column then works as it does for LU.

Rows of V stream down, rows of W stream to the east. A column hands its first, unturned row down
beside the turned one, because the diagonal cell has to send it on as W.

Reference:
    Wong (1991), 4.5.1, which names the variant; Delosme and Ipsen, Linear Algebra Appl. 77 (1986).
"""

from __future__ import annotations

from functools import lru_cache

import casadi as ca
from casadi import SX

from phalanx.hardware.solvers.fed_array import (
    NO_WORK,
    Array,
    FedArray,
    Wiring,
    cell_name,
)
from phalanx.hardware.solvers.feed_forward import (
    feed_sides,
    last_column,
    outlets,
    rows_and_unit,
)
from phalanx.hardware.solvers.programs import counted, mode, program
from phalanx.hardware.solvers.row_operations import HYPERBOLIC, LINEAR
from phalanx.kernel.graph.graph import Graph
from phalanx.kernel.graph.operations import Operations

_SCALING = Operations(multiply=1, divide=1, sqrt=1), Operations(multiply=1)


def hyperbolic_cholesky(name: str, A: Array, b: Array) -> FedArray:
    """The array of some systems of one size (see ``feed_forward``); reads the upper half of A."""
    systems, n, sides = b.shape
    wiring = Wiring(2 * n, systems, late=1)
    work = HYPERBOLIC.at_pivot, HYPERBOLIC.after_pivot
    for c, numbers in enumerate(rows_and_unit(A), start=1):
        scaled = wiring.place(0, c, _scaling(c, 2 * n), _SCALING)
        wiring.feed(f"row {c}", f"{scaled}.y_in", numbers, c - 1)
    for r in range(1, n + 1):
        wiring.place(r, r, _parting(r, 2 * n), NO_WORK)
        for c in range(r + 1, n + 1):
            wiring.place(r, c, _turning(c, 2 * n), work)
            wiring.wire(f"{cell_name(r, c - 1)}.w", f"{cell_name(r, c)}.w_in")
        for c in range(n + 1, n + sides + 1):
            wiring.eliminate(r, c, LINEAR, r)
            if r > 1:
                wiring.wire(f"{cell_name(r - 1, c)}.y", f"{cell_name(r, c)}.y_in")
        for c in range(r + 1, n + sides + 1):
            wiring.wire(f"{cell_name(r, c - 1)}.x", f"{cell_name(r, c)}.x_in")
        for c in range(r, n + 1):
            wiring.wire(f"{cell_name(r - 1, c)}.v", f"{cell_name(r, c)}.v_in")
            wiring.wire(f"{cell_name(r - 1, c)}.first", f"{cell_name(r, c)}.first_in")
    feed_sides(wiring, b)
    return wiring.made(name, outlets(n, sides), last_column(n))


@lru_cache(maxsize=4096)
def _scaling(pivot: int, length: int) -> Graph:
    """Divides a row, from its pivot on, by the root of it; before it is zero."""
    y, kept = SX.sym("y_in"), SX.sym("kept_in")
    before, i = counted(length)
    keep = ca.if_else(i == pivot, 1 / ca.sqrt(y), kept)
    scaled = ca.if_else(i >= pivot, y * keep, 0)
    return program(
        f"scale_{pivot}",
        {"y_in": y, "kept_in": kept, "i_in": before},
        {"v": scaled, "first": scaled, "kept": keep, "i": i, "mode": mode(i, pivot)},
    )


@lru_cache(maxsize=4096)
def _turning(pivot: int, length: int) -> Graph:
    """Turns rows v and w so that w is zero at the pivot; hands on what passes."""
    v, w, first, x = (SX.sym(f"{one}_in") for one in ("v", "w", "first", "x"))
    kept = SX.sym("kept_in", HYPERBOLIC.parameters)
    before, i = counted(length)
    keep = ca.if_else(i == pivot, HYPERBOLIC.chosen(v, w), kept)
    v_next, w_next = HYPERBOLIC.applied(keep, v, w)
    begun = i >= pivot
    return program(
        f"turn_hyperbolically_{pivot}",
        {"v_in": v, "w_in": w, "first_in": first, "x_in": x, "kept_in": kept, "i_in": before},
        {
            "v": ca.if_else(begun, v_next, v),
            "w": ca.if_else(i == pivot, 0, ca.if_else(begun, w_next, w)),
            "first": first,
            "x": x,
            "kept": keep,
            "i": i,
            "mode": mode(i, pivot),
        },
    )


@lru_cache(maxsize=4096)
def _parting(pivot: int, length: int) -> Graph:
    """Sends the turned row on as a row of R, and the first one without its diagonal as W."""
    v, first = SX.sym("v_in"), SX.sym("first_in")
    before, i = counted(length)
    return program(
        f"part_{pivot}",
        {"v_in": v, "first_in": first, "i_in": before},
        {"x": v, "w": ca.if_else(i == pivot, 0, first), "i": i, "mode": mode(i, pivot)},
    )
