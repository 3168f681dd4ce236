"""Solver array with its input streams and outlets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from phalanx.hardware.cells.cell import Cell, Wire
from phalanx.hardware.cells.clocked import ClockedCells
from phalanx.hardware.solvers.programs import eliminating, turning
from phalanx.hardware.solvers.row_operations import RowOperation
from phalanx.kernel.graph.graph import Graph
from phalanx.kernel.graph.operations import Operations

Array = NDArray[np.float64]
KEPT = ("i", "kept", "leaving")  # registers that a cell reads itself
NO_WORK = (Operations(), Operations())


@dataclass(frozen=True)
class Outlet:
    """Outlet where solutions leave an array.

    Attributes:
        register: Which brings them.
        counter: Which says what number of a system's stream it is.
        wanted: Row and right-hand side of the solution, by that number; others are none.
    """

    register: str
    counter: str
    wanted: Mapping[int, tuple[int, int]] = field(hash=False)


@dataclass(frozen=True)
class FedArray:
    """An array with what is fed to it.

    Attributes:
        array: Cells and wires.
        streams: What is fed, by name.
        ticks: How long it has to run.
        positions: Where cells are, to the right and down.
        work: What each cell's arithmetic is at its pivot, and after it.
        outlets: Where solutions leave.
        pivots: The cells whose ``x`` at their pivot is a pivot of the system, in order.
        interval: Ticks from the first number of a system to that of the next.
    """

    array: ClockedCells
    streams: Mapping[str, Array]
    ticks: int
    positions: Mapping[str, tuple[float, float]]
    work: Mapping[str, tuple[Operations, Operations]]
    outlets: tuple[Outlet, ...]
    pivots: tuple[str, ...]
    interval: int


@dataclass(eq=False)
class Wiring:
    """An array while it is laid out.

    Attributes:
        length: How many numbers of a system each stream has.
        systems: How many there are, one after the other.
        late: Ticks before the mesh's first cell acts.
    """

    length: int
    systems: int
    late: int = 0
    cells: list[Cell] = field(default_factory=list)
    wires: list[Wire] = field(default_factory=list)
    inputs: dict[str, tuple[str, ...]] = field(default_factory=dict)
    streams: dict[str, Array] = field(default_factory=dict)
    positions: dict[str, tuple[float, float]] = field(default_factory=dict)
    work: dict[str, tuple[Operations, Operations]] = field(default_factory=dict)

    def eliminate(self, row: int, column: int, operation: RowOperation, pivot: int) -> str:
        """Put a cell that eliminates at a place; its name."""
        work = operation.at_pivot, operation.after_pivot
        return self.place(row, column, eliminating(operation, pivot, self.length), work)

    def turn(self, row: int, column: int, pivot: int) -> str:
        """Put a cell that turns a stream to the east at a place; its name."""
        return self.place(row, column, turning(pivot, self.length), NO_WORK)

    def place(
        self, row: int, column: int, program: Graph, work: tuple[Operations, Operations]
    ) -> str:
        """Put a cell at a place of the mesh, where numbers arrive after as many steps."""
        name = cell_name(row, column)
        return self.add(name, program, row + column - 2 + self.late, (column, row), work)

    def add(
        self,
        name: str,
        program: Graph,
        first: int,
        position: tuple[float, float],
        work: tuple[Operations, Operations],
        every: int = 1,
        times: int | None = None,
        **initially: float,
    ) -> str:
        """Put a cell; what it keeps from tick to tick is wired to itself."""
        kept = [port.name for port in program.outputs if port.name in KEPT]
        initial = dict.fromkeys(kept, 0.0) | initially
        times = self.systems * self.length if times is None else times
        self.cells.append(Cell(name, program, first, every, initial, times))
        self.wires += [Wire(f"{name}.{one}", f"{name}.{one}_in", every) for one in kept]
        self.positions[name], self.work[name] = position, work
        return name

    def wire(self, register: str, port: str) -> None:
        """Let a port read a register, a tick later."""
        self.wires.append(Wire(register, port))

    def feed(self, stream: str, port: str, numbers: Array, first: int) -> None:
        """Let a port read a stream whose first number it needs in a tick."""
        self.inputs[stream] = (port,)
        self.streams[stream] = np.concatenate([np.full(first, np.nan), numbers])

    def made(self, name: str, outlets: Sequence[Outlet], pivots: Sequence[str]) -> FedArray:
        """The array, with as many ticks as the last number needs to its outlet."""
        last = {cell.name: cell.last for cell in self.cells}
        ends = [last[outlet.register.partition(".")[0]] for outlet in outlets]
        outputs = {f"x {k + 1}": outlet.register for k, outlet in enumerate(outlets)}
        array = ClockedCells(name, tuple(self.cells), tuple(self.wires), self.inputs, outputs)
        return FedArray(
            array,
            self.streams,
            int(max(ends)) + 1,
            self.positions,
            self.work,
            tuple(outlets),
            tuple(pivots),
            self.length,
        )


def cell_name(row: int, column: int) -> str:
    """The name of the cell at a place."""
    return f"({row},{column})"
