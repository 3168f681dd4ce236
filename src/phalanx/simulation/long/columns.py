"""Numbers of many joints or nodes that are alike, out of rows that hold those of all."""

from __future__ import annotations

from typing import Any, final

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import NDArray

from phalanx.mechanism.pose import Array


@final
class Columns:
    """Where the numbers of members stand in a row: a view of it where they follow each other."""

    def __init__(self, firsts: NDArray[Any], size: int) -> None:
        """So many numbers from each of these places on."""
        self.count, self.size = len(firsts), size
        self.index = np.asarray(firsts, np.intp)[:, None] + np.arange(size)
        flat = self.index.ravel()
        first = int(flat[0]) if flat.size else 0
        together = np.array_equal(flat, np.arange(first, first + flat.size))
        self.part = slice(first, first + flat.size) if together else None

    def of(self, rows: Array) -> Array:
        """The numbers of rows (samples, n): shape (samples, members, size)."""
        if self.part is not None:
            return rows[:, self.part].reshape(len(rows), self.count, self.size)
        return rows[:, self.index]

    def put(self, rows: Array, values: Array) -> None:
        """Write them into rows."""
        if self.part is not None:
            rows[:, self.part] = values.reshape(len(rows), -1)
        else:
            rows[:, self.index] = values


@final
class Opened:
    """Numbers of members as symbols: only those that differ are arguments.

    Attributes:
        values: One member's numbers, symbols where members differ.
        arguments: These symbols.
        numbers: What they are, shape (members, arguments).
    """

    def __init__(self, table: Array) -> None:
        """From a row a member."""
        differs = (table != table[0]).any(axis=0)
        self.arguments = SX.sym("numbers", int(differs.sum()))
        self.values = SX(ca.DM(table[0]))
        self.values[np.flatnonzero(differs).tolist()] = self.arguments
        self.values = ca.sparsify(self.values)
        self.numbers = np.ascontiguousarray(table[:, differs])
