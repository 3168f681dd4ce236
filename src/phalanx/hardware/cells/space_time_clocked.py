"""Space-time diagram of clocked cells: a cell is a site, a tick's work belongs to a sample.

A cell that acts first in tick f and then every e ticks works on sample k in tick f + k e. What
shifts through registers on a wire of several ticks waits there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.multiprocessor.plans.space_time import (
    Site,
    SiteData,
    SiteEvent,
    SiteStore,
    SiteWork,
    SpaceTime,
    Waiting,
)

if TYPE_CHECKING:
    from phalanx.hardware.cells.cell import Act
    from phalanx.hardware.cells.clocked import ClockedCells

Position = tuple[float, float]


def of_clocked(
    array: ClockedCells,
    ticks: int | None = None,
    positions: Mapping[str, Position] | None = None,
    groups: Mapping[str, str] | None = None,
    **streams: Any,
) -> SpaceTime:
    """A run of clocked cells (see ``ClockedCells.space_time``)."""
    names = [cell.name for cell in array.cells]
    for name in (*(positions or {}), *(groups or {})):
        if name not in names:
            raise UnknownName(f"'{array.name}'", "cell", name, names)
    sites = tuple(
        Site(name, (groups or {}).get(name, ""), (positions or {}).get(name)) for name in names
    )
    works, width = _works(array)
    events, numbers, count = [], dict[int, NDArray[np.float64]](), 0
    for tick, acts in enumerate(array.trace(ticks, **streams)):
        count = tick + 1
        for number, cell in enumerate(array.cells):
            if cell.name in acts:
                k = (tick - cell.first) // cell.every
                events.append(SiteEvent(number, number, k, float(tick), tick + 1.0))
                row = numbers.setdefault(k, np.full(width, np.nan))
                _note(row, works[number], acts[cell.name])
    if not events:
        raise InvalidInput(f"'{array.name}' does nothing in {count} ticks; give it more of them.")
    stores, waiting = _stores(array, names, count)
    return SpaceTime(
        name=array.name,
        unit="ticks",
        sites=sites,
        works=works,
        events=tuple(events),
        stores=stores,
        waiting=waiting,
        links=tuple(
            sorted({(_site(names, w.register), _site(names, w.port)) for w in array.wires})
        ),
        numbers=dict(sorted(numbers.items())),
        facts={
            "cells": f"{len(names):,}",
            "wires": f"{len(array.wires):,}",
            "ticks": f"{count:,}",
            "sets": f"{len(numbers):,}",
        },
        broken=tuple(violation.text for violation in array.violations),
    )


def _works(array: ClockedCells) -> tuple[tuple[SiteWork, ...], int]:
    """What each cell reads and writes, with slots of its own, and how many slots there are."""
    works, width = [], 0
    for cell in array.cells:
        parts: list[list[SiteData]] = []
        for side in (cell.ports, cell.registers):
            parts.append([])
            for name, port in side.items():
                parts[-1].append(SiteData(name, tuple(range(width, width + port.size))))
                width += port.size
        works.append(SiteWork(cell.name, cell.program.name, "", tuple(parts[0]), tuple(parts[1])))
    return tuple(works), width


def _note(row: NDArray[np.float64], work: SiteWork, act: Act) -> None:
    """Put what was read and written into its slots."""
    for quantities, values in ((work.reads, act.read), (work.writes, act.written)):
        for quantity in quantities:
            row[list(quantity.slots)] = values[quantity.name]


def _stores(
    array: ClockedCells, names: list[str], ticks: int
) -> tuple[tuple[SiteStore, ...], tuple[Waiting, ...]]:
    """Registers on wires that take more than a tick: written in tick t, read ``ticks`` later."""
    stores: list[SiteStore] = []
    waiting: list[Waiting] = []
    for wire in array.wires:
        if wire.ticks == 1:
            continue
        cell = array.cells[_site(names, wire.register)]
        words = cell.registers[wire.register.partition(".")[2]].size
        for tick in filter(cell.acts, range(cell.first, ticks, cell.every)):
            end = min(tick + wire.ticks, ticks)
            if tick + 1 < end:
                k = (tick - cell.first) // cell.every
                waiting.append(Waiting(len(stores), k, tick + 1.0, float(end)))
        name = f"{wire.register} to {wire.port}"
        stores.append(SiteStore(name, _site(names, wire.port), words, wire.ticks - 1))
    return tuple(stores), tuple(waiting)


def _site(names: list[str], place: str) -> int:
    return names.index(place.partition(".")[0])
