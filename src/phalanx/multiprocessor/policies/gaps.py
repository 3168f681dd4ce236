"""Idle gaps of processors, for policies that place tasks between others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Row = NDArray[np.float64]

# gaps remembered for each processor: the latest, and the time after its last task
_REMEMBERED = 8


class Gaps:
    """Idle gaps of processors.

    The last column is the time after the last task, which never ends. Earlier gaps are forgotten,
    the first to end first, when a new one needs the room.
    """

    def __init__(self, processors: int) -> None:
        self._from = np.full((processors, _REMEMBERED), np.inf)
        self._to = np.full((processors, _REMEMBERED), -np.inf)
        self._from[:, -1], self._to[:, -1] = 0.0, np.inf

    def starts(self, ready: Row, times: Row | float) -> Row:
        """When a task could start on each processor.

        Args:
            ready: When its data are there, for each processor.
            times: For how long it occupies each processor, or all.
        """
        start = np.maximum(self._from, ready[:, None])
        fits = start + np.asarray(times)[..., None] <= self._to
        return np.where(fits, start, np.inf).min(axis=1)

    def take(self, processor: int, ready: float, time: float) -> float:
        """Place a task in the first gap that holds it; returns when it starts."""
        k, start = self._first(processor, ready, time)
        before, self._from[processor, k] = float(self._from[processor, k]), start + time
        if self._from[processor, k] >= self._to[processor, k]:
            self._from[processor, k], self._to[processor, k] = np.inf, -np.inf
        if start > before:
            oldest = int(self._to[processor, :-1].argmin())
            self._from[processor, oldest], self._to[processor, oldest] = before, start
        return start

    def _first(self, processor: int, ready: float, time: float) -> tuple[int, float]:
        start = np.maximum(self._from[processor], ready)
        start[start + time > self._to[processor]] = np.inf
        k = int(start.argmin())
        return k, float(start[k])
