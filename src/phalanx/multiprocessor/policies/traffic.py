"""Where the results of tasks are while a plan is being made, and what is on the wires."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from phalanx.multiprocessor.computers import Computer
from phalanx.multiprocessor.costs import task_times
from phalanx.multiprocessor.placement import Hop, Message, Placement
from phalanx.multiprocessor.tasks import TaskGraph

Row = NDArray[np.float64]


class Traffic:
    """Placed tasks, messages sent so far, and when each wire is free again.

    A wire serves messages in the order in which they are sent; a task's results go to another
    processor once. A row holds a moment for every processor.
    """

    def __init__(self, graph: TaskGraph, computer: Computer) -> None:
        """Nothing is placed, all wires are free."""
        self.graph = graph
        self.computer = computer
        self.messages: list[Message] = []
        self._placed: list[Placement | None] = [None] * len(graph)
        self._times = task_times(graph, computer)
        self._time_rows = None if computer.is_uniform else np.array(self._times).T.copy()
        self._there: dict[int, Row] = {}  # of each task, when processors have its results
        self._sent: set[tuple[int, int]] = set()
        self._wire_free: dict[int, float] = {}
        self._delays: dict[tuple[int, int], Row] = {}
        self._instant = not computer.is_wired and not any(
            computer.delay(1, 0, p) for p in range(1, computer.processors)
        )

    def time(self, task: int, processor: int) -> float:
        """How long a task takes on a processor."""
        return self._times[processor][task]

    def times(self, task: int) -> Row | float:
        """How long a task takes on every processor; one number when all are equal."""
        return self._times[0][task] if self._time_rows is None else self._time_rows[task]

    def place(self, placement: Placement) -> None:
        """Note where a task runs."""
        self._placed[placement.task] = placement

    def placements(self) -> tuple[Placement, ...]:
        """All that is placed, by start."""
        placed = (p for p in self._placed if p is not None)
        return tuple(sorted(placed, key=lambda p: (p.start, p.processor)))

    def best_processor(self, task: int, free: Sequence[int], now: float) -> int:
        """The free processor on which a task ends first, if wires are free."""
        if self._instant and self._time_rows is None:
            return free[0]
        ends = np.maximum(self.data_there(task), now) + self.times(task)
        return free[int(ends[free].argmin())]

    def data_there(self, task: int) -> Row:
        """When each processor could have all that a task reads, if wires are free."""
        before = self.graph.predecessors[task]
        if not before:
            return np.zeros(self.computer.processors)
        row = self._results_there(before[0])
        for i in before[1:]:
            row = np.maximum(row, self._results_there(i))
        return row

    def arrival(self, task: int, processor: int) -> float:
        """When a processor would have all that a task reads, on the wires as they are."""
        latest = 0.0
        taken: dict[int, float] = {}
        for source in self._sources(task):
            if self._needs_message(source, processor):
                latest = max(latest, self._hops(source, processor, taken)[-1].end)
            else:
                latest = max(latest, float(self._results_there(source.task)[processor]))
        return latest

    def bring(self, task: int, processor: int, now: float = 0.0) -> float:
        """Send what a task reads to a processor; returns when all of it is there."""
        latest = now
        for source in self._sources(task):
            if self._instant:
                latest = max(latest, source.end)
                continue
            if self._needs_message(source, processor):
                self._send(source, processor)
            latest = max(latest, float(self._results_there(source.task)[processor]))
        return latest

    def _sources(self, task: int) -> list[Placement]:
        """Where predecessors run; on wires, the first to end sends first."""
        sources = []
        for i in self.graph.predecessors[task]:
            source = self._placed[i]
            assert source is not None, "a task is placed after those it waits for"
            sources.append(source)
        if self.computer.is_wired:
            sources.sort(key=lambda source: source.end)
        return sources

    def _results_there(self, task: int) -> Row:
        row = self._there.get(task)
        if row is None:
            source = self._placed[task]
            assert source is not None, "a task is placed after those it waits for"
            row = self._there[task] = source.end + self._delay_row(task, source.processor)
        return row

    def _delay_row(self, task: int, source: int) -> Row:
        words = self.graph.tasks[task].words
        row = self._delays.get((words, source))
        if row is None:
            delay = self.computer.delay
            row = np.array([delay(words, source, p) for p in range(self.computer.processors)])
            self._delays[words, source] = row
        return row

    def _needs_message(self, source: Placement, processor: int) -> bool:
        return (
            self.computer.is_wired
            and source.processor != processor
            and (source.task, processor) not in self._sent
        )

    def _hops(self, source: Placement, processor: int, taken: dict[int, float]) -> list[Hop]:
        """The way of a message; ``taken`` says, and hears, which wires are busy until when."""
        time = self.computer.hop_time(self.graph.tasks[source.task].words)
        ready, hops = source.end, []
        for link in self.computer.route(source.processor, processor):
            start = max(ready, taken.get(link, self._wire_free.get(link, 0.0)))
            ready = taken[link] = start + time
            hops.append(Hop(link, start, ready))
        return hops

    def _send(self, source: Placement, processor: int) -> None:
        hops = self._hops(source, processor, self._wire_free)
        words = self.graph.tasks[source.task].words
        self.messages.append(Message(source.task, source.processor, processor, words, tuple(hops)))
        self._sent.add((source.task, processor))
        self._results_there(source.task)[processor] = hops[-1].end
