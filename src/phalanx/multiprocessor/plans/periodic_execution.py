"""Execution of a repeated plan on the simulated computer, through its buffers.

A buffer gives each reader the oldest values that this reader has not had, whichever sample they
belong to; who finds nothing reads NaN (see :mod:`phalanx.multiprocessor.plans.fifo`). A processor
that is busy starts no task, and a wire that is busy takes no message, so that a task that waits for
them reads what belongs to another sample, or nothing.

Which sample's values a task reads depends on moments alone. So that is found first, and then each
operation is done once for all samples, with numbers from where the buffers have them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phalanx.base.arguments import numbers as checked_numbers
from phalanx.base.errors import InvalidInput
from phalanx.kernel.graph.graph import Graph
from phalanx.multiprocessor.plans.batches import TaskBatch, batches
from phalanx.multiprocessor.plans.buffers import Buffer
from phalanx.multiprocessor.plans.data_sources import ValueRoute
from phalanx.multiprocessor.plans.evaluate import given_values
from phalanx.multiprocessor.plans.fifo import NOTHING, Origins
from phalanx.multiprocessor.plans.schedule import Schedule


def execute_sets(
    plan: Schedule, interval: float, there: Iterable[Buffer], inputs: Sequence[Any]
) -> Any:
    """The outputs of every sample when a plan is repeated (see ``Periodic.execute``)."""
    program = _program(plan)
    numbers = _executed(plan, program, interval, there, inputs)
    outputs = tuple(
        numbers.of(nodes).T.reshape(-1, *port.shape)
        for port, nodes in zip(program.outputs, program.results, strict=True)
    )
    return outputs[0] if len(outputs) == 1 else outputs


def execute_nodes(
    plan: Schedule,
    interval: float,
    there: Iterable[Buffer],
    inputs: Sequence[Any],
    nodes: Iterable[int],
) -> NDArray[np.float64]:
    """The numbers of some nodes in every sample, shape (samples, nodes).

    Args:
        plan: What is done for each sample.
        interval: From one sample to the next, in the computer's unit.
        there: The buffers.
        inputs: As ``Periodic.execute`` takes them.
        nodes: Nodes of the program that are given or that tasks hand on.
    """
    return _executed(plan, _program(plan), interval, there, inputs).of(nodes).T


def _executed(
    plan: Schedule, program: Graph, interval: float, there: Iterable[Buffer], inputs: Sequence[Any]
) -> _Numbers:
    arrays, sets = _by_set(program, inputs)
    route = ValueRoute(plan, interval, there, sets)
    with np.errstate(all="ignore"):  # a NaN that was read too early is a result, not an accident
        numbers = _Numbers(plan, given_values(program, arrays, plan.graph.owner, sets), sets)
        for batch in batches(plan.graph):
            numbers.compute(batch, route)
    return numbers


def _program(plan: Schedule) -> Graph:
    if plan.graph.program is None:
        raise InvalidInput(
            f"task graph '{plan.graph.name}' has costs but no program, so there is nothing to "
            "compute."
        )
    return plan.graph.program


def _by_set(program: Graph, inputs: Sequence[Any]) -> tuple[list[NDArray[np.float64]], int]:
    """The inputs with samples along the last axis, and how many samples there are."""
    names = itertools.chain((port.name for port in program.inputs), itertools.repeat("an input"))
    arrays = [checked_numbers(name, array) for name, array in zip(names, inputs, strict=False)]
    counts = {array.shape[0] if array.ndim else 0 for array in arrays}
    if len(counts) != 1 or 0 in counts:
        shapes = ", ".join(str(array.shape) for array in arrays) or "nothing"
        raise InvalidInput(
            f"the inputs of '{program.name}' are {shapes}; the first axis of each counts the "
            "sets, at least one."
        )
    return [np.moveaxis(array, 0, -1) for array in arrays], counts.pop()


class _Numbers:
    """What is given and what tasks hand on, a row for each of these nodes and a column a sample."""

    def __init__(self, plan: Schedule, given: dict[int, Any], sets: int) -> None:
        """All that tasks will hand on is still missing."""
        graph = plan.graph
        handed_on = (n for task in range(len(graph)) for n in graph.writes(task))
        self._graph = graph
        self._row = {n: k for k, n in enumerate((*given, *handed_on))}
        self._values = np.full((len(self._row), sets), np.nan)
        for n, value in given.items():
            self._values[self._row[n]] = value

    def of(self, nodes: Iterable[int]) -> NDArray[np.float64]:
        """The values of nodes, shape (nodes, samples)."""
        return self._values[[self._row[n] for n in nodes]]

    def compute(self, batch: TaskBatch, route: ValueRoute) -> None:
        """Do what tasks of a batch do, in the samples in which they start."""
        runs = np.array([route.runs(task) for task in batch.tasks])
        numbers = [self._read(batch, nodes, route) for nodes in batch.reads]
        for nodes, result in zip(batch.writes, batch.shape.results(numbers), strict=True):
            rows = [self._row[n] for n in nodes.tolist()]
            self._values[rows] = np.where(runs, result, np.nan)

    def _read(
        self, batch: TaskBatch, nodes: NDArray[np.int64], route: ValueRoute
    ) -> NDArray[np.float64]:
        """What each task of a batch finds in the place of one of its arguments."""
        numbers = self.of(nodes.tolist())
        for k, (task, node) in enumerate(zip(batch.tasks, nodes.tolist(), strict=True)):
            source = self._graph.owner.get(node)
            if source is not None:
                origins = route.origins(task, source)
                if origins is not route.own:
                    numbers[k] = _from_sets(numbers[k], origins)
        return numbers


def _from_sets(numbers: NDArray[np.float64], origins: Origins) -> NDArray[np.float64]:
    return np.where(origins == NOTHING, np.nan, numbers[origins])
