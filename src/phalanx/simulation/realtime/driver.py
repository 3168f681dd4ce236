"""Who takes the steps of a live run: Python, or native code where nobody has to look in between."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from phalanx.simulation.realtime.controls import Controls

Array = NDArray[np.float64]


class Driver(ABC):
    """Steps a machine by a loop, shows its latest state, and hands its rows to a tape."""

    loop: Controls

    @property
    @abstractmethod
    def count(self) -> int:
        """Steps taken since the begin."""

    @abstractmethod
    def tell(self, inputs: Mapping[str, Array]) -> None:
        """Change what control and surroundings are told, from the next step on."""

    @abstractmethod
    def keep(self, wanted: bool) -> None:
        """Whether rows are wanted from now on; all that were until now are on the tape."""

    @abstractmethod
    def fetch(self) -> None:
        """Bring rows to the tape."""

    @abstractmethod
    def take(self, steps: int) -> None:
        """Take steps at once, without a clock; not while the loop runs.

        Raises:
            SimulationError: When the state has left finite numbers.
        """

    @abstractmethod
    def finish(self) -> None:
        """After the last step; of a run that is not endless, the last state is a row too.

        Raises:
            SimulationError: When the state has left finite numbers.
        """
