"""``phalanx systolic-solve``: a linear system on a systolic array, cycle by cycle."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from phalanx.base.errors import InvalidInput, ReadError
from phalanx.cli import console
from phalanx.cli.choices import OneOf
from phalanx.cli.options import Json
from phalanx.cli.outputs import Writes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


def systolic_solve(
    system: Annotated[
        Path | None,
        typer.Argument(
            metavar="SYSTEM",
            help="File with the rows of [A b], .csv or .npy. Default: a random system.",
            show_default=False,
        ),
    ] = None,
    size: Annotated[
        int,
        typer.Option(
            min=1, max=64, help="Number of unknowns of the random, positive definite system."
        ),
    ] = 6,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random system.")] = 0,
    method: Annotated[
        str,
        OneOf("phalanx.hardware.solvers.methods:METHODS", checked=False),
        typer.Option(help="Method: {either}.", metavar="METHOD"),
    ] = "lu",
    compare: Annotated[
        bool, typer.Option("--compare", help="Compare all methods with each other and with NumPy.")
    ] = False,
    page: Annotated[
        Path | None,
        Writes((".html",), picture=True),
        typer.Option(
            help="Draw every cycle with its values: .html (interactive), .svg, .png or .pdf.",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Solve a linear system on a systolic array; print cycles, cells and operations.

    The matrix streams through clocked cells. Feed-forward methods compute the solution while they
    factorize, in 4n cycles; factorization and substitution take 7n.

    Examples:
        phalanx systolic-solve --size 6
        phalanx systolic-solve system.csv --method qr
        phalanx systolic-solve --size 12 --compare
        phalanx systolic-solve --size 6 --page solver.html
    """
    from phalanx import hardware
    from phalanx.hardware.solvers.comparison import solver_facts

    how = hardware.systolic_method_by_name(method)
    A, b = random_system(size, seed) if system is None else read_system(system)
    if compare:
        facts = solver_facts(hardware.compare_solvers(A, b), len(A))
        if json:
            console.print_json(facts.data["methods"])  # a list
        else:
            console.print_facts(facts)
    if page is not None or not compare:
        found = hardware.systolic_solve(A, b, how)
        if not compare:
            console.print_facts(found.facts(), json)
        if page is not None:
            found.space_time(page)
            console.print_written("Diagram", page)


def random_system(n: int, seed: int) -> tuple[Array, Array]:
    """Return a random positive definite matrix and a right-hand side."""
    import numpy as np

    rng = np.random.default_rng(seed)
    half = rng.normal(size=(n, n))
    return half @ half.T + n * np.eye(n), rng.normal(size=n)


def read_system(path: Path) -> tuple[Array, Array]:
    """Return the matrix and the right-hand sides of a file.

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
