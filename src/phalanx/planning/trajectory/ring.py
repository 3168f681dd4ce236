"""Ring buffer of rows that can be seen in order without being copied.

Every row is kept twice, m places apart, in arrays of 2m rows. Whatever row is the oldest, the m
rows from it on lie side by side: a view of them in order, which a kernel takes as it is. A new row
takes the two places of the oldest, so nothing ever moves.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@final
class Ring:
    """Named arrays of m rows, the oldest first."""

    def __init__(self, rows: int, shapes: Mapping[str, tuple[int, ...]]) -> None:
        """Rows of zeros.

        Args:
            rows: How many, m.
            shapes: Of one row of each array.
        """
        self.rows = rows
        self.start = 0
        self.arrays = {name: np.zeros((2 * rows, *shape)) for name, shape in shapes.items()}

    def window(self, name: str) -> Array:
        """All rows in order, shape (m, ...): a view, good until the ring turns."""
        return self.arrays[name][self.start : self.start + self.rows]

    def seen(self, name: str) -> Array:
        """The same for who may only look."""
        view = self.window(name)
        view.flags.writeable = False
        return view

    def place(self, row: int) -> int:
        """Where a row is seen."""
        return self.start + row

    def repeat(self, name: str, place: int) -> None:
        """Write the row at a place to its other place too."""
        array = self.arrays[name]
        array[place - self.rows if place >= self.rows else place + self.rows] = array[place]

    def repeat_from(self, name: str, row: int) -> None:
        """Write all rows from one on to their other places too."""
        array, m = self.arrays[name], self.rows
        first, middle, end = self.start + row, max(m, self.start + row), self.start + m
        array[first + m : middle + m] = array[first:middle]  # seen in the first half
        array[middle - m : end - m] = array[middle:end]  # seen in the second

    def turn(self) -> None:
        """Let the oldest row become the newest."""
        self.start = (self.start + 1) % self.rows
