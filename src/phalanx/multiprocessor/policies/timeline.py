"""Busy times of processors, where messages take time of them as tasks do."""

from __future__ import annotations

from bisect import insort
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Row = NDArray[np.float64]


class Timeline:
    """What each processor does from when to when; nothing overlaps."""

    def __init__(self, processors: int) -> None:
        """All processors are free."""
        self._busy: list[list[tuple[float, float]]] = [[] for _ in range(processors)]

    def starts(self, ready: Row, times: Row | float) -> Row:
        """When a task could start on each processor.

        Args:
            ready: When its data are there, for each processor.
            times: What it takes, for each processor or for all.
        """
        times = np.broadcast_to(times, ready.shape)
        return np.array(
            [self.first(p, float(ready[p]), float(times[p])) for p in range(len(self._busy))]
        )

    def take(self, processor: int, ready: float, time: float) -> float:
        """Place a task in the first gap that holds it; returns when it starts."""
        start = self.first(processor, ready, time)
        self.hold(processor, start, start + time)
        return start

    def first(self, processor: int, ready: float, time: float) -> float:
        """When a processor is next free for so long."""
        for start, end in self._busy[processor]:
            if ready + time <= start:
                break
            ready = max(ready, end)
        return ready

    def together(self, spans: Sequence[tuple[int, float, float]], moment: float) -> float:
        """The first moment, from one on, at which several processors are free.

        Args:
            spans: Processors, and from when to when each is needed, relative to the moment.
            moment: The first that is possible.
        """
        while True:
            later = moment
            for processor, begin, end in spans:
                ready = later + begin
                later += self.first(processor, ready, end - begin) - ready
            if later == moment:
                return moment
            moment = later

    def hold(self, processor: int, start: float, end: float) -> None:
        """Note that a processor is busy."""
        if end > start:
            insort(self._busy[processor], (start, end))
