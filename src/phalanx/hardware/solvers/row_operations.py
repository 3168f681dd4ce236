"""Row operations of cells (Gauss, Givens, hyperbolic): two rows in, a zero at the pivot out.

The row x comes from the west and leaves to the east, the row y comes from the north and leaves to
the south. At the pivot a cell chooses an operation by which y becomes zero; it applies the same to
all numbers that follow.

Reference:
    Wong (1991), 4.5; Jainandunsing and Deprettere, SIAM J. Sci. Stat. Comput. 10 (1989).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca
from casadi import SX

from phalanx.kernel.graph.operations import Operations


@dataclass(frozen=True)
class RowOperation:
    """An operation on two rows.

    Attributes:
        name: Display name.
        parameters: How many numbers a cell keeps of it.
        chosen: ``(x, y)`` at the pivot → those numbers.
        applied: ``(numbers, x, y)`` → what x and y become.
        at_pivot: The arithmetic of choosing, with what becomes of x; that y becomes zero is known.
            Selecting one of two costs nothing.
        after_pivot: The arithmetic of applying.
    """

    name: str
    parameters: int
    chosen: Callable[[SX, SX], SX]
    applied: Callable[[SX, SX, SX], tuple[SX, SX]]
    at_pivot: Operations
    after_pivot: Operations


def _multiple(x: SX, y: SX) -> SX:
    return -y / x


def _add_multiple(kept: SX, x: SX, y: SX) -> tuple[SX, SX]:
    return x, y + kept * x


# a linear rotation: a multiple of x is added to y
LINEAR = RowOperation(
    "linear", 1, _multiple, _add_multiple, Operations(divide=1), Operations(multiply=1, add=1)
)


def _swap_and_multiple(x: SX, y: SX) -> SX:
    swapped = ca.fabs(y) > ca.fabs(x)
    large, small = ca.if_else(swapped, y, x), ca.if_else(swapped, x, y)
    # where both are zero nothing has to become zero
    return ca.vertcat(swapped, ca.if_else(large == 0, 0, -small / large))


def _swap_and_add(kept: SX, x: SX, y: SX) -> tuple[SX, SX]:
    large, small = ca.if_else(kept[0], y, x), ca.if_else(kept[0], x, y)
    return large, small + kept[1] * large


# neighbours swap rows first if y has the larger pivot, so that no multiple is larger than one
PAIRWISE = RowOperation(
    "pairwise pivoting",
    2,
    _swap_and_multiple,
    _swap_and_add,
    Operations(divide=1, other=1),
    Operations(multiply=1, add=1),
)


def _cosine_and_sine(x: SX, y: SX) -> SX:
    # by the larger of the two, so that squares neither overflow nor vanish
    scale = ca.fmax(ca.fabs(x), ca.fabs(y))
    u, v = x / scale, y / scale
    length = ca.sqrt(u * u + v * v)
    return ca.vertcat(ca.if_else(scale == 0, 1, u / length), ca.if_else(scale == 0, 0, v / length))


def _rotate(kept: SX, x: SX, y: SX) -> tuple[SX, SX]:
    return kept[0] * x + kept[1] * y, kept[0] * y - kept[1] * x


# Givens
ORTHOGONAL = RowOperation(
    "orthogonal",
    2,
    _cosine_and_sine,
    _rotate,
    Operations(add=2, multiply=4, divide=4, sqrt=1, other=1),
    Operations(add=2, multiply=4),
)


def _hyperbolic(x: SX, y: SX) -> SX:
    ratio = y / x
    length = ca.sqrt((1 - ratio) * (1 + ratio))
    return ca.vertcat(ratio, length, 1 / length)


def _rotate_hyperbolically(kept: SX, x: SX, y: SX) -> tuple[SX, SX]:
    # y from the new x, which loses fewer digits than from the old one (Chambers 1971)
    ahead = (x - kept[0] * y) * kept[2]
    return ahead, kept[1] * y - kept[0] * ahead


# keeps x² - y²; there is one as long as |y| < |x| at the pivot
HYPERBOLIC = RowOperation(
    "hyperbolic",
    3,
    _hyperbolic,
    _rotate_hyperbolically,
    Operations(add=3, multiply=3, divide=2, sqrt=1),
    Operations(add=2, multiply=4),
)
