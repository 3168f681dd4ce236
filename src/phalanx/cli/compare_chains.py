"""``phalanx compare-chains``: constraint forces by iteration (Sharf and D'Eleuterio, 1993)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from phalanx.cli import console
from phalanx.cli.options import Json, Threads
from phalanx.cli.outputs import Writes


def compare_chains(
    parts: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PART", help="Parts of the comparison. Default: all.", show_default=False
        ),
    ] = None,
    solutions: Annotated[
        int,
        typer.Option(
            min=1,
            max=100_000,
            help="figure2, figure3: solutions for each length; 1000 in the paper.",
        ),
    ] = 100,
    longest: Annotated[
        int, typer.Option(min=3, max=1000, help="figure2: number of bodies of the longest chain.")
    ] = 20,
    latency: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="figure3: latency of a message on a computer of your own [s]; with --operation.",
            show_default=False,
        ),
    ] = None,
    operation: Annotated[
        float | None,
        typer.Option(
            help="figure3: time of an operation on a computer of your own [s]; with --latency.",
            show_default=False,
        ),
    ] = None,
    threads: Threads = None,
    json: Json = False,
    plot: Annotated[
        Path | None,
        Writes(picture=True),
        typer.Option(help="Draw the results: .png, .svg or .pdf.", show_default=False),
    ] = None,
) -> None:
    """Compare iterative solvers for the constraint forces of chains.

    Sharf and D'Eleuterio (1993) solve A f = b for the constraint forces of a chain, with one
    processor for each body. This command repeats their tables and figures.

    table2: simulate a planar and a spatial manoeuvre of ten seconds with five iterations. The paper
    does not give the data of its arm, so a substitute arm with as many links and degrees of freedom
    is used, and the printed numbers are shown for comparison only.

    warm-starts: count iterations that start at zero, at the previous solution and at a cubic
    extrapolation.

    figure2: count the operations of a solution for chains of N bodies, by conjugate gradients
    (J-CG) and by recursion.

    figure3: the paper's main result, parallel iteration below serial recursion. Its estimates (20)
    and (21) for one processor per body, by operations; the number of bodies from which J-CG is
    faster, on computers whose messages take time; and times on threads of this machine. --latency
    and --operation add a computer of your own.

    tolerance: count the evaluations of an adaptive integrator when iterations stop early.

    All parts together take some minutes. Counts are exact; times depend on the machine.

    Parts: table2, warm-starts, figure2, figure3, tolerance.

    Examples:
        phalanx compare-chains
        phalanx compare-chains figure2 --solutions 1000 --longest 50
        phalanx compare-chains figure2 figure3 --threads 2 --plot chains.svg
        phalanx compare-chains figure3 --latency 1e-6 --operation 1e-9
    """
    from phalanx.base.errors import InvalidInput, UnknownName
    from phalanx.studies.sharf.comparison import PARTS
    from phalanx.studies.sharf.comparison import compare_chains as compare
    from phalanx.studies.sharf.parallel_model import COMPUTERS, ChainComputer
    from phalanx.studies.sharf.plot import plot_chains
    from phalanx.studies.sharf.tables import comparison_facts

    for part in parts or ():
        if part not in PARTS:
            raise UnknownName("the comparison", "part", part, PARTS)
    computers = COMPUTERS
    if latency is not None and operation is not None:
        computers = (*COMPUTERS, ChainComputer("yours", operation, latency))
    elif latency is not None or operation is not None:
        raise InvalidInput("--latency and --operation describe one computer; give both.")
    with console.err().status("Starting …") as status:
        found = compare(
            tuple(dict.fromkeys(parts or PARTS)),
            solutions=solutions,
            longest=longest,
            threads=threads,
            computers=computers,
            progress=lambda what: status.update(f"{what} …"),
        )
    if plot is not None:
        plot_chains(found).savefig(plot)
    console.print_facts(comparison_facts(found), json)
    if plot is not None:
        console.print_written("Plot", plot)
