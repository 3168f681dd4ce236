"""What the nodes of a run do, and what one processor does instead, whatever is computed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from phalanx.distribute.processes.messages import Array, Program
from phalanx.simulation.record.signal import Channel

# what happens with a row of the record: (step number, numbers of all channels)
Record = Callable[[int, Array], None]


class Work(ABC):
    """A task cut into programs of nodes.

    Attributes:
        channels: What is recorded at every step, the first node's to tell.
    """

    channels: list[Channel]

    @abstractmethod
    def program(self, node: int, record: Record | None = None) -> Program:
        """The program of a node, with its machine code made; ``record`` for the first one."""

    @abstractmethod
    def alone(self, record: Record) -> Callable[[], None]:
        """The same on one processor, ready to start."""
