"""Selections of rows and columns of arrays, views where they are evenly spaced."""

from __future__ import annotations

from typing import final

import numpy as np
from numpy.typing import NDArray

from phalanx.mechanism.pose import Array


@final
class RowSelection:
    """Some rows of arrays of shape (samples, rows, numbers)."""

    def __init__(self, indices: NDArray[np.intp]) -> None:
        self.indices = np.asarray(indices, np.intp)
        step = _even(self.indices)
        first = int(self.indices[0]) if len(self.indices) else 0
        self.index: slice | NDArray[np.intp] = (
            self.indices
            if step is None
            else slice(first, first + step * (len(self.indices) - 1) + 1, step)
        )

    def __len__(self) -> int:
        return len(self.indices)

    @property
    def is_view(self) -> bool:
        """Whether they are evenly spaced."""
        return isinstance(self.index, slice)

    def of(self, array: Array) -> Array:
        """These rows, a view if they are evenly spaced."""
        return array[:, self.index]

    def shape(self, array: Array) -> tuple[int, int, int]:
        """Shape of these rows of an array."""
        return len(array), len(self.indices), array.shape[2]

    def put(self, array: Array, values: Array) -> None:
        """Write these rows."""
        array[:, self.index] = values


@final
class ColumnBlocks:
    """Blocks of columns of an array (samples, n), as rows."""

    def __init__(self, starts: NDArray[np.intp], width: int) -> None:
        """Columns from each of ``starts`` on."""
        self.starts, self.width = np.asarray(starts, np.intp), width
        self.step = _even(self.starts)
        self.all = self.starts[:, None] + np.arange(width)

    @property
    def is_view(self) -> bool:
        """Whether places are evenly spaced."""
        return self.step is not None

    def of(self, array: Array) -> Array:
        """These columns, a view if places are evenly spaced."""
        if self.step is None or not len(self.starts):
            return array[:, self.all]
        item = array.strides[1]
        return np.lib.stride_tricks.as_strided(
            array[:, self.starts[0] :],
            (len(array), len(self.starts), self.width),
            (array.strides[0], self.step * item, item),
        )

    def shape(self, array: Array) -> tuple[int, int, int]:
        """Shape of these columns of an array, as rows."""
        return len(array), len(self.starts), self.width

    def put(self, array: Array, values: Array) -> None:
        """Write these columns."""
        array[:, self.all] = values


def _even(indices: NDArray[np.intp]) -> int | None:
    """The step from one to the next if it is always the same and forward."""
    if len(indices) < 2:
        return 1
    steps = np.diff(indices)
    return int(steps[0]) if steps[0] > 0 and (steps == steps[0]).all() else None
