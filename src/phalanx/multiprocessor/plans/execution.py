"""Execution of a plan on the simulated computer, with numbers.

Every processor sees what it computed itself, what the shared memory shows it by then, and what
messages have brought. It reads when a task starts, and what is not there yet reads as NaN. A task
takes the time it needs, whatever the plan says. A processor that is busy, that does not exist or
that cannot do the task starts nothing; a pipelined one is busy for the occupancy of a task alone. A
message that is sent before its sender has what it brings, is cut short, takes wires that lead
elsewhere, or takes the time of a processor that is busy brings nothing.

Moments decide what a task finds, not numbers. So that is settled once for a plan, and numbers go
through it as often as there are inputs.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from phalanx.base.errors import InvalidInput
from phalanx.kernel.graph.graph import Graph
from phalanx.multiprocessor.computers.computer import Computer
from phalanx.multiprocessor.computers.costs import task_tails, task_times
from phalanx.multiprocessor.computers.placement import Message, Placement, has_happened
from phalanx.multiprocessor.plans.evaluate import evaluate_nodes, given_values, output_arrays
from phalanx.multiprocessor.plans.held_time import Hold, holds
from phalanx.multiprocessor.plans.messages import sound_messages
from phalanx.multiprocessor.plans.route import first_arrivals
from phalanx.multiprocessor.tasks.task_graph import TaskGraph

NOBODY = -1


class TaskRun(NamedTuple):
    """A task that is done.

    Attributes:
        nodes: What it computes, in order.
        given: What it reads that is there before the work starts.
        read: What it reads else, and the number of the run that it has it from, or NOBODY.
    """

    nodes: tuple[int, ...]
    given: tuple[int, ...]
    read: tuple[tuple[int, int], ...]


class Settled(NamedTuple):
    """Task runs of an executed plan in order, and the sources of its results.

    Attributes:
        program: The scalar operations.
        owned: Nodes that belong to tasks.
        runs: What is done.
        last: For nodes that were computed, the number of the last run that did.
    """

    program: Graph
    owned: frozenset[int]
    runs: tuple[TaskRun, ...]
    last: dict[int, int]

    def values(self, inputs: Sequence[Any]) -> dict[int, Any]:
        """The numbers of all nodes that are given or were computed, by node."""
        results: list[dict[int, Any]] = []
        with np.errstate(all="ignore"):  # a NaN that was read too early is a result, no accident
            given = given_values(self.program, inputs, self.owned)
            for nodes, known, read in self.runs:
                values = {a: given[a] for a in known}
                for a, run in read:
                    values[a] = results[run][a] if run != NOBODY else np.nan
                evaluate_nodes(self.program, nodes, values)
                results.append(values)
        return given | {n: results[run][n] for n, run in self.last.items()}

    def outputs(self, inputs: Sequence[Any]) -> Any:
        """The outputs of the program (see ``Schedule.execute``)."""
        outputs = output_arrays(self.program, self.values(inputs))
        return outputs[0] if len(outputs) == 1 else outputs


def settle(
    graph: TaskGraph,
    computer: Computer,
    placements: Sequence[Placement],
    messages: Sequence[Message],
) -> Settled:
    """Determine what tasks read when they run as planned.

    Raises:
        InvalidInput: The graph has costs but no program.
    """
    program = graph.program
    if program is None:
        raise InvalidInput(
            f"task graph '{graph.name}' has costs but no program, so there is nothing to compute."
        )
    owner = graph.owner
    started, lost = _started(graph, computer, placements, messages)
    first: dict[int, Placement] = {}
    for placement in started:
        first.setdefault(placement.task, placement)
    sent = [message for number, message in enumerate(messages) if number not in lost]
    sound = sound_messages(graph, computer, first, sent)
    arrivals = first_arrivals(computer, (message for _, message in sound))

    done: dict[int, list[int]] = defaultdict(list)  # numbers of runs, by task
    runs: list[TaskRun] = []
    for task, processor, start, _ in started:
        known, read = [], []
        found: dict[int, int] = {}
        for a in graph.reads(task):
            source = owner.get(a)
            if source is None:
                known.append(a)
                continue
            if source not in found:
                found[source] = NOBODY
                arrival = arrivals.get((source, processor), math.inf)
                for run in reversed(done[source]):  # memory holds what was written last
                    by = started[run]
                    there = computer.visible(
                        graph.tasks[source].words, by.processor, by.end, processor, arrival
                    )
                    if has_happened(there, start):
                        found[source] = run
                        break
            read.append((a, found[source]))
        done[task].append(len(runs))
        runs.append(TaskRun(graph.tasks[task].nodes, tuple(known), tuple(read)))
    last = {n: done[i][-1] for n, i in owner.items() if done[i]}
    return Settled(program, frozenset(owner), tuple(runs), last)


def _started(
    graph: TaskGraph,
    computer: Computer,
    placements: Sequence[Placement],
    messages: Sequence[Message],
) -> tuple[list[Placement], set[int]]:
    """Task runs that really start, in order, and the numbers of messages that find no time."""
    position = {task: k for k, task in enumerate(graph.order)}
    times, tails = task_times(graph, computer), task_tails(graph, computer)
    busy_until = [0.0] * computer.processors
    started: list[Placement] = []
    lost: set[int] = set()
    work: list[Placement | Hold] = [*placements, *holds(computer, messages)]
    for one in sorted(work, key=lambda p: (p.start, p.end, position[p.task])):
        task, processor, start, end = one[-4:]
        if 0 <= processor < computer.processors and has_happened(busy_until[processor], start):
            if isinstance(one, Hold):
                busy_until[processor] = end
                continue
            needed = start + times[processor][task]
            if math.isinf(needed):
                continue
            end = end if has_happened(needed, end) else needed
            busy_until[processor] = end - tails[processor][task]
            started.append(Placement(task, processor, start, end))
        elif isinstance(one, Hold):
            lost.add(one.message)
    return started, lost
