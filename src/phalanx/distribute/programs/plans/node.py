"""A rank that carries out its part of a plan, step by step."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from typing import Any

import numpy as np

from phalanx.distribute.processes.messages import Array, Hear, Message, Program, Tell
from phalanx.distribute.processes.program_registry import program
from phalanx.distribute.programs.plans.feedback import Carried
from phalanx.distribute.programs.plans.program_data import program_from_data
from phalanx.distribute.programs.plans.script import DO, HOLD, HOP, LOAD, TAKE, TAP, Script
from phalanx.kernel.graph.graph import LEAVES, Graph
from phalanx.multiprocessor.plans.evaluate import evaluate_nodes

Saying = Generator[Message, Any, Any]


@program
def planned(node: int, nodes: int, job: Mapping[str, Any]) -> Program:
    """The program of a rank; returns its results of all steps, hops by wire, and time [s].

    Args:
        node: Its number.
        nodes: How many there are.
        job: See `launch.job_of`.
    """
    own = Script.from_data(job["scripts"][node])
    letters = {(a, b): [Carried(*one) for one in these] for a, b, these in job["carried"]}
    return PlannedRank(node, program_from_data(job["program"]), own, letters).steps(
        [np.array(rows, dtype=np.float64) for rows in job["inputs"]], job["steps"]
    )


class PlannedRank:
    """The processors that a rank is, with a memory each."""

    def __init__(
        self,
        node: int,
        scalar: Graph,
        script: Script,
        letters: Mapping[tuple[int, int], Sequence[Carried]],
    ) -> None:
        """Nothing runs yet."""
        self.node, self.program, self.script, self.letters = node, scalar, script, letters
        self.memory: dict[int, dict[int, Any]] = {p: {} for p in script.processors}
        self.held: dict[int, list[Any]] = {}  # of messages, what passes
        self.hops: Counter[int] = Counter()
        leaves = {n for n, one in enumerate(scalar.nodes) if one.op in LEAVES}
        self.reads = {p: [n for n in known if n in leaves] for p, known in script.given.items()}
        self.prepares = {
            p: [n for n in known if n not in leaves] for p, known in script.given.items()
        }

    def steps(self, inputs: Sequence[Array], steps: int) -> Saying:
        """Take all steps; inputs have a row for each, or one that is changed between them."""
        now = [rows[0].copy() for rows in inputs]
        values = []
        begin = time.perf_counter()
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
        return {
            "values": values,
            "hops": sorted(self.hops.items()),
            "seconds": time.perf_counter() - begin,
        }

    def _begin(self, inputs: Sequence[Array]) -> None:
        """Forget the step before; every processor has what it is given."""
        self.held.clear()
        for processor, memory in self.memory.items():
            memory.clear()
            for n in self.reads[processor]:
                node = self.program.nodes[n]
                at = node.element
                memory[n] = np.float64(node.value) if at is None else inputs[at.port][at.place]
            evaluate_nodes(self.program, self.prepares[processor], memory)

    def _step(self) -> Saying:
        for word, *what in self.script.lines:
            if word == DO:
                processor, nodes = what
                evaluate_nodes(self.program, nodes, self.memory[processor])
            elif word == HOLD:
                message, processor, nodes = what
                memory = self.memory[processor]
                self.held[message] = [memory[n] for n in nodes]
            elif word == LOAD:
                message, processor, nodes = what
                self.memory[processor].update(zip(nodes, self.held[message], strict=True))
            elif word == TAKE:
                message, sender, size = what
                self.held[message] = list((yield Hear(sender, size)))
            else:
                assert word in (HOP, TAP)
                message, receiver = what[:2]
                if word == HOP:
                    self.hops[what[2]] += 1
                if receiver != self.node:
                    yield Tell(receiver, np.array(self.held[message]))

    def _carry_over(self, inputs: Sequence[Array]) -> Saying:
        """Tell others what they read in the next step, and hear from them."""
        for (sender, receiver), these in self.letters.items():
            if sender == self.node:
                numbers = np.array([self.memory[one.processor][one.node] for one in these])
                if receiver == self.node:
                    _put(inputs, these, numbers)
                else:
                    yield Tell(receiver, numbers)
        for (sender, receiver), these in self.letters.items():
            if receiver == self.node != sender:
                _put(inputs, these, (yield Hear(sender, len(these))))


def _put(inputs: Sequence[Array], these: Sequence[Carried], numbers: Array) -> None:
    for one, number in zip(these, numbers, strict=True):
        inputs[one.port][one.place] = number
