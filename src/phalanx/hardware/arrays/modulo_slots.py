"""Modulo reservation table: which moments of an initiation interval an operator is free at.

With a new sample every interval T, an operator that starts a task at a moment s starts it for the
other samples at s + T, s + 2 T, …. So two tasks meet if their starts do modulo T. Each operator has
slots as long as its longest occupancy, from its first start on, and a task takes one of them. As
many slots as an operator has tasks are in T if T is at least their number times that occupancy.
Then there is always one that is free, and no sample meets another.

Reference:
    Rau, Iterative modulo scheduling, MICRO-27 (1994). Without a recurrence from sample to sample a
    shortest interval is that of the busiest operator, and no search is needed.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

_ROUNDING = 1e-9  # of a slot


class ModuloSlots:
    """Slots of operators in an initiation interval.

    Attributes:
        interval: From a sample to the next: as given, or as long as the busiest operator needs.
    """

    def __init__(self, where: Sequence[int], occupied: Sequence[float], interval: float) -> None:
        """Nothing has started.

        Args:
            where: The operator of each task.
            occupied: For how long each task occupies it.
            interval: From a sample to the next; lengthened to what the busiest operator needs.
        """
        tasks: dict[int, int] = defaultdict(int)
        self._slot: dict[int, float] = defaultdict(float)
        for operator, time in zip(where, occupied, strict=True):
            tasks[operator] += 1
            self._slot[operator] = max(self._slot[operator], time)
        needed = (tasks[operator] * slot for operator, slot in self._slot.items())
        self.interval = max(interval, *needed, 0.0)
        self._begin: dict[int, float] = {}
        self._taken: dict[int, set[int]] = defaultdict(set)

    def first(self, operator: int, moment: float) -> float:
        """The first moment from this one on at which an operator is free for every sample."""
        slot = self._slot[operator]
        if operator not in self._begin or slot == 0.0:
            return moment
        begin, count = self._begin[operator], self._count(operator)
        laps, place = self._place(operator, moment)
        while place >= count or place in self._taken[operator]:
            place += 1
            if place >= count:
                laps, place = laps + 1, 0
        possible = begin + laps * self.interval + place * slot
        return possible if possible > moment + _ROUNDING * slot else moment

    def take(self, operator: int, moment: float) -> None:
        """Note that an operator starts a task at a moment that was free."""
        self._begin.setdefault(operator, moment)
        self._taken[operator].add(self._place(operator, moment)[1])

    def _count(self, operator: int) -> int:
        return math.floor(self.interval / self._slot[operator] + _ROUNDING)

    def _place(self, operator: int, moment: float) -> tuple[int, int]:
        """The first slot that does not begin before a moment: how many intervals on, and which."""
        since, slot = moment - self._begin[operator], self._slot[operator]
        laps = math.floor(since / self.interval + _ROUNDING) if self.interval else 0
        left = max(0.0, since - laps * self.interval)
        return laps, math.ceil(left / slot - _ROUNDING) if slot else 0
