"""Task graphs as JSON values, without their program.

A file is compared with the graph that it was made for, since it does not hold the program.
"""

from __future__ import annotations

from dataclasses import asdict
from functools import lru_cache
from typing import Any

from phalanx.base.errors import ReadError, UnknownName
from phalanx.base.json_fields import Fields
from phalanx.kernel.graph.operations import Operations
from phalanx.multiprocessor.tasks.task_graph import Task, TaskGraph


def graph_to_data(graph: TaskGraph) -> dict[str, Any]:
    """A graph as JSON values."""
    names = [task.name for task in graph.tasks]
    return {
        "name": graph.name,
        "tasks": [
            _task_to_data(task, [names[p] for p in before])
            for task, before in zip(graph.tasks, graph.predecessors, strict=True)
        ],
    }


def _task_to_data(task: Task, waits_for: list[str]) -> dict[str, Any]:
    return {
        "name": task.name,
        "label": task.label,
        "link": task.link,
        "operations": _counts(task.operations),
        "words": task.words,
        "waits_for": waits_for,
    } | ({"kind": task.kind} if task.kind else {})


@lru_cache(maxsize=4096)  # tasks are many, their kinds few
def _counts(operations: Operations) -> dict[str, int]:
    return {kind: count for kind, count in asdict(operations).items() if count}


def check_graph(data: Fields, graph: TaskGraph) -> None:
    """ReadError unless the tasks of a file are those of the graph, in any order."""
    file, own = data.place.partition(":")[0], f"task graph '{graph.name}'"
    seen = set()
    for row in data.objects("tasks", "task"):
        name = row.text("name")
        if name not in graph.numbers:
            raise ReadError(f"{file}: {UnknownName(own, 'task', name, graph.numbers)}")
        if name in seen:
            raise ReadError(f"{row.place}: '{name}' is there twice.")
        seen.add(name)
        number = graph.numbers[name]
        task = graph.tasks[number]
        found = _operations(row.object("operations"))
        if found != task.operations:
            raise ReadError(f"{file}: task '{name}' has {found}; in {own} {task.operations}.")
        if row.count("words") != task.words:
            raise ReadError(
                f"{file}: task '{name}' hands on {row.count('words')} numbers; in {own} "
                f"{task.words}."
            )
        kind = "" if row.is_null("kind") else row.text("kind")
        if kind != task.kind:
            raise ReadError(f"{file}: task '{name}' is of kind '{kind}'; in {own} '{task.kind}'.")
        there = row.items("waits_for")
        here = {graph.tasks[p].name for p in graph.predecessors[number]}
        if not all(isinstance(p, str) for p in there):
            row.wrong("waits_for", "names of tasks")
        if set(there) != here:
            other = min(set(there) ^ here)
            where, missing = ("the file", own) if other in there else (own, "the file")
            raise ReadError(
                f"{file}: task '{name}' waits for '{other}' in {where}, but not in {missing}."
            )
    if len(seen) < len(graph):
        lost = next(task.name for task in graph.tasks if task.name not in seen)
        raise ReadError(
            f"{file} is of {len(seen)} tasks, {own} has {len(graph)}; '{lost}' is not in the file."
        )


def _operations(data: Fields) -> Operations:
    known = asdict(Operations())
    for kind in data.values:
        if kind not in known:
            raise ReadError(f"{data.place}: {UnknownName('phalanx', 'operation', kind, known)}")
    return Operations(**{kind: data.count(kind) for kind in data.values})
