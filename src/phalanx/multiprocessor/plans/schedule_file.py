"""Schedules as JSON files.

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

Version 2 adds what only some plans have: the ``"kind"`` of a task, the ``"taps"`` of a message (a
list of processors), operators among the speeds of a computer, wires on which all can listen,
messages that take time of processors (``"overhead"``, ``"blocking"``), and how a plan is repeated
(see ``periodic_file``). Version 3 adds initiation intervals of pipelined processors (see
``computer_file``). What has none of these is written as version 1, for programs that know only
that; what has some of them, as the lowest version that knows them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from phalanx.base.errors import ReadError, UnknownName
from phalanx.base.json_fields import Fields
from phalanx.base.json_file import read_json, write_json
from phalanx.multiprocessor.computers.computer import Computer
from phalanx.multiprocessor.computers.computer_file import computer_from_data, computer_to_data
from phalanx.multiprocessor.computers.placement import Hop, Message, Placement
from phalanx.multiprocessor.plans.graph_file import check_graph, graph_to_data
from phalanx.multiprocessor.tasks.task_graph import TaskGraph

if TYPE_CHECKING:
    from phalanx.multiprocessor.plans.schedule import Schedule

FORMAT = "phalanx schedule"
VERSIONS = PLAIN, REPEATED, PIPELINED = 1, 2, 3
LARGEST_FILE = 256 * 2**20


def write_schedule(plan: Schedule, path: Path) -> None:
    """Write a plan; an existing file is replaced.

    Raises:
        InvalidInput: When nothing can be written there.
    """
    write_json(path, schedule_to_data(plan))


def schedule_to_data(plan: Schedule) -> dict[str, Any]:
    """A plan as JSON values."""
    names = [task.name for task in plan.graph.tasks]
    return {
        "format": FORMAT,
        "version": _version(plan),
        "graph": graph_to_data(plan.graph),
        "computer": computer_to_data(plan.computer),
        "policy": plan.policy,
        "bound": plan.bound,
        "measures": plan.measures,
        "placements": [p._asdict() | {"task": names[p.task]} for p in plan.placements],
        "messages": [_message_to_data(message, names[message.task]) for message in plan.messages],
    }


def _version(plan: Schedule) -> int:
    """The lowest version that knows all that is in a plan."""
    if plan.computer.is_pipelined:
        return PIPELINED
    newer = (
        any(task.kind for task in plan.graph.tasks)
        or any(message.taps for message in plan.messages)
        or plan.computer.has_operators
        or any(plan.computer.listeners(wire) for wire in range(plan.computer.wires))
        or plan.computer.holds_processors
    )
    return REPEATED if newer else PLAIN


def _message_to_data(message: Message, task: str) -> dict[str, Any]:
    data = message._asdict() | {"task": task, "hops": [hop._asdict() for hop in message.hops]}
    taps = data.pop("taps")
    return data | {"taps": list(taps)} if taps else data


def read_schedule(path: Path, graph: TaskGraph, make: Callable[..., Schedule]) -> Schedule:
    """The plan in a file, for the graph it was made for.

    Args:
        path: The file.
        graph: The tasks.
        make: From the attributes of a ``Schedule`` to one.

    Raises:
        ReadError: When the file cannot be read, or is not of this graph; it names the offender.
    """
    top = read_plan(path)
    if not top.is_null("periodic"):
        raise ReadError(f"{path.name} has a plan that is repeated; Periodic.load reads it.")
    return plan_from_data(top, graph, make)


def read_plan(path: Path) -> Fields:
    """Read the contents of a plan's file.

    Raises:
        ReadError: When it is no such file, or of a version to come.
    """
    top = read_json(path, largest=LARGEST_FILE, expected="a plan")
    if top.values.get("format") != FORMAT:
        raise ReadError(f"{path.name} is not a plan: its 'format' is not '{FORMAT}'.")
    if top.count("version") not in VERSIONS:
        raise ReadError(
            f"{path.name} has version {top.count('version')}; this program reads {VERSIONS[0]} to "
            f"{VERSIONS[-1]}."
        )
    return top


def plan_from_data(top: Fields, graph: TaskGraph, make: Callable[..., Schedule]) -> Schedule:
    """A plan from JSON values (see ``read_schedule``)."""
    check_graph(top.object("graph"), graph)
    computer = computer_from_data(top.object("computer"))
    return make(
        graph,
        computer,
        tuple(_placement(row, graph, computer) for row in top.objects("placements", "placement")),
        tuple(_messages(top, graph, computer)),
        top.text("policy"),
        None if top.is_null("bound") else top.number("bound"),
    )


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
        if not computer.is_wired:
            raise ReadError(f"{row.place}: a {computer.name} has no wires, so no messages.")
        yield _message(row, graph, computer)


def _message(row: Fields, graph: TaskGraph, computer: Computer) -> Message:
    hops = tuple(
        Hop(hop.count("link", below=computer.wires), hop.number("start"), hop.number("end"))
        for hop in row.objects("hops", "hop")
    )
    if not hops:
        row.wrong("hops", "at least one hop")
    taps = () if row.is_null("taps") else tuple(row.items("taps"))
    if not all(type(p) is int and 0 <= p < computer.processors for p in taps):
        row.wrong("taps", f"processors from 0 to {computer.processors - 1}")
    return Message(
        _task_number(row, graph),
        row.count("source", below=computer.processors),
        row.count("destination", below=computer.processors),
        row.count("words"),
        hops,
        taps,
    )
