"""Feedback inputs: sampled once a step from what the machine does, such as dug ground."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phalanx.mechanism import Mechanism

Array = NDArray[np.float64]
Sampler = Callable[[float, Array, Mapping[str, Array]], ArrayLike]


class FeedbackInput(ABC):
    """An input that is looked up once a step, from the state at its begin, and then held.

    It is a plan of what to do, and remembers nothing; what one run leaves behind, a track say, is
    known to that run's sampler alone.
    """

    @abstractmethod
    def begin(self, mechanism: Mechanism) -> Sampler:
        """Return a new sampler for one run: ``sampler(t, q, states)`` gives the input's numbers.

        It is called in the order of time, sometimes twice at a time; states of subsystems are those
        of recordings, by name.
        """
