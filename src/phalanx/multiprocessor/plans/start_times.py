"""Start times in a repeated plan, without tasks and messages that find their place busy.

A processor that is busy starts no task, and a wire that is busy takes no message. Whether it is
busy depends on itself alone, so each is looked at by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from phalanx.multiprocessor.computers.placement import has_happened

# sums of the same terms in another order differ by less, times that are meant to differ by more
_SAME = 1e-12

Order = tuple[bool, int, int]  # in one moment: what takes no time first, then by what it reads


@dataclass(frozen=True)
class Starts:
    """A task, or a message on one of its wires, in every sample.

    Attributes:
        start_times: When it is to start in each sample.
        ends: When it ends in each sample if it starts: its results are there.
        runs: In which samples it starts.
        order: Who is first among those that start at one moment.
        number: Of the message; 0 for a task.
        tail: How long before its end its processor can start another task; 0 but in a pipeline.
    """

    start_times: NDArray[np.float64]
    ends: NDArray[np.float64]
    runs: NDArray[np.bool_]
    order: Order
    number: int = 0
    tail: float = 0.0

    @property
    def all_run(self) -> bool:
        """Whether it starts in every sample."""
        return bool(self.runs.all())

    @property
    def released(self) -> NDArray[np.float64]:
        """When its processor or wire is free again in each sample if it starts."""
        return self.ends - self.tail

    @property
    def sets(self) -> list[int]:
        """The samples in which it starts."""
        return [int(k) for k in np.flatnonzero(self.runs)]

    def key(self, k: int, groups: NDArray[np.float64]) -> tuple[int, Order, float, int, int]:
        """What sorts the start in sample k among all."""
        moment = self.start_times[k]
        group = int(np.searchsorted(groups, moment, side="right")) - 1
        return group, self.order, float(moment), self.number, k


def all_happened(events: NDArray[np.float64], start_times: NDArray[np.float64]) -> bool:
    """Whether each event is over by its moment, beyond any doubt about rounding."""
    return bool(np.all(events <= start_times + _SAME * np.abs(start_times)))


def grouped(starts: Sequence[Starts]) -> NDArray[np.float64]:
    """The times at which anything starts; those that are one but for rounding are one."""
    firsts: list[float] = []
    every = [start.start_times for start in starts]
    for moment in np.unique(np.concatenate(every)) if every else ():
        if not firsts or not has_happened(moment, firsts[-1]):
            firsts.append(float(moment))
    return np.array(firsts)


def one_at_a_time(starts: Sequence[Starts], groups: NDArray[np.float64]) -> list[Starts]:
    """What is done on a processor or a wire, without what finds it at something else.

    Args:
        starts: All that is to be done there.
        groups: The times at which anything starts.
    """
    if _never_meet(starts):
        return list(starts)
    events = sorted(
        (start.key(k, groups), number) for number, start in enumerate(starts) for k in start.sets
    )
    runs = [np.zeros_like(start.runs) for start in starts]
    released = [start.released for start in starts]
    busy_until = 0.0
    for (_, _, moment, _, k), number in events:
        if has_happened(busy_until, moment):
            busy_until = released[number][k]
            runs[number][k] = True
    return [replace(start, runs=run) for start, run in zip(starts, runs, strict=True)]


def _never_meet(starts: Sequence[Starts]) -> bool:
    begins = np.concatenate([start.start_times for start in starts])
    released = np.concatenate([start.released for start in starts])
    order = np.lexsort((released, begins))
    free = np.concatenate(([0.0], released[order[:-1]]))
    return all_happened(free, begins[order])
