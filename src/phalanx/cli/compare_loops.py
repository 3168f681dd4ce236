"""``phalanx compare-loops``: methods for machines with loops, measured on one motion."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from phalanx.cli import console
from phalanx.cli.options import Json
from phalanx.cli.outputs import Writes


def compare_loops(
    methods: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="METHOD", help="Which methods; all when none is named.", show_default=False
        ),
    ] = None,
    budget: Annotated[
        int,
        typer.Option(
            min=100,
            help="Most evaluations of an adaptive run; the projector's basis needs more than "
            "50,000 and is stopped.",
        ),
    ] = 20_000,
    rules: Annotated[
        bool, typer.Option("--rules", help="Also say by which rules grades are given.")
    ] = False,
    json: Json = False,
    plot: Annotated[
        Path | None,
        Writes(picture=True),
        typer.Option(help="Draw it: .png, .svg or .pdf.", show_default=False),
    ] = None,
) -> None:
    """Compare methods of forward dynamics for machines with loops.

    A planar 3-RRR moves for three seconds as in Khan's thesis (2002). The torques that this takes
    are replayed by every method: alone, with adaptive steps, and corrected by feedback in steps
    of 1 ms. Counted are evaluations of the equations of motion; measured are errors, openings of
    the loops, the fastest mode and the time of an evaluation; legs on nodes of their own say what
    they have to tell. Then which springs a fixed step survives, what it costs to compute several
    moments at a time, and where elimination breaks with the acceleration that the thesis prints.

    Without feedback the machine is unstable: errors grow by a factor of 1e6 over the motion, and
    say little of a method. What feedback has to add is the better measure.

    Methods: springs, projector-svd, elimination, qr, frozen, multipliers, legs.

    phalanx compare-loops

    phalanx compare-loops springs legs --rules

    phalanx compare-loops --json --plot comparison.svg
    """
    from phalanx.base.errors import UnknownName
    from phalanx.simulation.formulations import RungeKutta
    from phalanx.studies.khan.bench import bench
    from phalanx.studies.khan.blocks import block_runs
    from phalanx.studies.khan.comparison import compare
    from phalanx.studies.khan.contestants import CONTESTANTS
    from phalanx.studies.khan.plot import plot_comparison
    from phalanx.studies.khan.printed import printed_run
    from phalanx.studies.khan.springs import survival
    from phalanx.studies.khan.tables import comparison_facts

    known = {contestant.name: contestant for contestant in CONTESTANTS}
    for name in methods or ():
        if name not in known:
            raise UnknownName("the comparison", "method", name, known)
    chosen = [known[name] for name in dict.fromkeys(methods or known)]
    with console.stages(len(chosen) + 4) as begin:  # with the motion, and what follows
        found = compare(chosen, budget=budget, progress=begin)
        begin("springs and steps")
        survived = survival(bench(), RungeKutta)
        begin("blocks of moments")
        blocks = block_runs()
        begin("the acceleration as printed")
        printed = printed_run()
    if plot is not None:
        plot_comparison(found).savefig(plot)
    console.say(comparison_facts(found, survived, blocks, printed, rules=rules), json)
    if plot is not None and not json:
        console.out().print(f"\nDrawn in {plot}.")
