"""Values that tasks read and pass on, by name."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from phalanx.kernel.graph.graph import Graph
from phalanx.multiprocessor.plans.space_time import SiteData, SiteWork
from phalanx.multiprocessor.tasks.task_graph import TaskGraph


def quantities(graph: TaskGraph) -> tuple[dict[int, int], tuple[SiteWork, ...]]:
    """A slot for each node that tasks read or hand on, and what each task reads and hands on.

    A graph of costs alone has tasks, but neither slots nor quantities.
    """
    slots: dict[int, int] = {}
    writes = [graph.writes(task) for task in range(len(graph))]
    for nodes in writes:  # those of one task beside each other
        for node in nodes:
            slots[node] = len(slots)
    works = []
    for i, task in enumerate(graph.tasks):
        reads = []
        for name, read in _sources(graph, i):
            reads.append(SiteData(name, tuple(slots.setdefault(n, len(slots)) for n in read)))
        own = (SiteData(task.name, tuple(slots[n] for n in writes[i])),) if writes[i] else ()
        works.append(SiteWork(task.name, task.label, task.kind, tuple(reads), own))
    return slots, tuple(works)


def _sources(graph: TaskGraph, task: int) -> Iterator[tuple[str, list[int]]]:
    """What a task reads, put together by the task that hands it on."""
    found: dict[str, list[int]] = {}
    for node in graph.reads(task):
        owner = graph.owner.get(node)
        if owner is not None:
            found.setdefault(graph.tasks[owner].name, []).append(node)
        elif graph.program is not None:
            found.setdefault(_given_name(graph.program, node), []).append(node)
    yield from found.items()


def _given_name(program: Graph, node: int) -> str:
    """``q[2]``, ``cos(q[2])``, or that it is a constant or was computed before the work starts."""
    op, args, _, element = program.nodes[node]
    if element is not None:
        port = program.inputs[element.port]
        place = np.unravel_index(element.place, port.shape)
        return f"{port.name}[{', '.join(str(k) for k in place)}]"
    if op == "const":
        return "constants"
    if len(args) == 1 and program.nodes[args[0]].element is not None:
        return f"{op}({_given_name(program, args[0])})"
    return "given"
