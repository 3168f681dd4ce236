"""``phalanx systolic-solve``: a linear system on an array of cells, tick by tick."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from phalanx.base.errors import InvalidInput, ReadError
from phalanx.cli import console
from phalanx.cli.choices import OneOf
from phalanx.cli.options import Json
from phalanx.cli.outputs import Writes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from phalanx.hardware import SolverRow, SystolicSolution

    Array = NDArray[np.float64]


def systolic_solve(
    system: Annotated[
        Path | None,
        typer.Argument(
            metavar="SYSTEM",
            help="A .csv or .npy file with a row [A b] a line; random numbers when not given.",
            show_default=False,
        ),
    ] = None,
    size: Annotated[
        int, typer.Option(min=1, max=64, help="Unknowns of a random, positive definite system.")
    ] = 6,
    seed: Annotated[int, typer.Option(min=0, help="Seed of its random numbers.")] = 0,
    method: Annotated[
        str,
        OneOf("phalanx.hardware.solvers.methods:METHODS", checked=False),
        typer.Option(help="How: {either}.", metavar="METHOD"),
    ] = "lu",
    compare: Annotated[
        bool, typer.Option("--compare", help="All methods side by side, against NumPy.")
    ] = False,
    page: Annotated[
        Path | None,
        Writes((".html",), picture=True),
        typer.Option(
            help="Draw every tick, with its numbers: .html to step through, .svg, .png, .pdf.",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Solve a linear system on a systolic array, and count what it takes.

    Numbers of the matrix stream through cells that act in lock with a clock. The feed-forward
    methods turn the factors into the solution on the way, in 4n cycles; factors and substitution
    take 7n. Cycles, cells and operations are counted in the run.

    phalanx systolic-solve --size 6 --page solver.html

    phalanx systolic-solve system.csv --method qr

    phalanx systolic-solve --size 12 --compare
    """
    from phalanx import hardware

    how = hardware.systolic_method_by_name(method)
    A, b = random_system(size, seed) if system is None else read_system(system)
    if compare:
        rows = hardware.compare_solvers(A, b)
        if json:
            console.say_json([row_data(row) for row in rows])
        else:
            show_comparison(rows, len(A))
    if page is not None or not compare:
        found = hardware.systolic_solve(A, b, how)
        if not compare and json:
            console.say_json(solution_data(found))
        elif not compare:
            show_solution(found, b)
        if page is not None:
            found.space_time(page)
            console.err().print(f"Written: {page}", soft_wrap=True, markup=False)


def random_system(n: int, seed: int) -> tuple[Array, Array]:
    """A positive definite matrix and a right-hand side."""
    import numpy as np

    rng = np.random.default_rng(seed)
    half = rng.normal(size=(n, n))
    return half @ half.T + n * np.eye(n), rng.normal(size=n)


def read_system(path: Path) -> tuple[Array, Array]:
    """The matrix and the right-hand sides of a file.

    Raises:
        InvalidInput: It cannot be read, or has too few columns.
    """
    import numpy as np

    from phalanx.base.table_file import read_table

    if path.suffix.lower() not in (".csv", ".npy"):
        raise InvalidInput(f"{path.name}: expected a .csv or .npy file.")
    if not path.is_file():
        raise InvalidInput(f"there is no file {path}.")
    try:
        npy = path.suffix.lower() == ".npy"
        table = np.load(path, allow_pickle=False) if npy else read_table(path)
        table = np.asarray(table, dtype=np.float64)
    except (ValueError, OSError, EOFError, ReadError) as error:
        raise InvalidInput(f"{path.name} cannot be read: {error}") from None
    if table.ndim != 2 or table.shape[1] <= table.shape[0]:
        raise InvalidInput(
            f"{path.name} has shape {table.shape}; expected rows [A b], at least one column more "
            "than rows."
        )
    n = len(table)
    return table[:, :n], table[:, n] if table.shape[1] == n + 1 else table[:, n:]


def show_solution(found: SystolicSolution, b: Array) -> None:
    """What came out, and what it took."""
    import numpy as np

    out = console.out()
    n, sides = len(b), 1 if b.ndim == 1 else b.shape[1]
    title = f"{found.method.title}, n = {n}"
    table = console.table(title, ("",), tuple(f" x{k + 1}" for k in range(sides)))
    for row, numbers in enumerate(np.reshape(found.x, (n, sides))):
        table.add_row(str(row + 1), *(f" {x:.15g}" for x in numbers))
    out.print(table)
    busiest = found.operations[found.busiest]
    out.print(
        f"first number in cycle {found.first_cycle}, last in {found.cycles}; a new system every "
        f"{found.interval} cycles\n{found.cells} cells, at work {100 * found.utilization:.0f} % "
        f"of the time; the busiest, {found.busiest}: {_arithmetic(busiest)}",
        soft_wrap=True,
        markup=False,
    )


def show_comparison(rows: Sequence[SolverRow], n: int) -> None:
    """A row a method."""
    table = console.table(
        f"n = {n}",
        ("method",),
        (" first", " last", " next", " cells", " x", " +", " other", " at work", " error"),
    )
    for row in rows:
        if row.refused:
            table.add_row(row.method.name, *[" -"] * 9)
            continue
        assert row.busiest is not None and row.utilization is not None
        most = row.busiest
        rest = most.total - most.multiply - most.add
        counts = (row.first_cycle, row.cycles, row.interval, row.cells)
        table.add_row(
            row.method.name,
            *(f" {x}" for x in (*counts, most.multiply, most.add, rest)),
            f" {100 * row.utilization:.0f} %",
            f" {row.error:.1e}",
        )
    table.caption = (
        "first, last: cycle in which a number of the solution leaves;\n"
        "next: cycles to the next system; x, +, other: of the busiest cell;\n"
        "error: to NumPy's solution, of its largest number"
    )
    console.out().print(table)
    for row in rows:
        if row.refused:
            console.out().print(row.refused, soft_wrap=True, markup=False)


def _arithmetic(operations: Any) -> str:
    signs = {"multiply": "x", "add": "+", "divide": "/", "sqrt": "sqrt", "other": "compare"}
    counts = asdict(operations)
    return " ".join(f"{counts[kind]}{sign}" for kind, sign in signs.items() if counts[kind])


def solution_data(found: SystolicSolution) -> dict[str, Any]:
    """The solution for programs."""
    return {
        "method": found.method.name,
        "x": found.x.tolist(),
        "first_cycle": found.first_cycle,
        "cycles": found.cycles,
        "interval": found.interval,
        "cells": found.cells,
        "utilization": found.utilization,
        "busiest_cell": found.busiest,
        "busiest_operations": asdict(found.operations[found.busiest]),
        "pivots": found.pivots[0].tolist(),
    }


def row_data(row: SolverRow) -> dict[str, Any]:
    """A row of the comparison for programs."""
    return {
        "method": row.method.name,
        "first_cycle": row.first_cycle,
        "cycles": row.cycles,
        "interval": row.interval,
        "cells": row.cells,
        "utilization": row.utilization,
        "busiest_operations": None if row.busiest is None else asdict(row.busiest),
        "error": row.error,
        "refused": row.refused or None,
    }
