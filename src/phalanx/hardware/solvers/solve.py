"""Solve a linear system on an array of cells, tick by tick, and report what it took."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from os import PathLike
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from phalanx.base.arguments.kinds import Wrong, as_array
from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidInput, shown
from phalanx.base.facts import Facts, TextTable
from phalanx.base.short_repr import short_repr
from phalanx.hardware.cells.clocked import ClockedCells
from phalanx.hardware.solvers.fed_array import Array, FedArray
from phalanx.hardware.solvers.methods import (
    SystolicMethod,
    feed_forward_lu,
)
from phalanx.hardware.solvers.programs import LATER, PIVOT
from phalanx.kernel.graph.operations import Operations

_SIGNS = {"multiply": "x", "add": "+", "divide": "/", "sqrt": "sqrt", "other": "compare"}
_LAST_DIGITS = 64  # of the largest number of a matrix, for each row: what counts as zero


class SingularSystem(InvalidInput):
    """A system that an array cannot solve.

    Attributes:
        system: Which of those that were given, from 0.
        pivot: The first pivot that is wrong, from 1.
        value: What it is.
    """

    def __init__(self, method: SystolicMethod, system: int, systems: int, pivot: int, value: float):
        """Say which pivot, and what would help."""
        self.system, self.pivot, self.value = system, pivot, value
        of = f" of system {system}" if systems > 1 else ""
        if method.needs_positive:
            why = "the matrix is not positive definite, which this method needs; LU or QR may do."
        elif method.swaps:
            why = "the matrix is singular, or so near to it that nothing of x is certain."
        else:
            why = (
                f"its leading block of {pivot} rows is singular, and {method.title} does not swap "
                "rows; feed_forward_qr and faddeev do without."
            )
        super().__init__(f"{method.title}: pivot {pivot}{of} is {value:.3g}: {why}")


@short_repr
@final
@dataclass(frozen=True)
class SystolicSolution:
    """Solution found by an array, and its cost.

    Attributes:
        x: The solution, of the shape of b.
        method: How.
        first_cycle: The cycle, from 1, in which the first number of the first solution leaves.
        cycles: The cycle in which the last number leaves.
        cells: How many cells there are.
        busy: For each cell the cycles in which it does arithmetic, by name.
        operations: For each cell its arithmetic, by name.
        interval: Cycles from one system to the next when several are fed one after the other.
        pivots: Shape (systems, n).
        fed: The array, with what was fed to it.
    """

    x: Array
    method: SystolicMethod
    first_cycle: int
    cycles: int
    cells: int
    busy: dict[str, int] = field(repr=False)
    operations: dict[str, Operations] = field(repr=False)
    interval: int
    pivots: Array = field(repr=False)
    fed: FedArray = field(repr=False)

    @property
    def array(self) -> ClockedCells:
        """Its cells and wires."""
        return self.fed.array

    @property
    def utilization(self) -> float:
        """The part of all cells' cycles in which they do arithmetic."""
        return sum(self.busy.values()) / (self.cells * self.cycles)

    @cached_property
    def busiest(self) -> str:
        """The cell with the most operations; the first of several."""
        return max(self.operations, key=lambda cell: self.operations[cell].total)

    def facts(self) -> Facts:
        """Return the solution of the first system, cycles, cells and operations."""
        systems, n = self.pivots.shape
        x, busiest = self.x.reshape(systems, n, -1)[0], self.operations[self.busiest]
        counts = asdict(busiest)
        arithmetic = " ".join(f"{counts[k]}{sign}" for k, sign in _SIGNS.items() if counts[k])
        solution = TextTable(
            f"{self.method.title}, n = {n}",
            [""],
            [f" x{k + 1}" for k in range(x.shape[1])],
            [[str(k + 1), *(f" {number:.15g}" for number in row)] for k, row in enumerate(x)],
            values={"method": self.method.name, "x": self.x.tolist()},
        )
        return Facts(
            [
                solution,
                f"first result in cycle {self.first_cycle}, last in cycle {self.cycles}; a new "
                f"system every {self.interval} cycles",
                f"{self.cells} cells, utilisation {100 * self.utilization:.0f} %; busiest cell "
                f"{self.busiest}: {arithmetic}",
            ],
            {
                "first_cycle": self.first_cycle,
                "cycles": self.cycles,
                "interval": self.interval,
                "cells": self.cells,
                "utilization": self.utilization,
                "busiest_cell": self.busiest,
                "busiest_operations": counts,
                "pivots": self.pivots[0].tolist(),
            },
        )

    def space_time(self, path: str | PathLike[str]) -> None:
        """Draw who does what in which tick, with its numbers (see ``ClockedCells.space_time``)."""
        streams: dict[str, Any] = dict(self.fed.streams)
        self.array.space_time(path, self.fed.ticks, self.fed.positions, **streams)


