"""Space-time data of one plan: kinds of tasks in colours, messages on their links.

What arrays show as samples are kinds of tasks here, in the order in which the plan comes to them. A
wire between two processors is a road between their boxes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.multiprocessor.plans.held_time import holds
from phalanx.multiprocessor.plans.schedule import Schedule
from phalanx.multiprocessor.plans.space_time import Site, SiteData, SiteEvent, SiteWork, SpaceTime
from phalanx.multiprocessor.plans.task_values import quantities

Position = tuple[float, float]
WIRES = "links"


def plan_at_work(
    plan: Schedule,
    inputs: Sequence[Any] | None = None,
    positions: Mapping[str, Position] | None = None,
) -> SpaceTime:
    """A plan as pictures of arrays know it: ``plan_at_work(plan).draw("plan.html")``.

    Args:
        plan: The plan.
        inputs: As ``Schedule.execute`` takes them, for the numbers on the page; none without.
        positions: Where processors are drawn, to the right and down, by name; in a row when not
            given.

    Raises:
        InvalidInput: There are inputs, but the graph has no program.
        UnknownName: A position is of no processor.
    """
    if inputs is not None and plan.graph.program is None:
        raise InvalidInput(
            f"task graph '{plan.graph.name}' has costs but no program, so there are no inputs."
        )
    computer = plan.computer
    names = [computer.processor_name(p) for p in range(computer.processors)]
    for name in positions or {}:
        if name not in names:
            raise UnknownName(f"'{computer.name}'", "processor", name, names)
    where = positions or {name: (float(p), 0.0) for p, name in enumerate(names)}
    slots, works = quantities(plan.graph)
    wires = sorted({hop.link for message in plan.messages for hop in message.hops})
    kinds = _kinds(plan)
    sites = tuple(Site(name, "", where.get(name)) for name in names)
    return SpaceTime(
        name=f"{plan.graph.name} · {computer.processors} × {computer.name}",
        unit=computer.unit,
        sites=(*sites, *(_road(plan, wire, names) for wire in wires)),
        works=(*works, *_sent(plan, works, names)),
        events=tuple(_events(plan, wires, kinds)),
        links=tuple(sorted({(m.source, m.destination) for m in plan.messages})),
        numbers=_numbers(plan, inputs, slots, len(kinds)),
        facts=_facts(plan),
        broken=tuple(violation.text for violation in plan.violations),
        set_names=tuple(kind or "tasks" for kind in kinds),
    )


def _kinds(plan: Schedule) -> dict[str, int]:
    """Kinds of tasks, as the plan comes to them."""
    tasks = plan.graph.tasks
    first = dict.fromkeys(
        tasks[p.task].kind for p in sorted(plan.placements, key=lambda p: p.start)
    )
    return {kind: number for number, kind in enumerate(first)}


def _road(plan: Schedule, wire: int, names: Sequence[str]) -> Site:
    """A wire: a road between two processors, or a line that many share."""
    joined = plan.computer.attached(wire)
    if len(joined) == 2:
        one, other = joined
        return Site(f"{names[one]} → {names[other]}, wire {wire}", WIRES, ends=(one, other))
    return Site(f"bus {wire} of {names[joined[0]]} to {names[joined[-1]]}", WIRES)


def _sent(plan: Schedule, works: Sequence[SiteWork], names: Sequence[str]) -> Iterator[SiteWork]:
    for message in plan.messages:
        task = works[message.task]
        there = ", ".join(names[p] for p in (*message.taps, message.destination))
        label = f"{task.label}, from {names[message.source]} to {there}"
        written: tuple[SiteData, ...] = task.writes
        yield SiteWork(task.name, label, "message", writes=written)


def _events(plan: Schedule, wires: Sequence[int], kinds: Mapping[str, int]) -> Iterator[SiteEvent]:
    processors, tasks = plan.computer.processors, plan.graph.tasks
    site_of = {wire: processors + k for k, wire in enumerate(wires)}
    for (task, processor, start, end), free in zip(plan.placements, plan.released, strict=True):
        if 0 <= processor < processors:
            until = free if free < end else None
            yield SiteEvent(processor, task, kinds[tasks[task].kind], start, end, until)
    for number, message in enumerate(plan.messages):
        kind = kinds[tasks[message.task].kind]
        for hop in message.hops:
            yield SiteEvent(site_of[hop.link], len(tasks) + number, kind, hop.start, hop.end)
    for hold in holds(plan.computer, plan.messages):
        kind = kinds[tasks[hold.task].kind]
        work = len(tasks) + hold.message
        yield SiteEvent(hold.processor, work, kind, hold.start, hold.end)


def _numbers(
    plan: Schedule, inputs: Sequence[Any] | None, slots: Mapping[int, int], count: int
) -> dict[int, NDArray[np.float64]]:
    """The numbers of one execution, for every kind the same."""
    if inputs is None:
        return {}
    values = plan.settled.values(inputs)
    row = np.full(len(slots), np.nan)
    for node, slot in slots.items():
        row[slot] = values.get(node, np.nan)
    return dict.fromkeys(range(count), row)


def _facts(plan: Schedule) -> dict[str, str | float]:
    return {
        "time": plan.makespan,
        "on one processor": plan.serial_time,
        "speed-up": f"{plan.speedup:.3g}",
        "processors": f"{plan.computer.processors:,}",
        "at work": f"{100 * plan.utilization:.3g} %",
        "tasks": f"{len(plan.graph):,}",
        "messages": f"{len(plan.messages):,}",
        "numbers sent": f"{plan.words_sent:,}",
    }
