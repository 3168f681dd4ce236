"""Simulation of clocked cells, equal cells all at once.

Policy: cells are alike when their programs differ in constants alone; in a tick such cells are one
pass of array operations. All registers lie in one row of numbers; what wires of several ticks bring
is read from rows before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from phalanx.base.cached import cached_property
from phalanx.hardware.cells.cell import Array, Cell, Wire
from phalanx.kernel.graph.graph import LEAVES, Port
from phalanx.multiprocessor.plans.evaluate import evaluate_nodes

Places = NDArray[np.int64]


class Tick(NamedTuple):
    """Values read and written in a tick.

    Attributes:
        read: The numbers at all ports, NaN at those of cells that do not act.
        written: The numbers in all registers at its end.
        acting: Which cells act, by number.
    """

    read: Array
    written: Array
    acting: Places


@dataclass(frozen=True, eq=False)
class ClockedSimulation:
    """An array whose ports have one source each, ready to run.

    Attributes:
        cells: The cells.
        wires: What ports read from registers.
        readers: For each stream from outside the ports that read it.
    """

    cells: tuple[Cell, ...]
    wires: tuple[Wire, ...]
    readers: Mapping[str, tuple[str, ...]]

    @cached_property
    def ports(self) -> dict[str, slice]:
        """Where the numbers of each ``cell.port`` are in a row of what is read."""
        return _slices(
            (f"{c.name}.{name}", p.size) for c in self.cells for name, p in c.ports.items()
        )

    @cached_property
    def registers(self) -> dict[str, slice]:
        """Where the numbers of each ``cell.register`` are in a row of what is written."""
        return _slices(
            (f"{c.name}.{name}", p.size) for c in self.cells for name, p in c.registers.items()
        )

    def ticks(self, streams: Mapping[str, Array], count: int) -> Iterator[Tick]:
        """Tick by tick.

        Args:
            streams: For each input its numbers, shape (ticks, size).
            count: How many ticks.
        """
        firsts = np.array([cell.first for cell in self.cells], dtype=np.int64)
        steps = np.array([cell.every for cell in self.cells], dtype=np.int64)
        lasts = np.array([cell.last for cell in self.cells])
        initially = self._initially
        first_of_register = np.repeat(firsts, [_size(cell.registers) for cell in self.cells])
        by_delay = self._wires_by_delay
        depth = max(by_delay, default=1)
        before = np.tile(initially, (depth, 1))  # the row written in tick t is at t % depth
        entries = [
            (
                streams[name],
                np.concatenate([_range(self.ports[port]) for port in ports]),
                len(ports),
            )
            for name, ports in self.readers.items()
        ]
        ports = _end(self.ports)
        for tick in range(count):
            arriving = np.full(ports, np.nan)
            for delay, (sources, targets) in by_delay.items():
                arriving[targets] = before[(tick - delay) % depth][sources]
            for rows, targets, readers in entries:
                if tick < len(rows):
                    arriving[targets] = np.tile(rows[tick], readers)
            acts = (firsts <= tick) & (tick <= lasts) & ((tick - firsts) % steps == 0)
            read = np.full_like(arriving, np.nan)
            written = np.where(tick < first_of_register, initially, np.nan)
            for kind in self._kinds:
                kind.act(np.flatnonzero(acts[kind.members]), arriving, read, written)
            before[tick % depth] = written
            yield Tick(read, written, np.flatnonzero(acts))

    @cached_property
    def _initially(self) -> Array:
        """What is in registers before their cells have acted; NaN when they are empty."""
        row = np.full(_end(self.registers), np.nan)
        for cell in self.cells:
            for register, number in cell.initial.items():
                row[self.registers[f"{cell.name}.{register}"]] = number
        return row

    @cached_property
    def _wires_by_delay(self) -> dict[int, tuple[Places, Places]]:
        """Places in registers and in ports of all wires of as many ticks."""
        found: dict[int, tuple[list[Places], list[Places]]] = {}
        for wire in self.wires:
            sources, targets = found.setdefault(wire.ticks, ([], []))
            sources.append(_range(self.registers[wire.register]))
            targets.append(_range(self.ports[wire.port]))
        return {
            delay: (np.concatenate(sources), np.concatenate(targets))
            for delay, (sources, targets) in found.items()
        }

    @cached_property
    def _kinds(self) -> tuple[_CellGroup, ...]:
        alike: dict[object, list[int]] = {}
        seen: dict[int, object] = {}  # cells of an array often share one program
        for number, cell in enumerate(self.cells):
            key = seen.setdefault(id(cell.program), _shape(cell))
            alike.setdefault(key, []).append(number)
        return tuple(self._kind(members) for members in alike.values())

    def _kind(self, members: list[int]) -> _CellGroup:
        cells = [self.cells[number] for number in members]
        return _CellGroup(
            cells[0],
            np.array(members, dtype=np.int64),
            np.array([[node.value for node in cell.program.nodes] for cell in cells]),
            np.array([_first_place(cell, cell.ports, self.ports) for cell in cells]),
            np.array([_first_place(cell, cell.registers, self.registers) for cell in cells]),
        )


@dataclass(frozen=True, eq=False)
class _CellGroup:
    """Cells whose programs differ in constants alone.

    Attributes:
        sample: One of them.
        members: Their numbers in the array.
        constants: Values of the nodes of each program, shape (members, nodes).
        ports: Where what each reads begins.
        registers: Where what each writes begins.
    """

    sample: Cell
    members: Places
    constants: Array
    ports: Places
    registers: Places

    def act(self, who: Places, arriving: Array, read: Array, written: Array) -> None:
        """Let some of the members act: from what arrives to what is read and written."""
        if not len(who):
            return
        program = self.sample.program
        ports = self.ports[who, None] + np.arange(_size(self.sample.ports))
        registers = self.registers[who, None] + np.arange(_size(self.sample.registers))
        numbers = read[ports] = arriving[ports]
        offsets = np.cumsum([0, *(port.size for port in program.inputs)])
        values: dict[int, Array] = {}
        for n, node in enumerate(program.nodes):
            if node.op == "const":
                values[n] = self.constants[who, n]
            elif node.element is not None:
                values[n] = numbers[:, offsets[node.element.port] + node.element.place]
        with np.errstate(all="ignore"):  # a NaN that was read is a result, not an accident
            evaluate_nodes(program, self._work, values)
        flat = [n for results in program.results for n in results]
        written[registers] = np.stack([values[n] for n in flat], axis=1)

    @cached_property
    def _work(self) -> tuple[int, ...]:
        nodes = self.sample.program.nodes
        return tuple(n for n, node in enumerate(nodes) if node.op not in LEAVES)


def _shape(cell: Cell) -> object:
    """What programs have in common that differ in constants alone."""
    program = cell.program
    return (
        tuple((node.op, node.args, node.element) for node in program.nodes),
        program.results,
        tuple(port.size for port in (*program.inputs, *program.outputs)),
        len(program.inputs),
    )


def _first_place(cell: Cell, own: Mapping[str, Port], places: Mapping[str, slice]) -> int:
    return int(places[f"{cell.name}.{next(iter(own))}"].start) if own else 0


def _slices(sizes: Iterable[tuple[str, int]]) -> dict[str, slice]:
    places, end = {}, 0
    for name, size in sizes:
        places[name] = slice(end, end + size)
        end += size
    return places


def _end(places: Mapping[str, slice]) -> int:
    return max((place.stop for place in places.values()), default=0)


def _range(place: slice) -> Places:
    return np.arange(place.start, place.stop)


def _size(ports: Mapping[str, Port]) -> int:
    return sum(port.size for port in ports.values())
