"""Branch and bound over orders of subtasks that are each bound to one processor.

Depth first, as the source tells of Luh and Lin's procedure. An order that was begun takes at least

    max over processors of (time until now, idle time included + time of what is left to it),

and is given up as soon as this is not less than the shortest complete order. Subtasks that a
processor might take next are the branches. Only orders in which no subtask could begin earlier
without delaying another are tried (active schedules, of Giffler and Thompson); one of them is
the shortest.

The source's bound forgets that subtasks wait for each other. With ``chains`` an order that was
begun also takes at least as long as the longest chain of subtasks that is left to it, as in the
search of Kasahara and Narita. The result is the same; fewer orders are tried.

Reference:
    Lathrop (1983), sec. I, after Luh and Lin (1982); Dhanaraj (1990), sec. 1.3, on Kasahara and
    Narita (1985).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from phalanx.base.arguments import checked
from phalanx.base.errors import InvalidInput
from phalanx.multiprocessor import Schedule, SharedMemory, TaskGraph
from phalanx.multiprocessor.computers.costs import able_processors, task_times
from phalanx.multiprocessor.computers.placement import Placement
from phalanx.multiprocessor.plans.bounds import lower_bound
from phalanx.multiprocessor.plans.critical_path import levels

MOST = 200_000  # orders that are begun, in some seconds


@checked
def branch_and_bound(
    graph: TaskGraph, computer: SharedMemory, *, chains: bool = False, most: int = MOST
) -> Schedule:
    """The shortest plan of subtasks whose processors are given.

    Args:
        graph: The subtasks.
        computer: Processors that see each other's results at once; one of them does each subtask.
        chains: Whether chains of subtasks count in the bound, and not only the time of processors.
        most: When to give up: after so many orders that were begun.

    Returns:
        A plan; its ``bound`` is its length where the search came to its end, which proves it.

    Raises:
        InvalidInput: A subtask could run on several processors.
    """
    able = able_processors(graph, computer)
    for task, processors in zip(graph.tasks, able, strict=True):
        if len(processors) != 1:
            raise InvalidInput(
                f"subtask '{task.name}' can run on {len(processors)} processors; expected one. "
                "Take multiprocessor.exact, which also chooses processors."
            )
    if computer.agreement:
        raise InvalidInput(
            f"processors of {computer.name} wait for each other's results; expected a shared "
            "memory without synchronization."
        )
    where = [min(processors) for processors in able]
    times = task_times(graph, computer)
    search = _Search(
        graph,
        where,
        [times[p][i] for i, p in enumerate(where)],
        levels(graph, computer),
        chains,
        most,
        processors=computer.processors,
    )
    starts = search.run()
    placements = sorted(
        (Placement(i, where[i], start, start + search.times[i]) for i, start in enumerate(starts)),
        key=lambda placed: (placed.start, placed.task),
    )
    proven = search.begun <= most
    bound = search.shortest if proven else lower_bound(graph, computer)
    return Schedule(graph, computer, tuple(placements), policy="branch and bound", bound=bound)


@dataclass
class _Search:
    """An order that was begun, and the shortest that was completed.

    Attributes:
        graph: The subtasks.
        where: Processor of each.
        times: Time of each.
        levels: Longest chain from the beginning of each to the end.
        chains: Whether chains count in the bound.
        most: When to give up.
        processors: How many there are.
        begun: Orders that were begun.
        shortest: Length of the shortest order, and its starts.
    """

    graph: TaskGraph
    where: list[int]
    times: list[float]
    levels: list[float]
    chains: bool
    most: int
    processors: int
    begun: int = 0
    shortest: float = float("inf")
    best: list[float] = field(default_factory=list)

    def run(self) -> list[float]:
        """Starts of the shortest order."""
        graph, count = self.graph, len(self.graph)
        self.now = [0.0] * self.processors  # until when each processor has an order
        self.left = [0.0] * self.processors  # time of what has none
        for p, time in zip(self.where, self.times, strict=True):
            self.left[p] += time
        self.there = [0.0] * count  # when what a subtask waits for is there
        self.starts = [0.0] * count
        self.waiting = [len(before) for before in graph.predecessors]
        self._extend([i for i in range(count) if not self.waiting[i]])
        return self.best

    def _extend(self, ready: list[int]) -> None:
        """Try what comes next in the order that was begun."""
        if self.best and self.begun >= self.most:
            self.begun = self.most + 1
            return
        self.begun += 1
        least = self._at_least(ready)
        if least >= self.shortest:
            return
        if not ready:
            self.shortest, self.best = least, self.starts.copy()
            return
        for i in self._branches(ready):
            self._take(i, ready)

    def _branches(self, ready: list[int]) -> list[int]:
        """What the processor that is the first to end a subtask may take, longest chain first."""
        first = min(ready, key=lambda i: self._start(i) + self.times[i])
        end = self._start(first) + self.times[first]
        rivals = [i for i in ready if self.where[i] == self.where[first] and self._start(i) < end]
        # what takes no time ends when it starts
        return sorted({first, *rivals}, key=lambda i: (-self.levels[i], i))

    def _start(self, i: int) -> float:
        return max(self.now[self.where[i]], self.there[i])

    def _at_least(self, ready: list[int]) -> float:
        """How long the order that was begun takes at least."""
        least = max(now + left for now, left in zip(self.now, self.left, strict=True))
        if self.chains:
            least = max([least, *(self._start(i) + self.levels[i] for i in ready)])
        return least

    def _take(self, i: int, ready: list[int]) -> None:
        """Let a subtask be the next of its processor, go on, and undo it."""
        p, time, graph = self.where[i], self.times[i], self.graph
        before = self.now[p]
        self.starts[i] = self._start(i)
        end = self.now[p] = self.starts[i] + time
        self.left[p] -= time
        free, there = [], {}
        for successor in graph.successors[i]:
            there[successor] = self.there[successor]
            self.there[successor] = max(end, there[successor])
            self.waiting[successor] -= 1
            if not self.waiting[successor]:
                free.append(successor)
        self._extend([j for j in ready if j != i] + free)
        for successor, value in there.items():
            self.there[successor] = value
            self.waiting[successor] += 1
        self.now[p], self.left[p] = before, self.left[p] + time
