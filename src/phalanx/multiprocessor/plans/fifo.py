"""FIFO of a repeated plan: which sample's values each reader takes out of it.

A buffer knows no samples. It takes values as they come and gives each reader the oldest that this
reader has not had; a value leaves when all have had it, and one that comes to a full buffer is
lost. At one moment values arrive first, then they are read, then the buffer is full or not.

Values have no part in this, only the times at which they come and go. So a buffer is looked
at by itself, and what comes out is the number of a sample for each reader in each sample.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from phalanx.multiprocessor.computers.placement import has_happened
from phalanx.multiprocessor.plans.start_times import Starts, all_happened

NOTHING = -1  # in place of a sample's number
_BRINGER = -1  # in place of a reader's number

Origins = NDArray[np.int64]  # for each sample the sample whose values are meant, or NOTHING


@dataclass(frozen=True)
class Deliveries:
    """Values that arrive at a buffer.

    Attributes:
        starts: When the task or message that brings values begins.
        arrivals: When the values are there, one for each sample.
        origins: The sample that the values belong to, one for each sample.
    """

    starts: Starts
    arrivals: NDArray[np.float64]
    origins: Origins


def taken(
    deliveries: Deliveries, readers: Sequence[Starts], depth: int, groups: NDArray[np.float64]
) -> list[Origins]:
    """The sample whose values each reader takes, in each of its samples.

    Args:
        deliveries: What comes.
        readers: When each reader takes.
        depth: How many values can wait.
        groups: The times at which anything starts, in order.
    """
    if _nothing_is_lost(deliveries, readers, depth):
        return [deliveries.origins] * len(readers)
    return _played(deliveries, readers, depth, groups)


def _nothing_is_lost(deliveries: Deliveries, readers: Sequence[Starts], depth: int) -> bool:
    """Whether every reader finds the values of its own sample, which is so in a plan that is right.

    The k-th value is the k-th that a reader takes when all come and all are taken, each is there
    when it is read, and when it comes all but ``depth - 1`` of those before it have left.
    """
    if not (deliveries.starts.all_run and all(reader.all_run for reader in readers)):
        return False
    arrivals = deliveries.arrivals
    if any(not all_happened(arrivals, reader.start_times) for reader in readers):
        return False
    last = np.max([reader.start_times for reader in readers], axis=0)
    return all_happened(last[: arrivals[depth:].size], arrivals[depth:])


def _played(
    deliveries: Deliveries, readers: Sequence[Starts], depth: int, groups: NDArray[np.float64]
) -> list[Origins]:
    """Simulate a buffer event by event."""
    takes = [np.full(reader.runs.size, NOTHING) for reader in readers]
    waiting: deque[tuple[int, set[int]]] = deque()

    def put(k: int) -> None:
        waiting.append((int(deliveries.origins[k]), set(range(len(readers)))))

    def take(reader: int, k: int) -> None:
        for place, (origin, left) in enumerate(waiting):
            if reader in left:
                left.remove(reader)
                if not left:
                    del waiting[place]
                takes[reader][k] = origin
                return

    def settle() -> None:
        while len(waiting) > depth:
            waiting.pop()

    at_once, coming = _in_order(deliveries, groups)
    events = [(deliveries.starts.key(k, groups), _BRINGER, k) for k in at_once]
    for number, reader in enumerate(readers):
        events += [(reader.key(k, groups), number, k) for k in reader.sets]
    events.sort()
    arrived = 0
    for group, together in itertools.groupby(events, key=lambda event: event[0][0]):
        now = groups[group]
        while arrived < len(coming) and has_happened(deliveries.arrivals[coming[arrived]], now):
            moment = deliveries.arrivals[coming[arrived]]
            put(coming[arrived])
            arrived += 1
            more = arrived < len(coming)
            following = min(now, deliveries.arrivals[coming[arrived]]) if more else now
            if not has_happened(following, moment):
                settle()
        for _, number, k in together:
            if number == _BRINGER:
                put(k)
            else:
                take(number, k)
        settle()
    return takes


def _in_order(deliveries: Deliveries, groups: NDArray[np.float64]) -> tuple[list[int], list[int]]:
    """Sets whose values are there in the moment their work starts, and the others as they come."""
    starts, arrivals = deliveries.starts, deliveries.arrivals
    at_once = [k for k in starts.sets if has_happened(arrivals[k], starts.start_times[k])]
    later = sorted(
        set(starts.sets) - set(at_once), key=lambda k: (arrivals[k], starts.key(k, groups))
    )
    return at_once, later
