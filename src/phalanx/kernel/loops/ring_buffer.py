"""Ring buffer of states written by a real-time loop."""

from __future__ import annotations

from typing import NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from phalanx.kernel.loops import paced_words as words

Array = NDArray[np.float64]


class StoredStates(NamedTuple):
    """States at the begin of steps, and the inputs of these steps.

    Attributes:
        counts: Steps taken before, shape (n,).
        states: Shape (n, size).
        inputs: Of each input, shape (n, its size).
    """

    counts: NDArray[np.int64]
    states: Array
    inputs: list[Array]


@final
class RingBuffer:
    """Room for the latest rows.

    Attributes:
        rows: State and inputs, one after the other.
        counts: How many steps were taken before.
    """

    def __init__(self, shared: NDArray[np.int64], width: int) -> None:
        """Nothing is kept yet; ``shared`` are the loop's words."""
        self._words = shared
        self.rows = np.zeros((words.RING, width))
        self.counts = np.zeros(words.RING, np.int64)

    def fetch(self) -> tuple[NDArray[np.int64], Array]:
        """Return counts and rows since the last call; for one thread at a time."""
        head = int(self._words[words.KEPT])
        first = max(int(self._words[words.FETCHED]), head - words.RING + 1)
        where = np.arange(first, head) % words.RING
        fetched = self.counts[where], self.rows[where]
        self._words[words.FETCHED] = head
        return fetched