def systolic_solve(
    A: ArrayLike, b: ArrayLike, method: SystolicMethod = feed_forward_lu
) -> SystolicSolution:
    """Solve A x = b on an array of cells that act in lock with a clock.

    Args:
        A: A matrix, shape (n, n), or several that are fed one after the other, (systems, n, n).
        b: A right-hand side, (n,), or several, (n, sides); with several matrices (systems, n) or
            (systems, n, sides).
        method: How; the feed-forward LU solver when not given.

    Returns:
        The solution and what it took, counted in the run.

    Raises:
        InvalidInput: Shapes do not fit, a number is not finite, or the method needs a symmetric
            matrix.
        SingularSystem: A pivot is zero, but for rounding (64 n of the last digits of the largest
            number in A); it names the pivot.

    Reference:
        Wong (1991), 4.5.
    """
    if not isinstance(method, SystolicMethod):
        raise InvalidInput(
            f"method={shown(method)}; expected one such as hardware.feed_forward_lu, or what "
            "systolic_method_by_name finds."
        )
    matrices, sides = _systems(A, b)
    if method.needs_positive:
        _check_symmetric(method, matrices)
    fed = method.lay(f"{method.title}, n = {matrices.shape[1]}", matrices, sides)
    rows = fed.array.registers(fed.ticks, **fed.streams)
    pivots = _pivots(fed, rows, len(matrices))
    _check_pivots(method, matrices, pivots)
    x, ticks = _collected(fed, rows, sides.shape)
    counts = {cell: _counted(rows[f"{cell}.mode"]) for cell in fed.work}
    return SystolicSolution(
        x.reshape(np.shape(b)),
        method,
        min(ticks) + 1,
        max(ticks) + 1,
        len(fed.array.cells),
        {cell: _busy(fed.work[cell], counts[cell]) for cell in counts},
        {cell: _operations(fed.work[cell], counts[cell]) for cell in counts},
        fed.interval,
        pivots,
        fed,
    )


def _systems(A: ArrayLike, b: ArrayLike) -> tuple[Array, Array]:
    """Matrices (systems, n, n) and right-hand sides (systems, n, sides)."""
    matrices, sides = _numbers("A", A), _numbers("b", b)
    if matrices.ndim not in (2, 3) or matrices.shape[-1] != matrices.shape[-2]:
        raise InvalidInput(
            f"A has shape {matrices.shape}; expected (n, n), or (systems, n, n) for several."
        )
    several, n = matrices.shape[:-2], matrices.shape[-1]
    fits = sides.shape[: len(several)] == several and sides.ndim - len(several) in (1, 2)
    if not fits or sides.shape[len(several)] != n or not sides.size:
        expected = ", ".join(map(str, (*several, n)))
        raise InvalidInput(
            f"b has shape {sides.shape}; expected ({expected}{',' * (not several)}), or "
            f"({expected}, sides), to go with A."
        )
    for name, numbers in (("A", matrices), ("b", sides)):
        wrong = np.argwhere(~np.isfinite(numbers))
        if len(wrong):
            place = tuple(int(k) for k in wrong[0])
            raise InvalidInput(f"{name}{list(place)} is {numbers[place]}; expected finite numbers.")
    systems = several[0] if several else 1
    return matrices.reshape(systems, n, n), sides.reshape(systems, n, -1)


def _numbers(name: str, given: ArrayLike) -> Array:
    try:
        return np.asarray(as_array(given), dtype=np.float64)
    except Wrong:
        raise InvalidInput(
            f"{name} is {shown(given)}; expected an array of real numbers."
        ) from None


def _check_symmetric(method: SystolicMethod, A: Array) -> None:
    apart = np.abs(A - A.transpose(0, 2, 1))
    bound = 1e-12 * np.abs(A).max(axis=(1, 2), keepdims=True)
    wrong = np.argwhere(apart > bound)
    if len(wrong):
        _, i, j = (int(k) for k in wrong[0])
        raise InvalidInput(
            f"A is not symmetric, at ({i}, {j}) by {apart[tuple(wrong[0])]:.3g}; {method.title} "
            "needs symmetric matrices. feed_forward_lu and feed_forward_qr take any."
        )


def _pivots(fed: FedArray, rows: dict[str, Array], systems: int) -> Array:
    """What passed the cells that see pivots, shape (systems, n)."""
    seen = [rows[f"{cell}.x"][rows[f"{cell}.mode"] == PIVOT][:systems] for cell in fed.pivots]
    return np.column_stack(seen)


def _check_pivots(method: SystolicMethod, A: Array, pivots: Array) -> None:
    # what rounding leaves of a zero; without swaps it can leave more, and then the solution is huge
    rounding = _LAST_DIGITS * A.shape[1] * np.finfo(np.float64).eps * np.abs(A).max(axis=(1, 2))
    if method.needs_positive:
        rounding = np.sqrt(rounding)  # pivots are roots
    for system, row in enumerate(pivots):
        for k, pivot in enumerate(row):
            if not np.isfinite(pivot) or abs(pivot) <= rounding[system]:
                raise SingularSystem(method, system, len(A), k + 1, float(pivot))


def _collected(
    fed: FedArray, rows: dict[str, Array], shape: tuple[int, int, int]
) -> tuple[Array, list[int]]:
    """Solutions as they leave the array, and the ticks in which they do."""
    x = np.full(shape, np.nan)
    ticks = []
    for outlet in fed.outlets:
        numbers, counter = rows[outlet.register], rows[outlet.counter]
        for element, (row, side) in outlet.wanted.items():
            for system, tick in enumerate(np.flatnonzero(counter == element)[: shape[0]]):
                x[system, row, side] = numbers[tick]
                ticks.append(int(tick))
    return x, ticks


def _counted(mode: Array) -> tuple[int, int]:
    """How often a cell was at its pivot, and after it."""
    return int(np.count_nonzero(mode == PIVOT)), int(np.count_nonzero(mode == LATER))


def _operations(work: tuple[Operations, Operations], counts: tuple[int, int]) -> Operations:
    return work[0].times(counts[0]) + work[1].times(counts[1])


def _busy(work: tuple[Operations, Operations], counts: tuple[int, int]) -> int:
    return sum(count for count, one in zip(counts, work, strict=True) if one.total)
