"""Interpreter of a rank's instruction list: its part of a schedule, step by step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from typing import Any

import numpy as np

from phalanx.distribute.processes.messages import Array, Message, ProcessProgram, Receive, Send
from phalanx.distribute.processes.program_registry import program
from phalanx.distribute.programs.plans.carried_values import CarriedValue
from phalanx.distribute.programs.plans.graph_data import graph_from_data
from phalanx.distribute.programs.plans.rank_script import DO, HOLD, HOP, LOAD, TAKE, TAP, RankScript
from phalanx.kernel.graph.graph import LEAVES, Graph
from phalanx.multiprocessor.plans.evaluate import evaluate_nodes

Steps = Generator[Message, Any, Any]


@program
def planned(rank: int, processes: int, job: Mapping[str, Any]) -> ProcessProgram:
    """Return the program of a rank; it returns its results of all steps, and hops by wire.

    Args:
        rank: Its number.
        processes: How many there are.
        job: Plain data: ``program``, ``scripts``, ``carried``, ``inputs`` and ``steps``.
    """
    own = RankScript.from_data(job["scripts"][rank])
    carried = {(a, b): [CarriedValue(*one) for one in these] for a, b, these in job["carried"]}
    return PlannedRank(rank, graph_from_data(job["program"]), own, carried).steps(
        [np.array(rows, dtype=np.float64) for rows in job["inputs"]], job["steps"]
    )


class PlannedRank:
    """The processors that a rank is, with a memory each."""

    def __init__(
        self,
        rank: int,
        graph: Graph,
        script: RankScript,
        carried: Mapping[tuple[int, int], Sequence[CarriedValue]],
    ) -> None:
        """Prepare empty memories.

        Args:
            rank: Its number.
            graph: What is computed.
            script: What this rank does of it.
            carried: Between two steps, by sender and receiver.
        """
        self.rank, self.graph, self.script, self.carried = rank, graph, script, carried
        self.memory: dict[int, dict[int, Any]] = {p: {} for p in script.processors}
        self.held: dict[int, list[Any]] = {}  # values by message
        self.hops: Counter[int] = Counter()
        leaves = {n for n, one in enumerate(graph.nodes) if one.op in LEAVES}
        self.reads = {p: [n for n in known if n in leaves] for p, known in script.given.items()}
        self.prepares = {
            p: [n for n in known if n not in leaves] for p, known in script.given.items()
        }

    def steps(self, inputs: Sequence[Array], steps: int) -> Steps:
        """Take all steps; inputs have a row for each, or one that is changed between them."""
        now = [rows[0].copy() for rows in inputs]
        values = []
        with np.errstate(all="ignore"):
            for step in range(steps):
                for port, rows in enumerate(inputs):
                    if len(rows) > 1:
                        now[port] = rows[step]
                self._begin(now)
                yield from self._step()
                values.append([float(self.memory[p][n]) for n, p in self.script.results])
                if step + 1 < steps:
                    yield from self._carry_over(now)
        return {"values": values, "hops": sorted(self.hops.items())}

    def _begin(self, inputs: Sequence[Array]) -> None:
        """Clear the memories; every processor has what it is given."""
        self.held.clear()
        for processor, memory in self.memory.items():
            memory.clear()
            for n in self.reads[processor]:
                node = self.graph.nodes[n]
                at = node.element
                memory[n] = np.float64(node.value) if at is None else inputs[at.port][at.place]
            evaluate_nodes(self.graph, self.prepares[processor], memory)

    def _step(self) -> Steps:
        for word, *what in self.script.lines:
            if word == DO:
                processor, nodes = what
                evaluate_nodes(self.graph, nodes, self.memory[processor])
            elif word == HOLD:
                message, processor, nodes = what
                memory = self.memory[processor]
                self.held[message] = [memory[n] for n in nodes]
            elif word == LOAD:
                message, processor, nodes = what
                self.memory[processor].update(zip(nodes, self.held[message], strict=True))
            elif word == TAKE:
                message, sender, size = what
                self.held[message] = list((yield Receive(sender, size)))
            else:
                assert word in (HOP, TAP)
                message, receiver = what[:2]
                if word == HOP:
                    self.hops[what[2]] += 1
                if receiver != self.rank:
                    yield Send(receiver, np.array(self.held[message]))

    def _carry_over(self, inputs: Sequence[Array]) -> Steps:
        """Send to others what they read in the next step, and receive from them."""
        for (sender, receiver), these in self.carried.items():
            if sender == self.rank:
                numbers = np.array([self.memory[one.processor][one.node] for one in these])
                if receiver == self.rank:
                    _put(inputs, these, numbers)
                else:
                    yield Send(receiver, numbers)
        for (sender, receiver), these in self.carried.items():
            if receiver == self.rank != sender:
                _put(inputs, these, (yield Receive(sender, len(these))))


def _put(inputs: Sequence[Array], these: Sequence[CarriedValue], numbers: Array) -> None:
    for one, number in zip(these, numbers, strict=True):
        inputs[one.port][one.place] = number
