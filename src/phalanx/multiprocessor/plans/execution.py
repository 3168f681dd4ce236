"""A plan carried out on the simulated computer, with numbers.

Every processor sees what it computed itself, what the shared memory shows it by then, and what
messages have brought. It reads when a task starts, and what is not there yet reads as NaN. A task
takes the time it needs, whatever the plan says. A processor that is busy, that does not exist or
that cannot do the task starts nothing. A message that is sent before its task ends, is cut short or
takes wires that lead elsewhere brings nothing.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from phalanx.errors import InvalidInput
from phalanx.multiprocessor.computers.computer import Computer
from phalanx.multiprocessor.computers.costs import task_times
from phalanx.multiprocessor.computers.placement import Message, Placement, has_happened
from phalanx.multiprocessor.plans.course import first_arrivals
from phalanx.multiprocessor.plans.evaluate import evaluate_nodes, given_values, output_arrays
from phalanx.multiprocessor.plans.validation import message_faults
from phalanx.multiprocessor.tasks.task_graph import TaskGraph


class _Run(NamedTuple):
    """A task that was done: where, when it ended, and its results by node."""

    processor: int
    end: float
    results: Mapping[int, Any]


def execute(
    graph: TaskGraph,
    computer: Computer,
    placements: Sequence[Placement],
    messages: Sequence[Message],
    inputs: Sequence[Any],
) -> Any:
    """The outputs of a graph's program when its tasks run as planned (see ``Schedule.execute``)."""
    program = graph.program
    if program is None:
        raise InvalidInput(
            f"task graph '{graph.name}' has costs but no program, so there is nothing to compute."
        )
    owner = graph.owner
    started = _started(graph, computer, placements)
    first: dict[int, Placement] = {}
    for placement in started:
        first.setdefault(placement.task, placement)
    sound = (m for m in messages if not any(message_faults(graph, computer, first, m)))
    arrivals = first_arrivals(computer, sound)

    runs: dict[int, list[_Run]] = defaultdict(list)
    with np.errstate(all="ignore"):  # a NaN that was read too early is a result, not an accident
        given = given_values(program, inputs, owner)
        for task, processor, start, end in started:
            values: dict[int, Any] = {}
            for a in graph.reads(task):
                source = owner.get(a)
                if source is None:
                    values[a] = given[a]
                    continue
                for run in reversed(runs[source]):  # memory holds what was written last
                    there = computer.visible(
                        graph.tasks[source].words,
                        run.processor,
                        run.end,
                        processor,
                        arrivals.get((source, processor), math.inf),
                    )
                    if has_happened(there, start):
                        values[a] = run.results[a]
                        break
            own = graph.tasks[task].nodes
            evaluate_nodes(program, own, values)
            runs[task].append(_Run(processor, end, values))

    done = {n: runs[i][-1].results[n] for n, i in owner.items() if runs[i]}
    outputs = output_arrays(program, given | done)
    return outputs[0] if len(outputs) == 1 else outputs


def _started(
    graph: TaskGraph, computer: Computer, placements: Sequence[Placement]
) -> list[Placement]:
    """What processors really do of a plan, in the order in which they do it."""
    position = {task: k for k, task in enumerate(graph.order)}
    times = task_times(graph, computer)
    busy_until = [0.0] * computer.processors
    started = []
    for task, processor, start, end in sorted(
        placements, key=lambda p: (p.start, p.end, position[p.task])
    ):
        if 0 <= processor < computer.processors and has_happened(busy_until[processor], start):
            needed = start + times[processor][task]
            if math.isinf(needed):
                continue
            end = end if has_happened(needed, end) else needed
            busy_until[processor] = end
            started.append(Placement(task, processor, start, end))
    return started
