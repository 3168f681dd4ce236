"""Operation times of a processor, by kind of operation: latencies, and the initiation interval."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace

from phalanx.base.errors import InvalidInput
from phalanx.kernel.graph.operations import Operations
from phalanx.multiprocessor.tasks.task_graph import Task


def check_time(what: str, time: float) -> None:
    """InvalidInput unless a time is finite and not negative."""
    if not (math.isfinite(time) and time >= 0):
        raise InvalidInput(f"{what} is {time}; a time must be finite and not negative.")


MOST_STAGES = 1000  # operations on their way in a pipeline


def check_interval(what: str, interval: float, time: float) -> None:
    """InvalidInput unless an initiation interval is possible for a latency."""
    if not (MOST_STAGES * interval >= time >= interval > 0 or interval == time):
        raise InvalidInput(
            f"the initiation interval of {what} is {interval}; it must be positive, at most its "
            f"latency, {time:g}, and at least a thousandth of that."
        )


@dataclass(frozen=True)
class Speed:
    """Operation times of a processor.

    Attributes:
        add, multiply, divide, sqrt, sincos, other: Time of one operation.
        start: Time to begin a task.
        task: When given, every task takes this long, whatever is in it.
        interval: Initiation interval of a pipelined processor: from the start of an operation until
            another can start, at most until its result is there. When not given, always until then.
    """

    add: float = 1.0
    multiply: float = 1.0
    divide: float = 1.0
    sqrt: float = 1.0
    sincos: float = 1.0
    other: float = 1.0
    start: float = 0.0
    task: float | None = None
    interval: float | None = None

    def __post_init__(self) -> None:
        """Check that no time is negative, and that a pipeline takes some time for an operation."""
        for kind, time in asdict(self).items():
            if time is not None and kind != "interval":
                check_time(f"the time of '{kind}'", time)
        if self.interval is not None:
            kinds = self.add, self.multiply, self.divide, self.sqrt, self.sincos, self.other
            longest = max((*kinds, self.task or 0.0))
            check_interval("a processor", min(self.interval, longest), longest)
            check_time("the initiation interval of a processor", self.interval)

    @staticmethod
    def each(time: float, *, sincos: float | None = None) -> Speed:
        """The same time for every operation."""
        angle = time if sincos is None else sincos
        return Speed(time, time, time, time, angle, time)

    def time(self, task: Task) -> float:
        """Latency of a task: until its results are there."""
        return self.of(task.operations)

    @property
    def is_pipelined(self) -> bool:
        """Whether an operation can start before the result of the last one is there."""
        return self.interval is not None

    def pipelined(self, interval: float) -> Speed:
        """The same processor, which starts an operation every so long."""
        return replace(self, interval=interval)

    def tail(self, task: Task) -> float:
        """From when another task can start until the results are there; see ``Operator.tail``."""
        if self.interval is None:
            return 0.0
        counts = asdict(task.operations)
        kinds = (kind for kind, count in counts.items() if count)
        times = [getattr(self, kind) for kind in kinds] if self.task is None else [self.task]
        return min((max(0.0, time - self.interval) for time in times), default=0.0)

    def occupancy(self, task: Task) -> float:
        """How long a task occupies the processor."""
        return self.time(task) - self.tail(task)

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
