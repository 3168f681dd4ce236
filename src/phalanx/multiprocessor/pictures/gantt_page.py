"""Gantt chart of a plan as a self-contained web page: zoom, search, dependencies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from phalanx.multiprocessor.computers.placement import Message, Placement
from phalanx.multiprocessor.pictures.captions import TimeAxis, time_axis, title
from phalanx.multiprocessor.pictures.colouring import Colouring, colouring, operations_in_words
from phalanx.multiprocessor.pictures.web_page import WebPage, short
from phalanx.multiprocessor.plans.critical_path import critical_path
from phalanx.multiprocessor.plans.held_time import holds
from phalanx.multiprocessor.plans.schedule import Schedule

_PAGE = WebPage(
    body="gantt.html",
    styles=("gantt.css",),
    scripts=(
        "paper.js",
        "plan.js",
        "timeline.js",
        "drawing.js",
        "texts.js",
        "pointer.js",
        "input.js",
    ),
    wrong="This plan cannot be carried out",
)


def write_page(plan: Schedule, path: Path, color_by: str | None = None) -> None:
    """Write the page (see ``Schedule.gantt``)."""
    path.write_text(page(plan, color_by), encoding="utf-8")


def page(plan: Schedule, color_by: str | None = None) -> str:
    """The page as text."""
    axis = time_axis(plan.computer.unit, plan.makespan)
    broken = [violation.text for violation in plan.violations]
    return _PAGE.text(title(plan), _facts(plan, axis), broken, _data(plan, axis, color_by))


def _facts(plan: Schedule, axis: TimeAxis) -> dict[str, str]:
    """What the plan is worth."""
    path = critical_path(plan.graph, plan.computer).length
    entries = {
        "makespan": axis.shown(plan.makespan),
        "speed-up": f"{plan.speedup:.3g}",
        "efficiency": f"{100 * plan.efficiency:.3g} %",
        "utilisation": f"{100 * plan.utilization:.3g} %",
        "idle": axis.shown(plan.idle),
        "critical path": axis.shown(path),
        "tasks": f"{len(plan.graph):,}",
        "operations": f"{plan.graph.operations.total:,}",
        "messages": f"{len(plan.messages):,}",
    }
    if plan.bound is not None:
        proven = " (proven shortest)" if plan.is_proven_shortest else ""
        entries["no plan is shorter than"] = axis.shown(plan.bound) + proven
    return entries


def _data(plan: Schedule, axis: TimeAxis, color_by: str | None) -> dict[str, Any]:
    """What the scripts draw; times in the unit of the axis."""
    graph = plan.graph
    links, kinds = colouring(graph, "link"), colouring(graph, "kind")
    there = range(plan.computer.processors)
    pairs = zip(plan.placements, plan.released, strict=True)
    on_machine = [(p, free) for p, free in pairs if p.processor in there]

    def shown(time: float) -> float:
        return short(time / axis.length)

    def bar(p: Placement, free: float) -> list[float]:
        """Task, row, start and end, and when a pipelined processor is free before that."""
        row = [p.task, p.processor, shown(p.start), shown(p.end)]
        return [*row, shown(free)] if free < p.end else row

    operators = [plan.computer.processor_name(p) for p in there]
    return ({"row_names": operators} if plan.computer.has_operators else {}) | {
        "unit": axis.unit,
        "makespan": shown(plan.makespan),
        "processors": plan.computer.processors,
        "row_kind": plan.computer.row_kind,
        "color_by": colouring(graph, color_by).way,
        "links": _legend(links),
        "kinds": _legend(kinds),
        "tasks": {
            "name": [task.name for task in graph.tasks],
            "label": [task.label for task in graph.tasks],
            "link_name": [task.link for task in graph.tasks],
            "link": links.group_of,
            "kind": kinds.group_of,
            "operations": [operations_in_words(task.operations) for task in graph.tasks],
            "before": graph.predecessors,
        },
        "critical": critical_path(graph, plan.computer).tasks,
        "wrong": sorted({graph.numbers[name] for v in plan.violations for name in v.tasks}),
        "bars": [bar(p, free) for p, free in on_machine],
        "wires": sorted({hop.link for message in plan.messages for hop in message.hops}),
        "hops": [
            [*_sent(m), hop.link, shown(hop.start), shown(hop.end)]
            for m in plan.messages
            for hop in m.hops
        ],
        "held": [
            [*_sent(plan.messages[h.message]), h.link, h.processor, shown(h.start), shown(h.end)]
            for h in holds(plan.computer, plan.messages)
        ],
    }


def _sent(message: Message) -> tuple[int, int, int, int]:
    """Whose results, from whom to whom, and how many numbers."""
    return message.task, message.source, message.destination, message.words


def _legend(colours: Colouring) -> dict[str, Any]:
    return {"means": colours.means, "groups": colours.groups, "colors": colours.colours}
