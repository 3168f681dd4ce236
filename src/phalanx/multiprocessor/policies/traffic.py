"""Locations of results and wire traffic, while a plan is being made."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from phalanx.multiprocessor.computers.computer import Computer
from phalanx.multiprocessor.computers.costs import task_tails, task_times
from phalanx.multiprocessor.computers.placement import Hop, Message, Placement
from phalanx.multiprocessor.policies.timeline import Timeline
from phalanx.multiprocessor.tasks.task_graph import TaskGraph

Row = NDArray[np.float64]


class WireTraffic:
    """Placed tasks, messages sent so far, and when each wire is free again.

    A wire serves messages in the order in which they are sent; a task's results go to another
    processor once, and where all on a wire can listen, over that wire once. A row holds a moment
    for every processor.

    Attributes:
        timeline: What processors do, where messages take time of them too; None where they do not.
    """

    def __init__(self, graph: TaskGraph, computer: Computer) -> None:
        """Nothing is placed, all wires are free."""
        self.graph = graph
        self.computer = computer
        self.messages: list[Message] = []
        self._placed: list[Placement | None] = [None] * len(graph)
        self._times = task_times(graph, computer)
        self._tails = task_tails(graph, computer)
        self._time_rows = None if computer.is_uniform else np.array(self._times).T.copy()
        alike = computer.is_uniform or not computer.is_pipelined
        self._tail_rows = None if alike else np.array(self._tails).T.copy()
        self._there: dict[int, Row] = {}  # of each task, when processors have its results
        self._sent: dict[int, list[int]] = defaultdict(list)
        self._heard: dict[tuple[int, int], int] = {}  # message from which a processor may read
        self._wire_free: dict[int, float] = defaultdict(float)
        self._trees: dict[int, list[tuple[int, int, int]]] = {}
        self._delays: dict[tuple[int, int], Row] = {}
        self._wired = computer.is_wired
        self.timeline = Timeline(computer.processors) if computer.holds_processors else None
        # results are everywhere as soon as their task ends
        self._instant = computer.processors == 1 or (not self._wired and computer.agreement == 0.0)

    def time(self, task: int, processor: int) -> float:
        """How long a task takes on a processor."""
        return self._times[processor][task]

    def times(self, task: int) -> Row | float:
        """How long a task takes on every processor; one number when all are equal."""
        return self._times[0][task] if self._time_rows is None else self._time_rows[task]

    def tail(self, task: int, processor: int) -> float:
        """From when a processor can start another task until the results of a task are there."""
        return self._tails[processor][task]

    def tails(self, task: int) -> Row | float:
        """The same on every processor; one number when all are equal."""
        return self._tails[0][task] if self._tail_rows is None else self._tail_rows[task]

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

    def arrivals(self, task: int) -> Row:
        """When each processor would have all that a task reads, on the wires as they are.

        Each of the task's messages is looked at as if it were the only one to be sent.
        """
        if not self._wired:
            return self.data_there(task)
        row = np.zeros(self.computer.processors)
        for source in self._sources(task):
            row = np.maximum(row, self._spread(source))
        return row

    def bring(self, task: int, processor: int, now: float = 0.0) -> float:
        """Send what a task reads to a processor; returns when all of it is there."""
        latest = now
        for source in self._sources(task):
            if self._instant:
                latest = max(latest, source.end)
                continue
            if self._needs_message(source, processor):
                self._send(source, processor)
            if self._heard:
                self._tap(source.task, processor)
            latest = max(latest, float(self._results_there(source.task)[processor]))
        return latest

    def _sources(self, task: int) -> list[Placement]:
        """Where predecessors run; on wires, the first to end sends first."""
        sources = []
        for i in self.graph.predecessors[task]:
            source = self._placed[i]
            assert source is not None, "a task is placed after those it waits for"
            sources.append(source)
        if self._wired:
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
            self._wired
            and source.processor != processor
            and processor not in self._sent[source.task]
        )

    def _spread(self, source: Placement) -> Row:
        """When results of a task would reach each processor if they were sent now."""
        time = self._delay_on_a_wire(self.graph.tasks[source.task].words)
        wire_free = self._wire_free
        moments = [source.end] * self.computer.processors
        for p, nearer, link in self._tree(source.processor):
            moments[p] = max(moments[nearer], wire_free[link]) + time
        for p in self._sent[source.task]:
            moments[p] = float(self._there[source.task][p])
        return np.array(moments)

    def _tree(self, source: int) -> list[tuple[int, int, int]]:
        """Processors by distance from one: each with the one before it on the way, and the wire."""
        tree = self._trees.get(source)
        if tree is None:
            ways = {p: self.computer.route(source, p) for p in range(self.computer.processors)}
            at = {way: p for p, way in ways.items()}
            tree = self._trees[source] = sorted(
                ((p, at[way[:-1]], way[-1]) for p, way in ways.items() if way),
                key=lambda branch: len(ways[branch[0]]),
            )
        return tree

    def _delay_on_a_wire(self, words: int) -> float:
        """From when a processor begins to send until another has the numbers."""
        time = self.computer.hop_time(words)
        begin, _ = self.computer.sending(Hop(0, 0.0, time))
        return time - begin

    def _send(self, source: Placement, processor: int) -> None:
        words = self.graph.tasks[source.task].words
        time = self.computer.hop_time(words)
        here, ready, hops = source.processor, source.end, []
        links = self.computer.route(source.processor, processor)
        for k, link in enumerate(links, start=1):
            start = max(ready, self._wire_free[link])
            if self.timeline is not None:
                there = processor if k == len(links) else self._after(source.processor, links[:k])
                start = self._meeting(self.timeline, here, there, Hop(link, start, start + time))
                here = there
            ready = self._wire_free[link] = start + time
            hops.append(Hop(link, start, ready))
        self._results_there(source.task)[processor] = ready
        self._sent[source.task].append(processor)
        for hop in hops:
            self._overhear(source, hop)
        self.messages.append(Message(source.task, source.processor, processor, words, tuple(hops)))

    def _after(self, source: int, links: tuple[int, ...]) -> int:
        """Who has a message after the first wires of its route."""
        everyone = range(self.computer.processors)
        return next(p for p in everyone if self.computer.route(source, p) == links)

    def _meeting(self, timeline: Timeline, here: int, there: int, hop: Hop) -> float:
        """When a message can go over a wire, with the time of both ends that it takes."""
        time = hop.end - hop.start
        begin, until = self.computer.sending(Hop(hop.link, 0.0, time))
        spans = [(here, begin, until), (there, *self.computer.receiving(Hop(hop.link, 0.0, time)))]
        spans = [span for span in spans if span[2] > span[1]]
        start = timeline.together(spans, hop.start - begin)
        for processor, since, to in spans:
            timeline.hold(processor, start + since, start + to)
        return start

    def _overhear(self, source: Placement, hop: Hop) -> None:
        """Note who can read the message that is about to be sent from one of its wires.

        Nobody, where receiving takes time: who listens would have to be free for it.
        """
        if self.computer.receiving(hop)[0] < hop.end:
            return
        for p in self.computer.listeners(hop.link):
            if p != source.processor and p not in self._sent[source.task]:
                self._results_there(source.task)[p] = hop.end
                self._sent[source.task].append(p)
                self._heard[source.task, p] = len(self.messages)

    def _tap(self, task: int, processor: int) -> None:
        """Let a processor read what it could overhear."""
        number = self._heard.pop((task, processor), None)
        if number is not None:
            message = self.messages[number]
            self.messages[number] = message._replace(taps=(*message.taps, processor))
