"""Space-time data of a repeated plan: processors and wires as sites, tasks and messages as work.

Operators that are called ``node · part`` are parts of that node. Numbers are those of the plan as
it is executed: of a sample whose values are lost, they are lost here too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from phalanx.base.errors import InvalidInput, UnknownName, shown
from phalanx.multiprocessor.plans.buffers import stays
from phalanx.multiprocessor.plans.periodic_execution import execute_nodes
from phalanx.multiprocessor.plans.schedule import Schedule
from phalanx.multiprocessor.plans.space_time import (
    Site,
    SiteEvent,
    SiteStore,
    SiteWork,
    SpaceTime,
    Waiting,
)
from phalanx.multiprocessor.plans.task_values import quantities

if TYPE_CHECKING:
    from phalanx.multiprocessor.plans.periodic import Periodic

SETS = 8  # as many as there are colours
VALUED = 4  # samples whose numbers are kept
PART = " · "  # between the name of a node and that of its part

Position = tuple[float, float]


def of_periodic(
    periodic: Periodic,
    sets: int | None = None,
    inputs: Sequence[Any] | None = None,
    positions: Mapping[str, Position] | None = None,
) -> SpaceTime:
    """The first samples of a repeated plan (see ``Periodic.space_time``)."""
    count = _set_count(periodic.plan, sets, inputs)
    plan, begins = periodic.plan, [k * periodic.interval for k in range(count)]
    slots, works = quantities(plan.graph)
    wires = sorted({hop.link for message in plan.messages for hop in message.hops})
    sent = [SiteWork(f"{works[m.task].name} → {m.destination}", "message") for m in plan.messages]
    stores, waiting = _stores(periodic, begins)
    return SpaceTime(
        name=f"{plan.graph.name} · {plan.computer.processors} × {plan.computer.name}",
        unit=plan.computer.unit,
        sites=_sites(plan, wires, positions),
        works=(*works, *sent),
        events=tuple(_events(plan, wires, begins)),
        stores=stores,
        waiting=waiting,
        links=_links(plan),
        numbers=_numbers(periodic, count, inputs, slots),
        facts=_facts(periodic, count),
        broken=tuple(violation.text for violation in periodic.violations),
    )


def _set_count(plan: Schedule, sets: int | None, inputs: Sequence[Any] | None) -> int:
    if inputs is not None and plan.graph.program is None:
        raise InvalidInput(
            f"task graph '{plan.graph.name}' has costs but no program, so there are no inputs."
        )
    lengths = [len(np.atleast_1d(np.asarray(array))) for array in inputs or ()]
    count = next(number for number in (sets, *lengths, SETS) if number is not None)
    if not isinstance(count, int | np.integer) or count < 1:
        raise InvalidInput(
            f"an array that works on {shown(count)} sets; expected a whole number, at least one."
        )
    for length in lengths:
        if length != count:
            raise InvalidInput(
                f"inputs of {length} sets for {count} sets; the first axis of each input counts "
                "sets."
            )
    return int(count)


def _sites(
    plan: Schedule, wires: Sequence[int], positions: Mapping[str, Position] | None
) -> tuple[Site, ...]:
    names = [plan.computer.processor_name(p) for p in range(plan.computer.processors)]
    groups = [name.partition(PART)[0] if PART in name else "" for name in names]
    if positions is None:
        places = _rows([group or name for group, name in zip(groups, names, strict=True)])
    else:
        known = {*groups, *names} - {""}
        for name in positions:
            if name not in known:
                raise UnknownName(f"'{plan.computer.name}'", "node", name, sorted(known))
        places = dict(positions)
    own = [
        Site(name, group, places.get(name, places.get(group)))
        for name, group in zip(names, groups, strict=True)
    ]
    return (*own, *(Site(f"wire {wire}", "wires") for wire in wires))


def _rows(nodes: Sequence[str]) -> dict[str, Position]:
    """``outward 3`` is the third of the row ``outward``; rows in the order in which they come."""
    rows: dict[str, int] = {}
    places = {}
    for node in dict.fromkeys(nodes):
        found = re.fullmatch(r"(.*\D)(\d+)", node)
        row, column = (found[1], int(found[2])) if found else (node, 0)
        places[node] = float(column), float(rows.setdefault(row, len(rows)))
    return places


def _events(plan: Schedule, wires: Sequence[int], begins: Sequence[float]) -> Iterator[SiteEvent]:
    processors, tasks = plan.computer.processors, len(plan.graph)
    site_of = {wire: processors + k for k, wire in enumerate(wires)}
    for k, begin in enumerate(begins):
        for placed, free in zip(plan.placements, plan.released, strict=True):
            task, processor, start, end = placed
            if 0 <= processor < processors:
                until = free + begin if free < end else None
                yield SiteEvent(processor, task, k, start + begin, end + begin, until)
        for number, message in enumerate(plan.messages):
            for hop in message.hops:
                site = site_of[hop.link]
                yield SiteEvent(site, tasks + number, k, hop.start + begin, hop.end + begin)


def _stores(
    periodic: Periodic, begins: Sequence[float]
) -> tuple[tuple[SiteStore, ...], tuple[Waiting, ...]]:
    """Buffers, and what waits in them as planned; what is read as it comes waits nowhere."""
    plan = periodic.plan
    depths = {buffer[:3]: buffer.depth for buffer in periodic.buffers_there}
    stores: list[SiteStore] = []
    waiting: list[Waiting] = []
    for (task, where, to), stay in stays(plan).items():
        name, words = plan.graph.tasks[task].name, plan.graph.tasks[task].words
        depth = depths.get((name, where, to), 0)
        if depth or stay.depth(periodic.interval):
            for k, begin in enumerate(begins):
                moments = stay.arrival + begin, stay.last_read + begin
                if moments[0] <= moments[1]:
                    waiting.append(Waiting(len(stores), k, *moments))
            stores.append(SiteStore(name, where, words, depth))
    return tuple(stores), tuple(waiting)


def _links(plan: Schedule) -> tuple[tuple[int, int], ...]:
    """Who hands on to whom."""
    where = {p.task: p.processor for p in plan.placements}
    pairs = {
        (where[source], where[task])
        for task, before in enumerate(plan.graph.predecessors)
        for source in before
        if source in where and task in where and where[source] != where[task]
    }
    return tuple(sorted(pairs))


def _numbers(
    periodic: Periodic, count: int, inputs: Sequence[Any] | None, slots: Iterable[int]
) -> dict[int, NDArray[np.float64]]:
    """For the first samples the numbers of the nodes that have slots, from an execution."""
    program = periodic.plan.graph.program
    if program is None:
        return {}
    if inputs is None:
        draws = np.random.default_rng(0)
        inputs = [draws.uniform(-1.0, 1.0, (count, *port.shape)) for port in program.inputs]
    if not periodic.violations:  # then later samples change nothing of the first ones
        inputs = [np.asarray(array)[:VALUED] for array in inputs]
    there = periodic.buffers_there
    rows = execute_nodes(periodic.plan, periodic.interval, there, inputs, slots)
    return dict(enumerate(rows[:VALUED]))


def _facts(periodic: Periodic, sets: int) -> dict[str, str | float]:
    computer, busy = periodic.plan.computer, periodic.utilization.values()
    return {
        "latency": periodic.latency,
        "a set every": periodic.interval,
        "sets": f"{sets}",
        "time for these": periodic.time(sets),
        "sets at a time": f"{periodic.sets_at_a_time}",
        "operators" if computer.has_operators else f"{computer.row_kind}s": f"{len(busy):,}",
        "utilisation when full": f"{100 * sum(busy) / max(1, len(busy)):.3g} %",
        "tasks a set": f"{len(periodic.plan.graph):,}",
        "numbers in buffers": f"{periodic.words_stored:,}",
    }
