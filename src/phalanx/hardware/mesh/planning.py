"""As-soon-as-possible (ASAP) schedule of a mesh's tasks and messages.

Policy: a node that is free takes, of the tasks whose values are there, the first in the source's
order. A wire that is free takes, of the values that wait for it, the first in that order. State:
what is where, who and which wire is free. No task is moved to another node.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from phalanx.hardware.mesh.program import PHASES, MeshPlace, Relay
from phalanx.hardware.mesh.shape import Shape
from phalanx.multiprocessor.computers.computer import Computer
from phalanx.multiprocessor.computers.costs import task_times
from phalanx.multiprocessor.computers.placement import Hop, Message, Placement
from phalanx.multiprocessor.plans.schedule import Schedule
from phalanx.multiprocessor.tasks.task_graph import TaskGraph

POLICY = "as soon as values are there"


def plan_mesh(
    graph: TaskGraph,
    computer: Computer,
    shape: Shape,
    places: Mapping[str, MeshPlace],
    relays: Sequence[Relay],
) -> Schedule:
    """The plan for a computer of this shape."""
    return _MeshState(graph, computer, shape, places, relays).schedule()


class _Event(NamedTuple):
    """Results of a task come to be in a node: computed there, or brought over a wire."""

    moment: float
    rank: int
    task: int
    node: int
    wire: int | None


class _Waiting(NamedTuple):
    """A message that waits for its wire; the smallest goes first."""

    stage: int
    phase: int
    rank: int
    task: int
    node: int
    relay: Relay


class _MeshState:
    """The mesh at work, from moment to moment."""

    def __init__(
        self,
        graph: TaskGraph,
        computer: Computer,
        shape: Shape,
        places: Mapping[str, MeshPlace],
        relays: Sequence[Relay],
    ) -> None:
        self.graph, self.computer, self.shape = graph, computer, shape
        self.node = [shape.numbers[places[task.name].node] for task in graph.tasks]
        urgency = [places[task.name].urgency for task in graph.tasks]
        self.rank = {
            task: rank
            for rank, task in enumerate(sorted(range(len(graph)), key=lambda t: (urgency[t], t)))
        }
        self.stages = [places[task.name].stage for task in graph.tasks]
        self.times = task_times(graph, computer)[0]
        self.missing = [len(before) for before in graph.predecessors]
        self.readers: dict[tuple[int, int], list[int]] = defaultdict(list)
        for task, before in enumerate(graph.predecessors):
            for source in before:
                self.readers[source, self.node[task]].append(task)
        self.onward: dict[tuple[int, int], list[Relay]] = defaultdict(list)
        for relay in relays:
            if relay.task in graph.numbers:
                task = graph.numbers[relay.task]
                self.onward[task, shape.numbers[relay.source]].append(relay)
        self.ready: dict[int, list[tuple[int, int]]] = defaultdict(list)  # rank and task, by node
        self.waiting: dict[int, list[_Waiting]] = defaultdict(list)  # by wire
        self.busy_nodes: set[int] = set()
        self.busy_wires: set[int] = set()
        self.there: set[tuple[int, int]] = set()
        self.placements: list[Placement] = []
        self.messages: list[Message] = []
        self.events: list[_Event] = []

    def schedule(self) -> Schedule:
        for task, count in enumerate(self.missing):
            if not count:
                heapq.heappush(self.ready[self.node[task]], (self.rank[task], task))
        nodes = set(self.ready)
        wires: set[int] = set()
        now = 0.0
        while True:
            for node in sorted(nodes):
                self._begin(node, now)
            for wire in sorted(wires):
                self._send(wire, now)
            if not self.events:
                break
            nodes, wires = set(), set()
            now = self.events[0].moment
            while self.events and self.events[0].moment <= now:
                event = heapq.heappop(self.events)
                if event.wire is None:
                    self.busy_nodes.discard(event.node)
                else:
                    self.busy_wires.discard(event.wire)
                    wires.add(event.wire)
                nodes.add(event.node)
                wires.update(self._arrive(event.task, event.node))
        assert len(self.placements) == len(self.graph), "a value is read where none is sent"
        placements = tuple(sorted(self.placements, key=lambda p: (p.start, p.processor)))
        return Schedule(self.graph, self.computer, placements, tuple(self.messages), POLICY)

    def _begin(self, node: int, now: float) -> None:
        """Let a free node take up its most urgent task."""
        if node in self.busy_nodes or not self.ready[node]:
            return
        rank, task = heapq.heappop(self.ready[node])
        end = now + self.times[task]
        self.busy_nodes.add(node)
        self.placements.append(Placement(task, node, now, end))
        heapq.heappush(self.events, _Event(end, rank, task, node, None))

    def _arrive(self, task: int, node: int) -> list[int]:
        """A value is in a node: tasks may have waited for it, and it may go on over wires."""
        if (task, node) in self.there:
            return []
        self.there.add((task, node))
        for reader in self.readers.get((task, node), ()):
            self.missing[reader] -= 1
            if not self.missing[reader]:
                heapq.heappush(self.ready[node], (self.rank[reader], reader))
        relays = self.onward.get((task, node), ())
        for relay in relays:
            stage = self.stages[task]
            waiting = _Waiting(stage, PHASES.index(relay.phase), self.rank[task], task, node, relay)
            heapq.heappush(self.waiting[relay.wire], waiting)
        return [relay.wire for relay in relays]

    def _send(self, wire: int, now: float) -> None:
        """Let a free wire take its most urgent message."""
        if wire in self.busy_wires or not self.waiting[wire]:
            return
        _, _, rank, task, node, relay = heapq.heappop(self.waiting[wire])
        words = self.graph.tasks[task].words
        end = now + self.computer.hop_time(words)
        self.busy_wires.add(wire)
        others = [self.shape.numbers[other] for other in relay.destinations]
        hop = (Hop(wire, now, end),)
        self.messages.append(Message(task, node, others[-1], words, hop, tuple(others[:-1])))
        for other in others:
            heapq.heappush(self.events, _Event(end, rank, task, other, wire))
