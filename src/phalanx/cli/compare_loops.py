"""``phalanx compare-loops``: methods of forward dynamics for machines with loops (Khan, 2002)."""

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
            metavar="METHOD", help="Methods to compare. Default: all.", show_default=False
        ),
    ] = None,
    budget: Annotated[
        int,
        typer.Option(
            min=100,
            help="Largest number of evaluations of an adaptive run; projector-svd needs more than "
            "50,000 and is stopped.",
        ),
    ] = 20_000,
    rules: Annotated[
        bool, typer.Option("--rules", help="Also print the rules of the grades.")
    ] = False,
    json: Json = False,
    plot: Annotated[
        Path | None,
        Writes(picture=True),
        typer.Option(help="Draw the results: .png, .svg or .pdf.", show_default=False),
    ] = None,
    figures: Annotated[
        Path | None,
        Writes(inside="figure_4_1.png"),
        typer.Option(
            metavar="FOLDER",
            help="Instead of the comparison, draw figures 4.1 to 4.10 of the thesis as PNG files, "
            "with sweeps of tolerance and lost energy.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Compare methods of forward dynamics for machines with loops.

    A planar 3-RRR robot follows a motion of three seconds from Khan's thesis (2002). Each method
    replays the torques of this motion: in open loop with adaptive steps, and with feedback at steps
    of 1 ms. The tables show the number of evaluations of the equations of motion, errors, loop
    openings, the fastest mode, the time of an evaluation, and the messages of legs on separate
    processes. Further parts show the stiffness of springs at which a fixed step becomes unstable,
    the cost of computing several time samples at once, and where elimination fails with the
    acceleration printed in the thesis.

    Without feedback the machine is unstable: errors grow by a factor of 1e6 and say little about a
    method. The correction by feedback is the better measure.

    Methods: springs, projector-svd, elimination, qr, frozen, multipliers, legs.

    Examples:
        phalanx compare-loops
        phalanx compare-loops springs legs --rules
        phalanx compare-loops --json --plot comparison.svg

        # springs, eliminations and tolerances of figures 4.1 to 4.10
        phalanx compare-loops --figures out
    """
    from phalanx.base.errors import InvalidInput, UnknownName
    from phalanx.simulation.formulations import RungeKutta
    from phalanx.studies.khan.bench import bench
    from phalanx.studies.khan.blocks import block_runs
    from phalanx.studies.khan.comparison import compare
    from phalanx.studies.khan.contestants import CONTESTANTS
    from phalanx.studies.khan.plot import plot_comparison
    from phalanx.studies.khan.printed import printed_run
    from phalanx.studies.khan.springs import survival
    from phalanx.studies.khan.tables import comparison_facts

    if figures is not None:
        if methods or plot is not None or rules:
            raise InvalidInput(
                "--figures replaces the comparison: leave METHOD, --plot, --rules out."
            )
        _draw(figures, json)
        return
    known = {contestant.name: contestant for contestant in CONTESTANTS}
    for name in methods or ():
        if name not in known:
            raise UnknownName("the comparison", "method", name, known)
    chosen = [known[name] for name in dict.fromkeys(methods or known)]
    with console.stages(len(chosen) + 4) as begin:  # with the motion, and what follows
        found = compare(chosen, budget=budget, progress=begin)
        begin("springs and steps")
        survived = survival(bench(), RungeKutta)
        begin("blocks of time samples")
        blocks = block_runs()
        begin("the acceleration as printed")
        printed = printed_run()
    if plot is not None:
        plot_comparison(found).savefig(plot)
    console.print_facts(comparison_facts(found, survived, blocks, printed, rules=rules), json)
    if plot is not None:
        console.print_written("Plot", plot)


def _draw(folder: Path, json: bool) -> None:
    """Draw the figures of the thesis and print their numbers."""
    from phalanx.studies.khan.figures import FIGURES, draw, figure_facts

    with console.stages(len(FIGURES)) as begin:
        paths = draw(folder, progress=begin)
    console.print_facts(figure_facts(), json)
    for path in paths:
        console.print_written("Figure", path)
