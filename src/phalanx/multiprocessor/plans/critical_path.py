"""Critical path and parallelism of a task graph, for any computer's speed.

With as many processors as it likes and messages for nothing, a graph takes as long as its longest
chain of tasks. Each task is taken at the speed of the processor that is quickest at it.
"""

from __future__ import annotations

from dataclasses import dataclass

from phalanx.base.short_repr import short_repr
from phalanx.multiprocessor.computers.computer import Computer
from phalanx.multiprocessor.computers.costs import quickest_times
from phalanx.multiprocessor.tasks.task_graph import TaskGraph


def levels(graph: TaskGraph, computer: Computer) -> list[float]:
    """For each task the time of the longest chain that starts with it."""
    level = quickest_times(graph, computer)
    for i in reversed(graph.order):
        level[i] += max((level[s] for s in graph.successors[i]), default=0.0)
    return level


def earliest_starts(graph: TaskGraph, computer: Computer) -> list[float]:
    """Earliest start of each task, limited by its predecessors alone (ASAP)."""
    time = quickest_times(graph, computer)
    start = [0.0] * len(graph)
    for i in graph.order:
        start[i] = max((start[p] + time[p] for p in graph.predecessors[i]), default=0.0)
    return start


@short_repr
@dataclass(frozen=True)
class CriticalPath:
    """The longest chain of tasks.

    Attributes:
        tasks: Their numbers, in order.
        length: Its time, in the computer's unit.
    """

    tasks: tuple[int, ...]
    length: float


def critical_path(graph: TaskGraph, computer: Computer) -> CriticalPath:
    """A longest chain; the one of lowest numbers among equals."""
    level = levels(graph, computer)
    path: list[int] = []
    choices = [i for i, before in enumerate(graph.predecessors) if not before]
    while choices:
        path.append(max(choices, key=lambda i: (level[i], -i)))
        choices = list(graph.successors[path[-1]])
    return CriticalPath(tuple(path), level[path[0]] if path else 0.0)


@short_repr
@dataclass(frozen=True)
class ParallelismProfile:
    """How many tasks run at a time when there are processors for all.

    Attributes:
        times: Moments at which the number changes, from 0 to the length of the critical path.
        running: How many run from each moment to the next.
    """

    times: tuple[float, ...]
    running: tuple[int, ...]

    @property
    def widest(self) -> int:
        """The most at any time: no plan gains from more processors than this."""
        return max(self.running, default=0)

    @property
    def average(self) -> float:
        """Work over critical path: no plan is faster than this many times one processor."""
        spans = (b - a for a, b in zip(self.times[:-1], self.times[1:], strict=True))
        work = sum(n * span for n, span in zip(self.running, spans, strict=True))
        length = self.times[-1] - self.times[0] if self.times else 0.0
        return work / length if length else 1.0


def parallelism_profile(graph: TaskGraph, computer: Computer) -> ParallelismProfile:
    """Tasks running at each time when each starts as early as it can."""
    starts, time = earliest_starts(graph, computer), quickest_times(graph, computer)
    change: dict[float, int] = {}
    for start, span in zip(starts, time, strict=True):
        if span:
            change[start] = change.get(start, 0) + 1
            change[start + span] = change.get(start + span, 0) - 1
    moments = sorted(change)
    running, now = [], 0
    for moment in moments[:-1]:
        now += change[moment]
        running.append(now)
    return ParallelismProfile(tuple(moments), tuple(running))
