"""Interface of a task that is divided into programs of processes, whatever is computed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from phalanx.distribute.processes.messages import Array, ProcessProgram
from phalanx.simulation.record.signal import Channel

# what happens with a row of the record: (step number, numbers of all channels)
Record = Callable[[int, Array], None]


class PlatformWork(ABC):
    """A task divided into programs of processes.

    Attributes:
        channels: What the first process records at every step.
    """

    channels: list[Channel]

    @abstractmethod
    def program(self, rank: int, record: Record | None = None) -> ProcessProgram:
        """Return the program of a process, with its machine code made; the first one records."""

    @abstractmethod
    def alone(self, record: Record) -> Callable[[], None]:
        """Return the same on one processor, compiled and ready to start."""
