"""Gather and scatter of columns: numbers of some joints or nodes out of rows of all."""

from __future__ import annotations

from typing import Any, final

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import NDArray

from phalanx.mechanism.pose import Array


@final
class Columns:
    """Columns of some members in rows of all: a view where they are adjacent."""

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
class Gathered:
    """Numbers of members out of rows that stay where they are, again and again.

    Attributes:
        array: The numbers, shape (samples, members, size): a view of the rows where one stride
            passes over them.
    """

    def __init__(self, rows: Array, columns: Columns) -> None:
        """Make room where a view will not do."""
        self._rows, self._columns = rows, columns
        whole = columns.part is not None and (
            len(rows) == 1 or columns.part == slice(0, rows.shape[1])
        )
        self.array = columns.of(rows)
        self.is_view = whole
        assert not whole or np.shares_memory(self.array, rows)
        if not whole:
            self.array = np.array(self.array)

    def take(self) -> None:
        """Read the rows."""
        if not self.is_view:
            self.array[...] = self._columns.of(self._rows)

    def give(self) -> None:
        """Write the rows."""
        if not self.is_view:
            self._columns.put(self._rows, self.array)


@final
class SymbolicColumns:
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
