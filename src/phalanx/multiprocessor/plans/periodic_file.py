"""Repeated plans as JSON files: the plan (see ``schedule_file``), its interval and buffers.

::

    "periodic": {
      "interval": 4.0,
      "buffers": [{"task": "101", "processor": 0, "destination": 0, "words": 1, "depth": 2}, …]
    }

``buffers`` is null when they are as deep as the plan needs them. ``measures`` has ``latency``,
``fill``, ``drain`` and ``throughput`` too.
"""

from __future__ import annotations

from pathlib import Path

from phalanx.base.errors import ReadError
from phalanx.base.json_fields import Fields
from phalanx.base.json_file import write_json
from phalanx.multiprocessor.plans.buffers import Buffer
from phalanx.multiprocessor.plans.schedule import Schedule
from phalanx.multiprocessor.plans.schedule_file import (
    REPEATED,
    plan_from_data,
    read_plan,
    schedule_to_data,
)
from phalanx.multiprocessor.tasks.task_graph import TaskGraph

Repeated = tuple[Schedule, float, tuple[Buffer, ...] | None]  # plan, interval, buffers


def write_periodic(repeated: Repeated, measures: dict[str, float], path: Path) -> None:
    """Write a repeated plan; an existing file is replaced.

    Raises:
        InvalidInput: When nothing can be written there.
    """
    plan, interval, buffers = repeated
    data = schedule_to_data(plan)
    data["version"] = max(REPEATED, data["version"])
    data["measures"] |= measures
    rows = None if buffers is None else [buffer._asdict() for buffer in buffers]
    write_json(path, data | {"periodic": {"interval": interval, "buffers": rows}})


def read_periodic(path: Path, graph: TaskGraph) -> Repeated:
    """The repeated plan in a file, for the graph it was made for.

    Raises:
        ReadError: When the file cannot be read, or is not of this graph; it names the offender.
    """
    top = read_plan(path)
    if top.is_null("periodic"):
        raise ReadError(f"{path.name} has a plan that is not repeated; Schedule.load reads it.")
    periodic = top.object("periodic")
    plan = plan_from_data(top, graph, Schedule)
    buffers = None
    if not periodic.is_null("buffers"):
        buffers = tuple(_buffer(row, plan) for row in periodic.objects("buffers", "buffer"))
    return plan, periodic.number("interval"), buffers


def _buffer(row: Fields, plan: Schedule) -> Buffer:
    return Buffer(
        row.text("task"),
        row.count("processor", below=plan.computer.processors),
        row.count("destination", below=plan.computer.processors),
        row.count("words"),
        row.count("depth"),
    )
