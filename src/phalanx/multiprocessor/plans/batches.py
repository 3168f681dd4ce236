"""Batches of tasks of one shape, evaluated together for all samples.

Two tasks have one shape when their operations are the same and read their arguments from the same
places among what the tasks read and compute. Tasks of one shape that cannot wait for each other are
one batch: every operation of it is done once, over an array of tasks by samples.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from phalanx.multiprocessor.plans.evaluate import ARITHMETIC
from phalanx.multiprocessor.tasks.task_graph import TaskGraph


class TaskShape(NamedTuple):
    """Shape that tasks have in common.

    Attributes:
        reads: How many numbers a task reads; these are numbered first.
        steps: Each operation, with the numbers of its arguments; its result gets the next number.
        writes: The numbers that it hands on.
    """

    reads: int
    steps: tuple[tuple[str, tuple[int, ...]], ...]
    writes: tuple[int, ...]

    def results(self, numbers: Sequence[NDArray[np.float64]]) -> list[NDArray[np.float64]]:
        """What is handed on, from what is read."""
        values = list(numbers)
        for op, args in self.steps:
            values.append(ARITHMETIC[op](*(values[a] for a in args)))
        return [values[n] for n in self.writes]


class TaskBatch(NamedTuple):
    """Tasks of one shape; none of them waits for another.

    Attributes:
        shape: What they do.
        tasks: Their numbers.
        reads: Nodes that each reads, shape (reads, tasks).
        writes: Nodes that each hands on, shape (writes, tasks).
    """

    shape: TaskShape
    tasks: tuple[int, ...]
    reads: NDArray[np.int64]
    writes: NDArray[np.int64]


def batches(graph: TaskGraph) -> Iterator[TaskBatch]:
    """All tasks of a graph, each batch after those that it waits for."""
    of_shape: dict[tuple[int, TaskShape], list[int]] = defaultdict(list)
    for task, layer in enumerate(graph.earliest_layers):
        of_shape[layer, shape_of(graph, task)].append(task)
    for (_, shape), tasks in sorted(of_shape.items(), key=lambda item: item[0][0]):
        reads = np.array([graph.reads(task) for task in tasks], dtype=np.int64)
        writes = np.array([graph.writes(task) for task in tasks], dtype=np.int64)
        yield TaskBatch(
            shape,
            tuple(tasks),
            reads.reshape(len(tasks), shape.reads).T,
            writes.reshape(len(tasks), len(shape.writes)).T,
        )


def shape_of(graph: TaskGraph, task: int) -> TaskShape:
    """Shape of a task: its operations, without its values."""
    assert graph.program is not None
    nodes = graph.program.nodes
    reads = graph.reads(task)
    local = {n: k for k, n in enumerate((*reads, *graph.tasks[task].nodes))}
    steps = tuple(
        (nodes[n].op, tuple(local[a] for a in nodes[n].args)) for n in graph.tasks[task].nodes
    )
    return TaskShape(len(reads), steps, tuple(local[n] for n in graph.writes(task)))
