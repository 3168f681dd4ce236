"""Where the results of tasks are while a plan is being made, and what is on the wires."""

from __future__ import annotations

from collections.abc import Sequence

from phalanx.multiprocessor.computers import Computer
from phalanx.multiprocessor.placement import Hop, Message, Placement
from phalanx.multiprocessor.tasks import TaskGraph


class Traffic:
    """Placed tasks, messages sent so far, and when each wire is free again.

    A wire serves messages in the order in which they are sent; a task's results go to another
    processor once.
    """

    def __init__(self, graph: TaskGraph, computer: Computer) -> None:
        """Nothing is placed, all wires are free."""
        self.graph = graph
        self.computer = computer
        self.messages: list[Message] = []
        self._placed: list[Placement | None] = [None] * len(graph)
        self._arrivals: dict[tuple[int, int], float] = {}
        self._wire_free: dict[int, float] = {}
        self._instant = not any(
            computer.delay(1, 0, p) or computer.route(0, p) for p in range(1, computer.processors)
        )

    def place(self, placement: Placement) -> None:
        """Note where a task runs."""
        self._placed[placement.task] = placement

    def placements(self) -> tuple[Placement, ...]:
        """All that is placed, by start."""
        placed = (p for p in self._placed if p is not None)
        return tuple(sorted(placed, key=lambda p: (p.start, p.processor)))

    def best_processor(self, task: int, free: Sequence[int], now: float) -> int:
        """The free processor on which a task ends first, if wires are free."""
        if self._instant and self.computer.is_uniform:
            return free[0]
        ends = [
            self.data_there(task, p, now) + self.computer.time(self.graph.tasks[task], p)
            for p in free
        ]
        return free[ends.index(min(ends))]

    def data_there(self, task: int, processor: int, now: float) -> float:
        """When a processor could have all that a task reads, if wires are free."""
        latest = now
        for i in self.graph.predecessors[task]:
            source = self._placed[i]
            assert source is not None, "a task is placed after those it waits for"
            there = self._arrivals.get((i, processor))
            if there is None:
                words = self.graph.tasks[i].words
                there = source.end + self.computer.delay(words, source.processor, processor)
            latest = max(latest, there)
        return latest

    def bring(self, task: int, processor: int, now: float) -> float:
        """Send what a task reads to a processor; returns when all of it is there."""
        if self._instant:
            return now
        latest = now
        for i in self.graph.predecessors[task]:
            source = self._placed[i]
            assert source is not None, "a task is placed after those it waits for"
            there = self._arrivals.get((i, processor))
            if there is None:
                there = self._send(source, processor)
            latest = max(latest, there)
        return latest

    def _send(self, source: Placement, processor: int) -> float:
        words = self.graph.tasks[source.task].words
        route = self.computer.route(source.processor, processor)
        if not route:
            return source.end + self.computer.delay(words, source.processor, processor)
        ready, hops = source.end, []
        for link in route:
            start = max(ready, self._wire_free.get(link, 0.0))
            ready = start + self.computer.hop_time(words)
            self._wire_free[link] = ready
            hops.append(Hop(link, start, ready))
        self.messages.append(Message(source.task, source.processor, processor, words, tuple(hops)))
        self._arrivals[source.task, processor] = ready
        return ready
