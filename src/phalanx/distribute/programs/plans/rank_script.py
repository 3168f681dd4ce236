"""Instruction list of each rank for a step of a schedule, as plain data.

A rank has the private memories of its processors. Of a message it holds what passes; between two
processors of one rank nothing has to travel. Messages from a rank are received in the order in
which it sends them, and no sooner than something needs one of them.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, final

from phalanx.base.errors import InvalidInput
from phalanx.distribute.programs.plans.event_order import HopEvent, TaskEvent, ordered_events
from phalanx.kernel.graph.graph import Graph
from phalanx.multiprocessor.plans.schedule import Schedule
from phalanx.multiprocessor.tasks.task_graph import TaskGraph

# instructions, the first word first:
DO = "do"  # processor, nodes: compute them in its memory
HOLD = "hold"  # message, processor, nodes: take them from its memory
HOP = "hop"  # message, rank, wire: over a wire, to another rank or within this one
TAP = "tap"  # message, rank: to a rank with a processor that listens to the wire
TAKE = "take"  # message, rank, size: receive from another rank
LOAD = "load"  # message, processor, nodes: put them into its memory

Line = list[Any]


@final
@dataclass(frozen=True)
class RankScript:
    """The instructions of one rank.

    Attributes:
        processors: Those that it is.
        given: For each of these the nodes of no task that it reads, in order; inputs are among
            them, and sines and the like, which every processor computes for itself.
        lines: What it does in a step.
        results: Nodes of the program's results that it has in the end, with who has them; those
            of no processor are given.
    """

    processors: tuple[int, ...]
    given: Mapping[int, tuple[int, ...]] = field(hash=False)
    lines: tuple[Line, ...] = field(hash=False)
    results: tuple[tuple[int, int], ...]

    def to_data(self) -> dict[str, Any]:
        """Return the script as plain data."""
        return {
            "processors": list(self.processors),
            "given": [[processor, list(nodes)] for processor, nodes in self.given.items()],
            "lines": [list(line) for line in self.lines],
            "results": [list(pair) for pair in self.results],
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> RankScript:
        """Return the script that `to_data` was called on."""
        return cls(
            tuple(data["processors"]),
            {processor: tuple(nodes) for processor, nodes in data["given"]},
            tuple(data["lines"]),
            tuple((node, processor) for node, processor in data["results"]),
        )


def hosts_of(processors: int, ranks: int) -> tuple[int, ...]:
    """Return the rank of each processor: consecutive ones to a rank, as evenly as possible.

    Raises:
        InvalidInput: There are more ranks than processors, or none.
    """
    if not 1 <= ranks <= processors:
        raise InvalidInput(
            f"ranks={ranks} for a plan of {processors} processors; expected 1 to {processors}: a "
            "rank is one processor or several."
        )
    return tuple(processor * ranks // processors for processor in range(processors))


def scripts_of(plan: Schedule, ranks: int) -> list[RankScript]:
    """Write the scripts of all ranks.

    Args:
        plan: For processors with wires between them, without violations, of tasks with a program.
        ranks: How many.

    Raises:
        InvalidInput: The plan is for another computer, cannot be carried out, or has nothing to
            compute; or there are more ranks than processors.
    """
    program = _checked(plan)
    hosts = hosts_of(plan.computer.processors, ranks)
    writing = _ScriptWriter(plan, hosts)
    for event in ordered_events(plan):
        if isinstance(event, TaskEvent):
            writing.add_task(event)
        else:
            writing.add_hop(event)
    writing.receive_the_rest()
    where = {p.task: p.processor for p in plan.placements}
    owner = plan.graph.owner
    results: list[list[tuple[int, int]]] = [[] for _ in range(ranks)]
    for node in dict.fromkeys(n for nodes in program.results for n in nodes):
        # what is given is known to all; the first processor returns it
        processor = where[owner[node]] if node in owner else 0
        results[hosts[processor]].append((node, processor))
    kept = {node for nodes in program.results for node in nodes if node not in owner}
    return [
        RankScript(
            own := tuple(p for p, host in enumerate(hosts) if host == rank),
            {p: _given(plan, program, p, kept if p == 0 else set()) for p in own},
            tuple(_joined(writing.lines[rank])),
            tuple(results[rank]),
        )
        for rank in range(ranks)
    ]


def _checked(plan: Schedule) -> Graph:
    graph, computer = plan.graph, plan.computer
    if graph.program is None:
        raise InvalidInput(
            f"task graph '{graph.name}' has costs but no program, so there is nothing to compute."
        )
    if not computer.is_wired and computer.processors > 1:
        raise InvalidInput(
            f"ranks send messages, but the plan for '{graph.name}' is for '{computer.name}', which "
            f"has no wires. Schedule it for a MessagePassing computer of {computer.processors} "
            "processors instead."
        )
    if plan.violations:
        raise InvalidInput(
            f"the plan for '{graph.name}' cannot be carried out: {plan.violations[0].text} "
            f"({len(plan.violations)} violations in all)"
        )
    return graph.program


class _ScriptWriter:
    """Scripts while they are written."""

    def __init__(self, plan: Schedule, hosts: tuple[int, ...]) -> None:
        self.plan, self.graph, self.hosts = plan, plan.graph, hosts
        self.lines: list[list[Line]] = [[] for _ in range(max(hosts) + 1)]
        # by receiver and sender: messages that are on their way, in order
        self.coming: dict[tuple[int, int], deque[int]] = defaultdict(deque)
        # by receiver and message: who sends it there
        self.senders: dict[tuple[int, int], deque[int]] = defaultdict(deque)
        # by receiver and message: who is to have it
        self.loads: dict[tuple[int, int], list[int]] = defaultdict(list)
        # by task and processor: the message that brings its results from another rank
        self.brought: dict[tuple[int, int], int] = {}

    def add_task(self, event: TaskEvent) -> None:
        host = self.hosts[event.processor]
        for p in self.graph.predecessors[event.task]:
            if (p, event.processor) in self.brought:
                self.receive(host, self.brought[p, event.processor])
        nodes = self.graph.tasks[event.task].nodes
        self.lines[host].append([DO, event.processor, list(nodes)])

    def add_hop(self, event: HopEvent) -> None:
        m, message = event.message, self.plan.messages[event.message]
        here, there = self.hosts[event.source], self.hosts[event.destination]
        if event.hop == 0:
            if (message.task, event.source) in self.brought:  # it passes on what has come
                self.receive(here, self.brought[message.task, event.source])
            self.lines[here].append([HOLD, m, event.source, self.nodes(m)])
        else:
            self.receive(here, m)
        wire = message.hops[event.hop].link
        last = event.hop == len(message.hops) - 1
        readers = [(there, event.destination)] if last else []
        readers += [(self.hosts[tap], tap) for tap in event.taps]
        # a rank that reads only a tap gets a message of its own: ranks share no wire
        far = dict.fromkeys([there, *(host for host, _ in readers)])
        for number, host in enumerate(far):
            if host != here:
                self.coming[host, here].append(m)
                self.senders[host, m].append(here)
            if number == 0:
                self.lines[here].append([HOP, m, host, wire])
            elif host != here:
                self.lines[here].append([TAP, m, host])
        for host, reader in readers:
            self.loads[host, m].append(reader)
            self.brought[message.task, reader] = m
            if host == here:
                self.load(host, m)

    def receive(self, host: int, m: int) -> None:
        """Receive from the rank that sends a message until it has come."""
        senders = self.senders[host, m]
        if not senders:
            return
        sender = senders[0]
        coming = self.coming[host, sender]
        while senders and senders[0] == sender:
            one = coming.popleft()
            self.senders[host, one].remove(sender)
            self.lines[host].append([TAKE, one, sender, len(self.nodes(one))])
            self.load(host, one)
            if one == m:
                break

    def load(self, host: int, m: int) -> None:
        for reader in self.loads.pop((host, m), ()):
            self.lines[host].append([LOAD, m, reader, self.nodes(m)])

    def receive_the_rest(self) -> None:
        """Receive what nothing needs, so that the next step begins with none."""
        for (host, _), coming in list(self.coming.items()):
            while coming:
                self.receive(host, coming[-1])

    def nodes(self, m: int) -> list[int]:
        return list(self.graph.writes(self.plan.messages[m].task))


def _given(plan: Schedule, program: Graph, processor: int, kept: set[int]) -> tuple[int, ...]:
    """Return nodes of no task that a processor reads, and all that those are computed from."""
    graph: TaskGraph = plan.graph
    wanted = set(kept)
    for placement in plan.on_processor(processor):
        wanted |= {n for n in graph.reads(placement.task) if n not in graph.owner}
    for n in range(max(wanted, default=-1), -1, -1):
        if n in wanted:
            wanted |= set(program.nodes[n].args)
    return tuple(sorted(wanted))


def _joined(lines: list[Line]) -> list[Line]:
    """Join consecutive tasks of a processor."""
    joined: list[Line] = []
    for line in lines:
        if joined and line[0] == DO and joined[-1][:2] == line[:2]:
            joined[-1] = [DO, line[1], [*joined[-1][2], *line[2]]]
        else:
            joined.append(line)
    return joined
