"""Wiring rules of clocked cells: missing sources, reads of nothing."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from phalanx.hardware.cells.cell import Cell, Wire
from phalanx.multiprocessor.computers.placement import Violation


def ports_without_one_source(
    cells: Sequence[Cell], wires: Sequence[Wire], inputs: Mapping[str, Sequence[str]]
) -> Iterator[Violation]:
    """Ports to which no wire leads, and no stream, or more than one."""
    sources: dict[str, list[str]] = {port: [] for cell in cells for port in cell.port_names}
    for wire in wires:
        sources[wire.port].append(wire.register)
    for stream, ports in inputs.items():
        for port in ports:
            sources[port].append(f"stream {stream}")
    for port, found in sources.items():
        cell = port.partition(".")[0]
        if not found:
            yield Violation("port", (cell,), f"{port} reads nothing: no wire leads to it.")
        if len(found) > 1:
            text = f"{port} reads {' and '.join(found)} at a time; a port has one source."
            yield Violation("port", (cell,), text)


def reads_at_a_wrong_tick(cells: Sequence[Cell], wires: Sequence[Wire]) -> Iterator[Violation]:
    """The first read of each wire that finds nothing written for it."""
    by_name = {cell.name: cell for cell in cells}
    for wire in wires:
        name, _, register = wire.register.partition(".")
        writer, reader = by_name[name], by_name[wire.port.partition(".")[0]]
        for tick in _telling_ticks(writer, reader, wire):
            written = tick - wire.ticks
            if writer.acts(written):
                continue
            if written < writer.first and register in writer.initial:
                continue
            often = "" if writer.times is None else f", {writer.times} times"
            text = (
                f"{wire.port} reads in tick {tick} what {wire.register} was to get in tick "
                f"{written}, when {writer.name} does not act (first in tick {writer.first}, "
                f"every {writer.every}{often})."
            )
            yield Violation("tick", (writer.name, reader.name), text)
            break


def _telling_ticks(writer: Cell, reader: Cell, wire: Wire) -> list[int]:
    """Ticks in which a reader finds nothing, if it ever does.

    Cells repeat what they do, so two rounds after the last has begun show all there is, but for a
    writer that stops before its reader.
    """
    rounds = 2 * math.lcm(writer.every, reader.every)
    end = max(writer.first + wire.ticks, reader.first) + rounds
    ticks = [tick for tick in range(reader.first, end, reader.every) if tick <= reader.last]
    if reader.times is not None:
        return [*ticks, int(reader.last)]
    if writer.times is None:
        return ticks
    too_late = max(int(writer.last) + wire.ticks + 1, reader.first)
    return [*ticks, next(t for t in range(too_late, too_late + reader.every) if reader.acts(t))]
