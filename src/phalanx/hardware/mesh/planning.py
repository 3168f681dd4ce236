"""As-soon-as-possible (ASAP) schedule of a mesh's tasks and messages.

Policy: a node that is free takes, of the tasks whose values are there, the first in the source's
order. A wire that is free takes, of the values that wait for it, the first in that order. Where
messages take time of the nodes, a free node first sends what waits, the first in that order, as
soon as the receivers are free too. State: what is where, until when nodes and wires are busy. No
task is moved to another node.
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
from phalanx.multiprocessor.computers.placement import Hop, Message, Placement, has_happened
from phalanx.multiprocessor.plans.schedule import Schedule
from phalanx.multiprocessor.tasks.task_graph import TaskGraph

POLICY = "as soon as values are there"
NOTHING = -1


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
    """Results of a task come to be in a node: computed there, or brought over a wire.

    Where ``task`` is NOTHING, a node is free again and nothing has come.
    """

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
        self.node_until = [0.0] * len(shape.nodes)
        self.wire_until: dict[int, float] = defaultdict(float)
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
            if self.computer.holds_processors:
                # a node that is free again may be what a message of any wire waits for
                for wire in sorted((w for w in self.waiting if self.waiting[w]), key=self._first):
                    self._send(wire, now)
                nodes = set(self.ready)
                wires = set()
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
                if event.wire is not None:
                    wires.add(event.wire)
                nodes.add(event.node)
                if event.task != NOTHING:
                    wires.update(self._arrive(event.task, event.node))
        assert len(self.placements) == len(self.graph), "a value is read where none is sent"
        placements = tuple(sorted(self.placements, key=lambda p: (p.start, p.processor)))
        return Schedule(self.graph, self.computer, placements, tuple(self.messages), POLICY)

    def _begin(self, node: int, now: float) -> None:
        """Let a free node take up its most urgent task."""
        if self.node_until[node] > now or not self.ready[node]:
            return
        rank, task = heapq.heappop(self.ready[node])
        end = now + self.times[task]
        self.node_until[node] = end
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

    def _first(self, wire: int) -> tuple[int, int, int]:
        """Urgency of the message that goes first on a wire."""
        stage, phase, rank, *_ = self.waiting[wire][0]
        return stage, phase, rank

    def _send(self, wire: int, now: float) -> None:
        """Let a free wire take its most urgent message, when those whose time it takes are free."""
        if self.wire_until[wire] > now or not self.waiting[wire]:
            return
        _, _, rank, task, node, relay = self.waiting[wire][0]
        words = self.graph.tasks[task].words
        time = self.computer.hop_time(words)
        lead = -self.computer.sending(Hop(wire, 0.0, time))[0]
        hop = Hop(wire, now + lead, now + lead + time)
        others = [self.shape.numbers[other] for other in relay.destinations]
        if not self._hold(node, self.computer.sending(hop), others, self.computer.receiving(hop)):
            return
        heapq.heappop(self.waiting[wire])
        self.wire_until[wire] = hop.end
        self.messages.append(Message(task, node, others[-1], words, (hop,), tuple(others[:-1])))
        for other in others:
            heapq.heappush(self.events, _Event(hop.end, rank, task, other, wire))

    def _hold(
        self,
        sender: int,
        sending: tuple[float, float],
        receivers: Sequence[int],
        receiving: tuple[float, float],
    ) -> bool:
        """Take the time of nodes that a message needs; false where one of them is busy."""
        spans = [(sender, *sending), *((other, *receiving) for other in receivers)]
        taken = [(node, start, end) for node, start, end in spans if end > start]
        if not all(has_happened(self.node_until[node], start) for node, start, _ in taken):
            return False
        for node, _, end in taken:
            self.node_until[node] = end
            heapq.heappush(self.events, _Event(end, 0, NOTHING, node, None))
        return True
