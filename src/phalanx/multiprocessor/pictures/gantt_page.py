"""A plan as one web page that needs nothing else: zoom, search, what waits for what.

The page is a template with a style sheet and scripts (folder ``page``); the plan goes in as data.
Texts of the plan are escaped on their way in, and the scripts set them as text only.
"""

from __future__ import annotations

import json
import re
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from phalanx.multiprocessor.pictures.captions import TimeAxis, time_axis, title
from phalanx.multiprocessor.pictures.colouring import Colouring, colouring, operations_in_words
from phalanx.multiprocessor.plans.critical_path import critical_path
from phalanx.multiprocessor.plans.schedule import Schedule

SCRIPTS = ("plan.js", "drawing.js", "texts.js", "input.js")  # each knows the names before it
RULES_SHOWN = 200
DIGITS = 9  # of times: more than any screen resolves


def write_page(plan: Schedule, path: Path, color_by: str | None = None) -> None:
    """Write the page (see ``Schedule.gantt``)."""
    path.write_text(page(plan, color_by), encoding="utf-8")


def page(plan: Schedule, color_by: str | None = None) -> str:
    """The page as text."""
    axis = time_axis(plan.computer.unit, plan.makespan)
    parts = {
        "title": escape(title(plan)),
        "style": _part("gantt.css"),
        "script": _script(),
        "summary": _summary(plan, axis),
        "violations": _violations(plan),
        # inside a script element only "<" could end the data
        "data": json.dumps(_data(plan, axis, color_by), separators=(",", ":")).replace(
            "<", "\\u003c"
        ),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], _part("gantt.html"))


def _script() -> str:
    """All scripts as one function, so that their names are theirs alone."""
    return "\n".join(["'use strict';", "(() => {", *(_part(name) for name in SCRIPTS), "})();"])


def _part(name: str) -> str:
    return (
        files("phalanx.multiprocessor.pictures").joinpath("page", name).read_text(encoding="utf-8")
    )


def _summary(plan: Schedule, axis: TimeAxis) -> str:
    """What the plan is worth, as entries of a description list."""
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
    return "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>"
        for name, value in entries.items()
    )


def _violations(plan: Schedule) -> str:
    """The rules that a wrong plan breaks, to fold out; nothing for a right one."""
    broken = plan.violations
    if not broken:
        return ""
    items = "".join(f"<li>{escape(violation.text)}</li>" for violation in broken[:RULES_SHOWN])
    if len(broken) > RULES_SHOWN:
        items += f"<li>and {len(broken) - RULES_SHOWN} more</li>"
    count = "1 rule is" if len(broken) == 1 else f"{len(broken)} rules are"
    return (
        f'<details class="wrong"><summary>This plan cannot be carried out: {count} broken'
        f"</summary><ul>{items}</ul></details>"
    )


def _data(plan: Schedule, axis: TimeAxis, color_by: str | None) -> dict[str, Any]:
    """What the scripts draw; times in the unit of the axis."""
    graph = plan.graph
    links, kinds = colouring(graph, "link"), colouring(graph, "kind")
    on_machine = [p for p in plan.placements if 0 <= p.processor < plan.computer.processors]

    def shown(time: float) -> float:
        return float(f"{time / axis.length:.{DIGITS}g}")

    processors = range(plan.computer.processors)
    operators = [plan.computer.processor_name(p) for p in processors]
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
        "bars": [[p.task, p.processor, shown(p.start), shown(p.end)] for p in on_machine],
        "wires": sorted({hop.link for message in plan.messages for hop in message.hops}),
        "hops": [
            [m.task, m.source, m.destination, m.words, hop.link, shown(hop.start), shown(hop.end)]
            for m in plan.messages
            for hop in m.hops
        ],
    }


def _legend(colours: Colouring) -> dict[str, Any]:
    return {"groups": colours.groups, "colors": colours.colours}
