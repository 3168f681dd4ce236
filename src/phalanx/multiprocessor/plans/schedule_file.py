"""Plans in files: JSON that any program can read, version 1.

::

    {
      "format": "phalanx schedule",
      "version": 1,
      "graph": {"name": "…", "tasks": [{"name": "101", "label": "…", "link": "…",
                "operations": {"multiply": 2, "add": 1}, "words": 1, "waits_for": ["100"]}, …]},
      "computer": {"kind": "shared-memory", "processors": 4, …},
      "policy": "layered",
      "bound": null,
      "measures": {"makespan": 58.0, "speedup": 3.97, …},
      "placements": [{"task": "101", "processor": 0, "start": 0.0, "end": 1.0}, …],
      "messages": [{"task": "101", "source": 0, "destination": 1, "words": 1,
                    "hops": [{"link": 0, "start": 1.0, "end": 2.0}]}, …]
    }

Times are in the computer's unit. Tasks are known by name. The file describes the tasks but does not
hold their program, so reading needs the graph, whose tasks must be those of the file: the same
names, operations, words and precedence. Labels, and ``measures``, are for other programs and are
not read. A plan that breaks a rule can be written and read like any other.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from phalanx.errors import InvalidInput, ReadError, UnknownName, shown
from phalanx.files import naming_file, read_text
from phalanx.kernel.graph.operations import Operations
from phalanx.multiprocessor.computers.computer import Computer
from phalanx.multiprocessor.computers.computer_file import computer_from_data, computer_to_data
from phalanx.multiprocessor.computers.placement import Hop, Message, Placement
from phalanx.multiprocessor.json_fields import Fields
from phalanx.multiprocessor.tasks.task_graph import Task, TaskGraph

if TYPE_CHECKING:
    from phalanx.multiprocessor.plans.schedule import Schedule

FORMAT = "phalanx schedule"
VERSION = 1
LARGEST_FILE = 256 * 2**20


def write_schedule(plan: Schedule, path: Path) -> None:
    """Write a plan; an existing file is replaced.

    Raises:
        InvalidInput: When nothing can be written there.
    """
    text = _layout(schedule_to_data(plan)) + "\n"
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"cannot write {path}: {error.strerror}.") from None


def schedule_to_data(plan: Schedule) -> dict[str, Any]:
    """A plan as JSON values."""
    names = [task.name for task in plan.graph.tasks]
    return {
        "format": FORMAT,
        "version": VERSION,
        "graph": {
            "name": plan.graph.name,
            "tasks": [
                _task_to_data(task, [names[p] for p in before])
                for task, before in zip(plan.graph.tasks, plan.graph.predecessors, strict=True)
            ],
        },
        "computer": computer_to_data(plan.computer),
        "policy": plan.policy,
        "bound": plan.bound,
        "measures": measures(plan),
        "placements": [p._asdict() | {"task": names[p.task]} for p in plan.placements],
        "messages": [
            m._asdict() | {"task": names[m.task], "hops": [hop._asdict() for hop in m.hops]}
            for m in plan.messages
        ],
    }


def measures(plan: Schedule) -> dict[str, float]:
    """What a plan is worth, in numbers."""
    return {
        "makespan": plan.makespan,
        "serial_time": plan.serial_time,
        "speedup": plan.speedup,
        "efficiency": plan.efficiency,
        "utilization": plan.utilization,
        "idle": plan.idle,
        "messages": len(plan.messages),
        "words_sent": plan.words_sent,
    }


def read_schedule(path: Path, graph: TaskGraph, make: Callable[..., Schedule]) -> Schedule:
    """The plan in a file, for the graph it was made for.

    Args:
        path: The file.
        graph: The tasks.
        make: From the attributes of a ``Schedule`` to one.

    Raises:
        ReadError: When the file cannot be read, or is not of this graph; it names the offender.
    """
    top = Fields.of(_json(path), path.name)
    if top.values.get("format") != FORMAT:
        raise ReadError(f"{path.name} is not a plan: its 'format' is not '{FORMAT}'.")
    if top.count("version") != VERSION:
        raise ReadError(
            f"{path.name} has version {top.count('version')}; this program reads {VERSION}."
        )
    _check_graph(top.object("graph"), graph)
    computer = computer_from_data(top.object("computer"))
    return make(
        graph,
        computer,
        tuple(_placement(row, graph, computer) for row in top.objects("placements", "placement")),
        tuple(_messages(top, graph, computer)),
        top.text("policy"),
        None if top.is_null("bound") else top.number("bound"),
    )


def _layout(value: Any, margin: str = "") -> str:
    """JSON with a line for every row of a table, for people and tools that compare lines."""
    inner = margin + "  "
    if isinstance(value, dict) and any(isinstance(part, dict | list) for part in value.values()):
        parts = [f"{json.dumps(key)}: {_layout(part, inner)}" for key, part in value.items()]
        return "{\n" + ",\n".join(inner + part for part in parts) + f"\n{margin}}}"
    if isinstance(value, list) and value and isinstance(value[0], dict):
        rows = ",\n".join(inner + json.dumps(row, allow_nan=False) for row in value)
        return f"[\n{rows}\n{margin}]"
    return json.dumps(value, allow_nan=False)


def _json(path: Path) -> Any:
    with naming_file(path):
        text = read_text(path, LARGEST_FILE)
    try:
        return json.loads(text, object_pairs_hook=_object)
    except RecursionError:
        raise ReadError(f"{path.name} is nested too deeply to be a plan.") from None
    except ValueError as error:
        raise ReadError(f"{path.name} is not JSON: {error}.") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise ValueError(f"the key {shown(twice)} comes twice in one object")
    return made


def _task_to_data(task: Task, waits_for: list[str]) -> dict[str, Any]:
    return {
        "name": task.name,
        "label": task.label,
        "link": task.link,
        "operations": _counts(task.operations),
        "words": task.words,
        "waits_for": waits_for,
    }


@lru_cache(maxsize=4096)  # tasks are many, their kinds few
def _counts(operations: Operations) -> dict[str, int]:
    return {kind: count for kind, count in asdict(operations).items() if count}


def _check_graph(data: Fields, graph: TaskGraph) -> None:
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


def _task_number(row: Fields, graph: TaskGraph) -> int:
    name = row.text("task")
    if name not in graph.numbers:
        own = f"task graph '{graph.name}'"
        raise ReadError(f"{row.place}: {UnknownName(own, 'task', name, graph.numbers)}")
    return graph.numbers[name]


def _placement(row: Fields, graph: TaskGraph, computer: Computer) -> Placement:
    return Placement(
        _task_number(row, graph),
        row.count("processor", below=computer.processors),
        row.number("start"),
        row.number("end"),
    )


def _messages(top: Fields, graph: TaskGraph, computer: Computer) -> Iterator[Message]:
    for row in top.objects("messages", "message"):
        if not computer.wires:
            raise ReadError(f"{row.place}: a {computer.name} has no wires, so no messages.")
        yield _message(row, graph, computer)


def _message(row: Fields, graph: TaskGraph, computer: Computer) -> Message:
    hops = tuple(
        Hop(hop.count("link", below=computer.wires), hop.number("start"), hop.number("end"))
        for hop in row.objects("hops", "hop")
    )
    if not hops:
        row.wrong("hops", "at least one hop")
    return Message(
        _task_number(row, graph),
        row.count("source", below=computer.processors),
        row.count("destination", below=computer.processors),
        row.count("words"),
        hops,
    )
