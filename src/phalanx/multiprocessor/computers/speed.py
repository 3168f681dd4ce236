"""Operation times of a processor, by kind of operation."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

from phalanx.base.errors import InvalidInput
from phalanx.kernel.graph.operations import Operations
from phalanx.multiprocessor.tasks.task_graph import Task


def check_time(what: str, time: float) -> None:
    """InvalidInput unless a time is finite and not negative."""
    if not (math.isfinite(time) and time >= 0):
        raise InvalidInput(f"{what} is {time}; a time must be finite and not negative.")


@dataclass(frozen=True)
class Speed:
    """Operation times of a processor.

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

    def time(self, task: Task) -> float:
        """How long a task takes."""
        return self.of(task.operations)

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


ONE_EACH = Speed()
"""One unit of time for every operation."""
