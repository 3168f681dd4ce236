"""Parallel computers as data: processors, what an operation takes, what a message takes.

Three kinds. Processors with a shared memory see each other's results after a fixed delay. Those
that pass messages send them along wires, one message at a time on each. Lanes of a vector unit do
the same operation at the same time. Times are in the computer's own ``unit``.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import final

from phalanx.errors import InvalidInput
from phalanx.kernel.graph.operations import Operations
from phalanx.multiprocessor.computers.topology import Topology
from phalanx.multiprocessor.tasks.task_graph import Task


def check_time(what: str, time: float) -> None:
    """InvalidInput unless a time is finite and not negative."""
    if not (math.isfinite(time) and time >= 0):
        raise InvalidInput(f"{what} is {time}; a time must be finite and not negative.")


@dataclass(frozen=True)
class Speed:
    """How long a processor takes for one operation of each kind.

    Attributes:
        add, multiply, divide, sqrt, sincos, other: Time of one operation.
        start: Time to begin a task.
        task: When given, every task takes this long, whatever is in it.
    """

    add: float = 1.0
    multiply: float = 1.0
    divide: float = 1.0
    sqrt: float = 1.0
    sincos: float = 1.0
    other: float = 1.0
    start: float = 0.0
    task: float | None = None

    def __post_init__(self) -> None:
        """Check that no time is negative."""
        for kind, time in asdict(self).items():
            if time is not None:
                check_time(f"the time of '{kind}'", time)

    @staticmethod
    def each(time: float, *, sincos: float | None = None) -> Speed:
        """The same time for every operation."""
        angle = time if sincos is None else sincos
        return Speed(time, time, time, time, angle, time)

    def of(self, operations: Operations) -> float:
        """Time for a task with these operations."""
        if self.task is not None:
            return self.task
        return (
            self.start
            + operations.add * self.add
            + operations.multiply * self.multiply
            + operations.divide * self.divide
            + operations.sqrt * self.sqrt
            + operations.sincos * self.sincos
            + operations.other * self.other
        )


@dataclass(frozen=True)
class Computer(ABC):
    """Processors that work on one task graph together.

    Attributes:
        processors: How many there are.
        speed: Of every processor, or a sequence with one for each.
        unit: Of times: ``s``, ``operations`` or ``levels``.
        name: For people.
    """

    processors: int
    speed: Speed | Sequence[Speed] = Speed()
    unit: str = "operations"
    name: str = "computer"

    def __post_init__(self) -> None:
        """Check the number of processors."""
        if self.processors < 1:
            raise InvalidInput(
                f"a computer with {self.processors} processors; there must be at least one."
            )
        if not isinstance(self.speed, Speed) and len(self.speed) != self.processors:
            raise InvalidInput(
                f"{len(self.speed)} speeds for {self.processors} processors; give one for each, "
                "or a single one for all."
            )

    @property
    def is_uniform(self) -> bool:
        """Whether all processors are equally fast."""
        return isinstance(self.speed, Speed) or len(set(self.speed)) == 1

    def speed_of(self, processor: int) -> Speed:
        """The speed of one processor."""
        return self.speed if isinstance(self.speed, Speed) else self.speed[processor]

    def time(self, task: Task, processor: int = 0) -> float:
        """How long a processor takes for a task."""
        return self.speed_of(processor).of(task.operations)

    @property
    def in_lock_step(self) -> bool:
        """Whether all processors do the same kind of operation at the same time."""
        return False

    @property
    def is_wired(self) -> bool:
        """Whether results go from one processor to another over wires."""
        return False

    def route(self, source: int, destination: int) -> tuple[int, ...]:
        """Numbers of the wires a message takes; empty where none is needed."""
        return ()

    def hop_time(self, words: int) -> float:
        """How long a message of so many numbers holds each wire."""
        return 0.0

    @abstractmethod
    def delay(self, words: int, source: int, destination: int) -> float:
        """From the end of a task until another processor can read its results, on free wires."""


@final
@dataclass(frozen=True)
class SharedMemory(Computer):
    """Processors with one memory.

    Attributes:
        synchronization: From the end of a task until others may read its results.
    """

    synchronization: float = 0.0
    name: str = "shared memory"

    def __post_init__(self) -> None:
        """Check the times."""
        super().__post_init__()
        check_time("synchronization", self.synchronization)

    def delay(self, words: int, source: int, destination: int) -> float:
        """See :class:`Computer`."""
        return 0.0 if source == destination else self.synchronization


@final
@dataclass(frozen=True)
class MessagePassing(Computer):
    """Processors with a memory each, joined by wires.

    A message holds every wire on its way for ``start_up + words * per_word``, one after the other
    (store and forward). A processor sends a task's results to another at most once. Sending takes
    no time from the processor itself.

    Attributes:
        topology: The wires.
        start_up: Time to set up a message on each wire.
        per_word: Time for each number in it.
    """

    topology: Topology = field(kw_only=True)
    start_up: float = 0.0
    per_word: float = 0.0
    name: str = "message passing"

    def __post_init__(self) -> None:
        """Check the times and the number of processors."""
        super().__post_init__()
        check_time("start_up", self.start_up)
        check_time("per_word", self.per_word)
        if self.topology.processors != self.processors:
            raise InvalidInput(
                f"a {self.topology.name} of {self.topology.processors} processors for a computer "
                f"of {self.processors}."
            )

    @property
    def is_wired(self) -> bool:
        """See :class:`Computer`."""
        return True

    def route(self, source: int, destination: int) -> tuple[int, ...]:
        """See :class:`Computer`."""
        return self.topology.routes[source, destination]

    def hop_time(self, words: int) -> float:
        """See :class:`Computer`."""
        return self.start_up + words * self.per_word

    def delay(self, words: int, source: int, destination: int) -> float:
        """See :class:`Computer`."""
        return len(self.route(source, destination)) * self.hop_time(words)


@final
@dataclass(frozen=True)
class Lanes(Computer):
    """Lanes of one vector unit: all that work at a time do the same kind of task.

    Attributes:
        shuffle: From the end of a task until another lane may read its results.
    """

    shuffle: float = 0.0
    name: str = "vector lanes"

    def __post_init__(self) -> None:
        """Check the times."""
        super().__post_init__()
        check_time("shuffle", self.shuffle)
        if not self.is_uniform:
            raise InvalidInput("lanes of one vector unit are equally fast; give a single speed.")

    @property
    def in_lock_step(self) -> bool:
        """See :class:`Computer`."""
        return True

    def delay(self, words: int, source: int, destination: int) -> float:
        """See :class:`Computer`."""
        return 0.0 if source == destination else self.shuffle
