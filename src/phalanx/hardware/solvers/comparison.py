"""Methods of systolic solvers side by side, on one system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from phalanx.base.errors import InvalidInput
from phalanx.base.facts import Facts, TextTable
from phalanx.hardware.solvers.methods import METHODS, SystolicMethod
from phalanx.hardware.solvers.solve import systolic_solve
from phalanx.kernel.graph.operations import Operations


@final
@dataclass(frozen=True)
class SolverRow:
    """Cost of a method for a system; empty where it cannot solve it.

    Attributes:
        method: How.
        first_cycle: When the first number of the solution leaves.
        cycles: When the last one does.
        interval: Cycles from one system to the next.
        cells: How many there are.
        busiest: The arithmetic of the cell that has most of it.
        utilization: The part of cells' cycles in which they do arithmetic.
        error: Largest difference to the reference, for the largest number of it.
        refused: Why the method cannot solve the system.
    """

    method: SystolicMethod
    first_cycle: int | None = None
    cycles: int | None = None
    interval: int | None = None
    cells: int | None = None
    busiest: Operations | None = None
    utilization: float | None = None
    error: float | None = None
    refused: str = ""

    @property
    def cells_of_table(self) -> list[str]:
        """Its texts in a table."""
        if self.refused:
            return [self.method.name, *[" -"] * 9]
        assert self.busiest is not None and self.utilization is not None
        most = self.busiest
        rest = most.total - most.multiply - most.add
        counts = (self.first_cycle, self.cycles, self.interval, self.cells)
        numbers = [f" {x}" for x in (*counts, most.multiply, most.add, rest)]
        return [
            self.method.name,
            *numbers,
            f" {100 * self.utilization:.0f} %",
            f" {self.error:.1e}",
        ]

    @property
    def values(self) -> dict[str, Any]:
        """For programs."""
        return {
            "method": self.method.name,
            "first_cycle": self.first_cycle,
            "cycles": self.cycles,
            "interval": self.interval,
            "cells": self.cells,
            "utilization": self.utilization,
            "busiest_operations": None if self.busiest is None else asdict(self.busiest),
            "error": self.error,
            "refused": self.refused or None,
        }


def compare_solvers(
    A: ArrayLike,
    b: ArrayLike,
    reference: ArrayLike | None = None,
    methods: Sequence[SystolicMethod] = tuple(METHODS.values()),
) -> tuple[SolverRow, ...]:
    """A row for each method, counted in a run of it.

    Args:
        A: A matrix, shape (n, n).
        b: A right-hand side, shape (n,), or several, (n, sides).
        reference: The solution; NumPy's (LAPACK's LU with partial pivoting) when not given.
        methods: Which; all when not given.
    """
    if reference is None:
        try:
            reference = np.linalg.solve(np.asarray(A, dtype=float), np.asarray(b, dtype=float))
        except (np.linalg.LinAlgError, ValueError):
            reference = np.nan  # the methods say what is wrong
    return tuple(_row(method, A, b, np.asarray(reference, dtype=float)) for method in methods)


def solver_facts(rows: Sequence[SolverRow], n: int) -> Facts:
    """A table of methods for a system of n unknowns, and why some cannot solve it."""
    table = TextTable(
        f"n = {n}",
        ["method"],
        [" first", " last", " next", " cells", " x", " +", " other", " in use", " error"],
        [row.cells_of_table for row in rows],
        "first, last: cycle of the first and last result; next: cycles to the "
        "next system; x, +, other: operations of the busiest cell; "
        "error: difference from NumPy, relative to the largest number",
        values={"methods": [row.values for row in rows]},
    )
    return Facts([table, *(row.refused for row in rows if row.refused)])


def _row(method: SystolicMethod, A: ArrayLike, b: ArrayLike, reference: ArrayLike) -> SolverRow:
    try:
        found = systolic_solve(A, b, method)
    except InvalidInput as error:
        return SolverRow(method, refused=str(error))
    largest = float(np.abs(reference).max())
    apart = float(np.abs(found.x - np.asarray(reference)).max())
    return SolverRow(
        method,
        found.first_cycle,
        found.cycles,
        found.interval,
        found.cells,
        found.operations[found.busiest],
        found.utilization,
        apart / largest if largest else apart,
    )
