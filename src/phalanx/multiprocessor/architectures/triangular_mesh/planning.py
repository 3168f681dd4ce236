"""When the tasks of a mesh run, and when values are on its wires: each as soon as it can.

Policy: a node that is free takes, of the tasks whose values are there, the first in the source's
order. A value goes on over a wire as soon as it is in a node and the wire is free; who comes first
is served first. State: what is where, who is free when. Nothing is moved from one node to another.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Mapping, Sequence

from phalanx.multiprocessor.architectures.triangular_mesh.program import Place, Relay
from phalanx.multiprocessor.architectures.triangular_mesh.shape import Node, Shape
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
    places: Mapping[str, Place],
    relays: Sequence[Relay],
) -> Schedule:
    """The plan for a computer of this shape."""
    return _Course(graph, computer, shape, places, relays).schedule()


class _Course:
    """The mesh at work, from moment to moment."""

    def __init__(
        self,
        graph: TaskGraph,
        computer: Computer,
        shape: Shape,
        places: Mapping[str, Place],
        relays: Sequence[Relay],
    ) -> None:
        """Nothing has begun."""
        self.graph, self.computer, self.shape = graph, computer, shape
        self.node = [shape.numbers[places[task.name].node] for task in graph.tasks]
        urgency = [places[task.name].urgency for task in graph.tasks]
        self.rank = {
            task: rank
            for rank, task in enumerate(sorted(range(len(graph)), key=lambda t: (urgency[t], t)))
        }
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
        self.busy = [False] * computer.processors
        self.wire_free: dict[int, float] = defaultdict(float)
        self.there: set[tuple[int, int]] = set()
        self.placements: list[Placement] = []
        self.messages: list[Message] = []
        # moment, rank, task and where its results come to be; who is free again, or -1
        self.events: list[tuple[float, int, int, int, int]] = []

    def schedule(self) -> Schedule:
        for task, count in enumerate(self.missing):
            if not count:
                heapq.heappush(self.ready[self.node[task]], (self.rank[task], task))
        self._begin(sorted(self.ready), 0.0)
        while self.events:
            now = self.events[0][0]
            touched = set()
            while self.events and self.events[0][0] <= now:
                _, _, task, node, free = heapq.heappop(self.events)
                if free >= 0:
                    self.busy[free] = False
                    touched.add(free)
                touched.add(node)
                self._arrive(task, node, now)
            self._begin(sorted(touched), now)
        assert len(self.placements) == len(self.graph), "a value is read where nobody sends it"
        placements = tuple(sorted(self.placements, key=lambda p: (p.start, p.processor)))
        return Schedule(self.graph, self.computer, placements, tuple(self.messages), POLICY)

    def _begin(self, nodes: Sequence[int], now: float) -> None:
        """Let free nodes take up their most urgent tasks."""
        for node in nodes:
            if self.busy[node] or not self.ready[node]:
                continue
            rank, task = heapq.heappop(self.ready[node])
            end = now + self.times[task]
            self.busy[node] = True
            self.placements.append(Placement(task, node, now, end))
            heapq.heappush(self.events, (end, rank, task, node, node))

    def _arrive(self, task: int, node: int, now: float) -> None:
        """A value is in a node: tasks may have waited for it, and it may go on."""
        if (task, node) in self.there:
            return
        self.there.add((task, node))
        for reader in self.readers.get((task, node), ()):
            self.missing[reader] -= 1
            if not self.missing[reader]:
                heapq.heappush(self.ready[node], (self.rank[reader], reader))
        for relay in self.onward.get((task, node), ()):
            self._send(task, node, relay, now)

    def _send(self, task: int, node: int, relay: Relay, now: float) -> None:
        words = self.graph.tasks[task].words
        start = max(now, self.wire_free[relay.wire])
        end = start + self.computer.hop_time(words)
        self.wire_free[relay.wire] = end
        others = [self.shape.numbers[other] for other in relay.destinations]
        hop = (Hop(relay.wire, start, end),)
        self.messages.append(Message(task, node, others[-1], words, hop, tuple(others[:-1])))
        for other in others:
            heapq.heappush(self.events, (end, self.rank[task], task, other, -1))


def nodes_of(schedule: Schedule, shape: Shape) -> dict[str, Node]:
    """The node that each task runs on, by name."""
    return {schedule.graph.tasks[p.task].name: shape.nodes[p.processor] for p in schedule.placements}
