"""``phalanx compare-chains``: constraint forces by iteration, as Sharf and D'Eleuterio did."""

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
            metavar="PART", help="Which parts; all when none is named.", show_default=False
        ),
    ] = None,
    solutions: Annotated[
        int,
        typer.Option(
            min=1, max=100_000, help="Solutions for each length of figure2; the paper has 1000."
        ),
    ] = 100,
    longest: Annotated[
        int, typer.Option(min=3, max=1000, help="Longest chain of figure2, in bodies.")
    ] = 20,
    threads: Threads = None,
    json: Json = False,
    plot: Annotated[
        Path | None,
        Writes(picture=True),
        typer.Option(help="Draw it: .png, .svg or .pdf.", show_default=False),
    ] = None,
) -> None:
    """Measure forward dynamics of chains by iterations for the forces in their joints.

    Sharf and D'Eleuterio (1993) solve A f = b for the constraint forces of a chain, so that every
    body can have a processor of its own. This repeats their tables and figures:

    table2 simulates a planar manoeuvre and one in space, ten seconds each, with five iterations.
    The paper's arm is not in the paper: a substitute arm of as many links and freedoms moves here,
    and the printed numbers stand beside its own without being reproduced. warm-starts counts
    iterations from zero, from the solution before and from a cubic. figure2 counts what a solution
    costs for chains of N bodies, by conjugate gradients (J-CG) and by recursion. figure3 puts the
    paper's estimate of parallel time beside times on the threads of this machine. tolerance shows
    how many evaluations an integrator asks for when iterations stop early.

    All parts together take some minutes; counts are exact, times depend on the machine.

    Parts: table2, warm-starts, figure2, figure3, tolerance.

    phalanx compare-chains

    phalanx compare-chains figure2 --solutions 1000 --longest 50

    phalanx compare-chains figure2 figure3 --threads 2 --plot chains.svg
    """
    from phalanx.base.errors import UnknownName
    from phalanx.studies.sharf.comparison import PARTS
    from phalanx.studies.sharf.comparison import compare_chains as compare
    from phalanx.studies.sharf.plot import plot_chains
    from phalanx.studies.sharf.tables import comparison_facts

    for part in parts or ():
        if part not in PARTS:
            raise UnknownName("the comparison", "part", part, PARTS)
    with console.err().status("Starting …") as status:
        found = compare(
            tuple(dict.fromkeys(parts or PARTS)),
            solutions=solutions,
            longest=longest,
            threads=threads,
            progress=lambda what: status.update(f"{what} …"),
        )
    if plot is not None:
        plot_chains(found).savefig(plot)
    console.say(comparison_facts(found), json)
    if plot is not None and not json:
        console.out().print(f"\nDrawn in {plot}.")
