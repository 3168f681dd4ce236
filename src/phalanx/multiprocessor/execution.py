"""A plan carried out on the simulated computer, with numbers.

Every processor sees what it computed itself, what the shared memory shows it by then, and what
messages have brought. It reads when a task starts, and what is not there yet reads as NaN.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.errors import InvalidInput
from phalanx.multiprocessor.computers import Computer
from phalanx.multiprocessor.evaluate import evaluate_nodes, given_values
from phalanx.multiprocessor.placement import Message, Placement
from phalanx.multiprocessor.tasks import TaskGraph

# times are sums of many terms, so equal ones may differ in the last digits
ROUNDING = 1e-9


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
    owner = {n: i for i, task in enumerate(graph.tasks) for n in task.nodes}
    given = given_values(program, inputs, set(owner))
    arrivals: dict[tuple[int, int], float] = {}
    for message in messages:
        key = message.task, message.destination
        arrivals[key] = min(message.arrival, arrivals.get(key, np.inf))

    position = {task: k for k, task in enumerate(graph.order)}
    results: dict[int, dict[int, Any]] = {}  # of each task, by node
    done: dict[int, Placement] = {}
    for placement in sorted(placements, key=lambda p: (p.start, p.end, position[p.task])):
        values: dict[int, Any] = {}
        now = placement.start + ROUNDING * (1 + abs(placement.start))
        for n in graph.tasks[placement.task].nodes:
            for a in program.nodes[n].args:
                source = owner.get(a)
                if source is None:
                    values[a] = given[a]
                elif source != placement.task and source in done:
                    if _visible(computer, graph, done[source], placement, arrivals) <= now:
                        values[a] = results[source].get(a, np.nan)
        own = graph.tasks[placement.task].nodes
        evaluate_nodes(program, own, values)
        results[placement.task] = {n: values[n] for n in own}
        done[placement.task] = placement

    outputs = []
    for port, numbers in zip(program.outputs, program.results, strict=True):
        flat = [
            given[n] if n not in owner else results.get(owner[n], {}).get(n, np.nan)
            for n in numbers
        ]
        outputs.append(np.array(flat, dtype=np.float64).reshape(port.shape))
    return outputs[0] if len(outputs) == 1 else tuple(outputs)


def _visible(
    computer: Computer,
    graph: TaskGraph,
    source: Placement,
    reader: Placement,
    arrivals: dict[tuple[int, int], float],
) -> float:
    """When the processor of ``reader`` can see the results of ``source``."""
    if source.processor == reader.processor:
        return source.end
    if computer.route(source.processor, reader.processor):
        return arrivals.get((source.task, reader.processor), np.inf)
    words = graph.tasks[source.task].words
    return source.end + computer.delay(words, source.processor, reader.processor)
