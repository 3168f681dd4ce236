"""Arrays of clocked cells: wiring, checks, outputs.

In every tick all cells that act read at the same time and write at the same time, so a value moves
over one wire a tick. A wire whose register is not written in a tick carries nothing for that tick:
who reads it reads NaN.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.base.short_repr import short_repr
from phalanx.hardware.cells.cell import Act, Array, Cell, Wire
from phalanx.hardware.cells.clocked_simulation import ClockedSimulation
from phalanx.hardware.cells.rules import ports_without_one_source, reads_at_a_wrong_tick
from phalanx.hardware.cells.space_time_clocked import of_clocked
from phalanx.kernel.graph.graph import Port
from phalanx.multiprocessor.computers.placement import Violation
from phalanx.multiprocessor.computers.shared_memory import SharedMemory
from phalanx.multiprocessor.computers.speed import ONE_EACH, Speed
from phalanx.multiprocessor.plans.critical_path import critical_path
from phalanx.multiprocessor.plans.drawings import draw_space_time
from phalanx.multiprocessor.plans.space_time import SpaceTime
from phalanx.multiprocessor.tasks.cut import cut_finely


@short_repr
@dataclass(frozen=True)
class ClockedCells:
    """Cells, the wires between them, and what comes from and goes to the outside.

    Attributes:
        name: Display name.
        cells: The cells.
        wires: What each port reads. A register may be read by several ports.
        inputs: For each stream from outside the ports that read it, ``{"x": ("first.x_in",)}``:
            in a tick all of them read the value of that tick.
        outputs: For each stream to the outside the register it comes from, ``{"y": "last.y"}``.
    """

    name: str
    cells: tuple[Cell, ...]
    wires: tuple[Wire, ...]
    inputs: Mapping[str, tuple[str, ...]]
    outputs: Mapping[str, str]

    def __post_init__(self) -> None:
        """Check that every name exists, and that wires take time and fit at both ends."""
        twice = [name for name, n in Counter(cell.name for cell in self.cells).items() if n > 1]
        if twice:
            raise InvalidInput(f"'{self.name}' has two cells called '{twice[0]}'.")
        for wire in self.wires:
            start, end = self._register(wire.register)[1], self._port(wire.port)[1]
            if wire.ticks < 1:
                raise InvalidInput(
                    f"the wire from {wire.register} to {wire.port} takes {wire.ticks} ticks; a "
                    "value is in a register for at least one."
                )
            if start.size != end.size:
                raise InvalidInput(
                    f"{wire.register} has shape {start.shape}, and {wire.port}, which reads it, "
                    f"{end.shape}."
                )
        for stream, readers in self.inputs.items():
            if len({self._port(reader)[1].size for reader in readers}) != 1:
                raise InvalidInput(
                    f"stream '{stream}' is read by {', '.join(readers) or 'nobody'}; expected "
                    "ports of one size, at least one."
                )
        for register in self.outputs.values():
            self._register(register)

    @cached_property
    def violations(self) -> tuple[Violation, ...]:
        """What is wrong; empty when every read finds what was written for it."""
        return (
            *ports_without_one_source(self.cells, self.wires, self.inputs),
            *reads_at_a_wrong_tick(self.cells, self.wires),
        )

    def run(self, ticks: int | None = None, **streams: Any) -> dict[str, Array]:
        """What comes out, tick by tick.

        Args:
            ticks: How many; as many as the longest stream has when not given.
            streams: For each input an array whose first axis counts ticks. After its end a stream
                is NaN.

        Returns:
            For each output its numbers in each tick, shape (ticks,) or (ticks, numbers); NaN in
            ticks in which its register was not written.

        Raises:
            InvalidInput: When a port has no source or two; other violations show as NaN.
        """
        rows = self.registers(ticks, **streams)
        return {name: rows[place] for name, place in self.outputs.items()}

    def registers(self, ticks: int | None = None, **streams: Any) -> dict[str, Array]:
        """What is written to all registers, tick by tick, by ``cell.register``.

        Args:
            ticks: As :meth:`run` takes them.
            streams: As :meth:`run` takes them.

        Returns:
            Shapes (ticks,) or (ticks, numbers); NaN in ticks in which a register is not written.

        Raises:
            InvalidInput: When a port has no source or two.
        """
        given, count = self._checked(ticks, streams)
        record = np.full((count, sum(map(_registers, self.cells))), np.nan)
        width = np.array([_registers(cell) for cell in self.cells], dtype=np.int64)
        for tick, happens in enumerate(self._clockwork.ticks(given, count)):
            acting = np.zeros(len(self.cells), dtype=bool)
            acting[happens.acting] = True
            record[tick] = np.where(np.repeat(acting, width), happens.written, np.nan)
        return {
            name: record[:, place.start] if place.stop - place.start == 1 else record[:, place]
            for name, place in self._clockwork.registers.items()
        }

    def trace(self, ticks: int | None = None, **streams: Any) -> Iterator[dict[str, Act]]:
        """What cells read and write, tick by tick, by name for those that act.

        Args:
            ticks: As :meth:`run` takes them.
            streams: As :meth:`run` takes them.

        Raises:
            InvalidInput: When a port has no source or two.
        """
        given, count = self._checked(ticks, streams)
        return self._acts(given, count)

    def _acts(self, given: Mapping[str, Array], count: int) -> Iterator[dict[str, Act]]:
        work = self._clockwork
        for happens in work.ticks(given, count):
            acts = {}
            for cell in (self.cells[number] for number in happens.acting):
                name = cell.name
                read = {port: happens.read[work.ports[f"{name}.{port}"]] for port in cell.ports}
                places = {one: work.registers[f"{name}.{one}"] for one in cell.registers}
                acts[name] = Act(read, {one: happens.written[at] for one, at in places.items()})
            yield acts

    def space_time(
        self,
        path: str | PathLike[str],
        /,
        ticks: int | None = None,
        positions: Mapping[str, tuple[float, float]] | None = None,
        groups: Mapping[str, str] | None = None,
        **streams: Any,
    ) -> None:
        """Draw who does what in which tick, with its numbers, and what waits on wires.

        Args:
            path: ``.html`` for a page to step through, fold, zoom and search in, which needs no
                other file; ``.svg``, ``.png`` or ``.pdf`` for a picture.
            ticks: As :meth:`run` takes them.
            positions: Where cells are in the array, by name, to the right and down.
            groups: The node that each cell is a part of, by name, if it is.
            streams: As :meth:`run` takes them.

        Raises:
            InvalidInput: When the suffix is another, nothing can be written there, or nothing
                happens.
        """
        draw_space_time(lambda: self.at_work(ticks, positions, groups, **streams), path)

    def at_work(
        self,
        ticks: int | None = None,
        positions: Mapping[str, tuple[float, float]] | None = None,
        groups: Mapping[str, str] | None = None,
        **streams: Any,
    ) -> SpaceTime:
        """What :meth:`space_time` draws, as data; the arguments are the same."""
        return of_clocked(self, ticks, positions, groups, **streams)

    def tick_time(self, speed: Speed = ONE_EACH) -> float:
        """The shortest tick: the longest chain of operations that a cell does in one.

        Args:
            speed: How long an operation takes.
        """
        one = SharedMemory(1, speed)
        paths = (critical_path(cut_finely(cell.program), one) for cell in self.cells)
        return max((path.length for path in paths), default=0.0)

    def _checked(
        self, ticks: int | None, streams: Mapping[str, Any]
    ) -> tuple[dict[str, Array], int]:
        """Streams as arrays, and how many ticks there are."""
        unclear = next(ports_without_one_source(self.cells, self.wires, self.inputs), None)
        if unclear is not None:
            raise InvalidInput(unclear.text)
        given = self._streams(streams)
        longest = max((len(rows) for rows in given.values()), default=0)
        return given, longest if ticks is None else ticks

    @cached_property
    def _clockwork(self) -> ClockedSimulation:
        return ClockedSimulation(self.cells, self.wires, self.inputs)

    def _streams(self, streams: Mapping[str, Any]) -> dict[str, Array]:
        """Streams as arrays, a row for each tick."""
        for name in streams:
            if name not in self.inputs:
                raise UnknownName(f"'{self.name}'", "input", name, self.inputs)
        rows = {}
        for name, ports in self.inputs.items():
            if name not in streams:
                raise InvalidInput(f"'{self.name}' reads stream '{name}', which is not given.")
            array = np.asarray(streams[name], dtype=np.float64)
            size = self._port(ports[0])[1].size
            if not array.ndim or array.size != len(array) * size:
                raise InvalidInput(
                    f"stream '{name}' has shape {array.shape}; expected ticks, and {size} numbers "
                    "in each."
                )
            rows[name] = array.reshape(len(array), size)
        return rows

    def _register(self, place: str) -> tuple[Cell, Port]:
        cell, name = self._cell(place)
        if name not in cell.registers:
            raise UnknownName(f"cell '{cell.name}'", "register", name, cell.registers)
        return cell, cell.registers[name]

    def _port(self, place: str) -> tuple[Cell, Port]:
        cell, name = self._cell(place)
        if name not in cell.ports:
            raise UnknownName(f"cell '{cell.name}'", "port", name, cell.ports)
        return cell, cell.ports[name]

    def _cell(self, place: str) -> tuple[Cell, str]:
        cell, _, name = place.partition(".")
        if cell not in self._by_name:
            raise UnknownName(f"'{self.name}'", "cell", cell, self._by_name)
        return self._by_name[cell], name

    @cached_property
    def _by_name(self) -> dict[str, Cell]:
        return {cell.name: cell for cell in self.cells}


def _registers(cell: Cell) -> int:
    """How many numbers a cell holds."""
    return sum(register.size for register in cell.registers.values())
