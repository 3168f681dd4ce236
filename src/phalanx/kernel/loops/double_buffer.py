"""Double-buffered inputs of a real-time loop.

Who changes inputs writes a whole set into the memory that does not count, and then says that it
does; the loop copies the one that counts before each step, and again if that changed meanwhile. So
neither waits, and a step has all changes of one call or none.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phalanx.kernel.loops import paced_words as words

Array = NDArray[np.float64]


@final
class DoubleBuffer:
    """Inputs of a running loop.

    Attributes:
        sets: The two sets, shape (2, size).
        in_use: The loop's own copy, shape (size,).
    """

    def __init__(self, shared: NDArray[np.int64], inputs: Sequence[ArrayLike]) -> None:
        """Begin with these; ``shared`` are the loop's words."""
        given = [np.ravel(np.asarray(value, dtype=np.float64)) for value in inputs]
        ends = np.cumsum([0, *(value.size for value in given)]).tolist()
        self._parts = [slice(*ends[k : k + 2]) for k in range(len(given))]
        self._words = shared
        self._lock = threading.Lock()  # of writers
        self.in_use = np.concatenate([np.zeros(0), *given])
        self.sets = np.stack([self.in_use, self.in_use])

    def split(self, numbers: Array) -> list[Array]:
        """A set (..., size) as the inputs that it consists of."""
        return [numbers[..., part] for part in self._parts]

    def change(self, inputs: Mapping[int, ArrayLike]) -> None:
        """Change some, by their numbers."""
        with self._lock:
            which = int(self._words[words.TOLD])
            beside = self.sets[(which + 1) % 2]
            beside[:] = self.sets[which % 2]
            for k, value in inputs.items():
                beside[self._parts[k]] = value
            self._words[words.TOLD] = which + 1

    def now(self) -> list[Array]:
        """The inputs as the next step will have them."""
        with self._lock:
            return self.split(self.sets[int(self._words[words.TOLD]) % 2].copy())
