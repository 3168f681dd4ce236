"""Recorded sequence of kernel calls over fixed arrays: described once, replayed many times.

Policy: arrays have the shape (samples, rows, numbers). Rows that two strides describe are read and
written where they are; others go through an array of their own, before or after the call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import final

import numpy as np

from phalanx.dynamics.evaluators.scan.rows import ColumnBlocks, RowSelection
from phalanx.kernel import Kernel
from phalanx.mechanism.pose import Array

# an array, or some rows of one
Place = Array | tuple[Array, RowSelection | ColumnBlocks]


@final
class Tape:
    """Calls and copies that follow each other."""

    def __init__(self) -> None:
        self._steps: list[Callable[[], None]] = []

    def __len__(self) -> int:
        return len(self._steps)

    def play(self) -> None:
        """All of them, on what arrays hold now."""
        for step in self._steps:
            step()

    def call(self, kernel: Kernel, inputs: Sequence[Place], outputs: Sequence[Place]) -> None:
        """A kernel over rows."""
        sources = []
        for place in inputs:
            view = _in_place(place)
            if view is None:
                view = np.empty(_shape(place))
                self.copy(place, view)
            sources.append(view)
        targets, after = [], []
        for place in outputs:
            view = _in_place(place)
            if view is None:
                view = np.empty(_shape(place))
                after.append((view, place))
            targets.append(view)
        self._steps.append(kernel.on_arrays(sources, targets))
        for view, place in after:
            self.copy(view, place)

    def copy(self, source: Place, target: Place) -> None:
        """Rows to rows."""
        array, rows = source if isinstance(source, tuple) else (source, None)
        if rows is not None and not rows.is_view:
            fetch = partial(rows.of, array)
        else:
            view = array if rows is None else rows.of(array)
            fetch = partial(_same, view)
        if not isinstance(target, tuple):
            self._steps.append(partial(_write, target, fetch))
        else:
            self._steps.append(partial(_put, target[1], target[0], fetch))


def _same(array: Array) -> Array:
    return array


def _write(target: Array, fetch: Callable[[], Array]) -> None:
    target[...] = fetch()


def _put(rows: RowSelection | ColumnBlocks, target: Array, fetch: Callable[[], Array]) -> None:
    rows.put(target, fetch())


def _shape(place: Place) -> tuple[int, ...]:
    return place.shape if isinstance(place, np.ndarray) else place[1].shape(place[0])


def _in_place(place: Place) -> Array | None:
    """The rows themselves, if one stride leads from row to row through all samples."""
    if isinstance(place, tuple):
        array, rows = place
        if not rows.is_view:
            return None
        view = rows.of(array)
    else:
        view = place
    samples, count, _ = view.shape
    if samples == 1 or view.strides[0] == count * view.strides[1] or count == 1:
        return view
    return None
