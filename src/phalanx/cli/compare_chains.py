"""``phalanx compare-chains``: constraint forces by iteration, as Sharf and D'Eleuterio did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from phalanx.cli import console
from phalanx.cli.options import Json, Threads
from phalanx.cli.outputs import Writes

if TYPE_CHECKING:
    from rich.table import Table

    from phalanx.studies.sharf.comparison import Comparison
    from phalanx.studies.sharf.parallel_time import ParallelTimes
    from phalanx.studies.sharf.scaling import Scaled
    from phalanx.studies.sharf.table_2 import Simulated
    from phalanx.studies.sharf.tolerance import Tied
    from phalanx.studies.sharf.warm_starts import StartRow


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
    if json:
        console.say_json(facts(found))
        return
    out = console.out()
    out.print(*_joined(tables(found)), sep="\n")
    if plot is not None:
        out.print(f"\nDrawn in {plot}.")


def _joined(made: Sequence[Table]) -> list[Table | str]:
    """Tables with an empty line between."""
    return [part for table in made for part in (table, "")][:-1]


def tables(found: Comparison) -> list[Table]:
    """A table for each part that was measured."""
    made = []
    if found.table2:
        made.append(simulated_table(found.table2))
    if found.warm_starts:
        made.append(start_table(found.warm_starts))
    if found.figure2:
        made += [scaling_table(found.figure2), exponent_table(found.figure2)]
    if found.figure3:
        made.append(time_table(found.figure3))
    if found.tolerance:
        made.append(tolerance_table(found.tolerance))
    return made


def simulated_table(rows: Sequence[Simulated]) -> Table:
    """Table 2: the substitute arm, and in brackets what the paper prints of its own."""
    table = console.table(
        "table 2: ten seconds of a substitute arm",
        ("iteration", " manoeuvre"),
        (" off at end", " iterations", " calls", " processor"),
    )
    for row in rows:
        printed = row.contestant.printed[row.manoeuvre.name == "spatial"]
        table.add_row(
            row.contestant.name,
            f" {row.manoeuvre.name}",
            f" {row.accuracy:.1g} % ({printed[0]:g})",
            f" {row.iterations:.1f} ({printed[1]})",
            f" {row.evaluations}",
            f" {console.duration(row.seconds)} ({printed[2]:g} s)",
        )
    worst = max(row.drift for row in rows)
    table.caption = (
        "in brackets: Table 2 of the paper, of another arm, on a Sun 3/60;\n"
        "calls: evaluations of the equations; integrator 1e-6, iteration 1e-7;\n"
        f"bodies move apart by {worst:.0e} m/s and rad/s at most"
    )
    return table


def start_table(rows: Sequence[StartRow]) -> Table:
    """Iterations by where they begin."""
    table = console.table(
        "iterations by where they begin",
        ("iteration", " manoeuvre"),
        (" zero", " previous", " cubic"),
    )
    for row in rows:
        averages = (f" {x:.1f}" for x in (row.zero, row.previous, row.cubic))
        table.add_row(row.contestant.name, f" {row.manoeuvre.name}", *averages)
    table.caption = "substitute arm, moments 50 ms apart,\nrelative change 1e-7"
    return table


def scaling_table(rows: Sequence[Scaled]) -> Table:
    """Figure 2."""
    table = console.table(
        "figure 2: a solution against the number of bodies N",
        ("joints",),
        (" N", " dim(A)", " iterations", " J-CG ops", " recursion", " J-CG", " recursion"),
    )
    for row in rows:
        table.add_row(
            f"{row.freedoms} freedom{'s' if row.freedoms > 1 else ''}",
            f" {row.links}",
            f" {row.dimension}",
            f" {row.iterations:.1f}",
            f" {row.operations:.0f}",
            f" {row.recursion}",
            f" {console.duration(row.seconds)}",
            f" {console.duration(row.recursion_seconds)}",
        )
    table.caption = (
        "operations and processor time of one solution, on average; chains\n"
        "bent at random that move, solutions 10 ms apart, cubic start,\n"
        "relative change 1e-7"
    )
    return table


def exponent_table(rows: Sequence[Scaled]) -> Table:
    """Powers of N that fit figure 2."""
    from phalanx.studies.sharf.scaling import PRINTED, exponents

    table = console.table(
        "powers of N",
        ("joints",),
        (" iterations", " J-CG ops", " recursion ops", " J-CG time", " paper"),
    )
    for fit in exponents(rows):
        table.add_row(
            f"{fit.freedoms} freedom{'s' if fit.freedoms > 1 else ''}",
            f" {fit.iterations:.2f}",
            f" {fit.operations:.2f}",
            f" {fit.recursion:.2f}",
            f" {fit.seconds:.2f}",
            f" {PRINTED[fit.freedoms]}",
        )
    table.caption = (
        "times grow slower than operations: calls cost more than short\n"
        "arrays do; paper: of J-CG's time on a Sun 3/60, recursion as N"
    )
    return table


def time_table(rows: Sequence[ParallelTimes]) -> Table:
    """Figure 3."""
    threads = rows[0].threads
    table = console.table(
        "figure 3: time of a solution, estimated and measured",
        ("N",),
        (" steps", " T_CPU", " T_serial", " (20)", " (21)", " (21)p", " p", " recursion"),
    )
    for row in rows:
        seconds = (row.cpu, row.serial, row.ideal, row.real, row.expected, row.measured)
        table.add_row(
            f"{row.links}",
            f" {row.iterations}",
            *(f" {console.duration(value)}" for value in (*seconds, row.recursion)),
        )
    table.caption = (
        "(20), (21): the paper's estimates, a processor for each body, without\n"
        f"and with 30 % for sharing; (21)p, p: estimated and measured on {threads} threads;\n"
        "the rest is measured on one, best of seven"
    )
    return table


def tolerance_table(rows: Sequence[Tied]) -> Table:
    """Evaluations by tolerance."""
    table = console.table(
        "four links fall for 2 s, LSODA at 1e-6",
        ("tolerance of J-CG",),
        (" evaluations", " iterations", " reached", " off at end"),
    )
    for row in rows:
        more = "" if row.departure is not None else "+"
        table.add_row(
            "direct solution" if row.share is None else f"{row.share:g} of the integrator's",
            f" {row.evaluations}{more}",
            "" if row.share is None else f" {row.iterations:.1f}",
            f" {row.reached:.2g} s",
            "" if not row.departure else f" {row.departure:.1g} rad",
        )
    table.caption = "+: stopped when its evaluations were spent"
    return table


def facts(found: Comparison) -> dict[str, Any]:
    """All of it as JSON."""
    from phalanx.studies.sharf.scaling import PRINTED, exponents

    told: dict[str, Any] = {}
    if found.table2:
        told["table2"] = [
            _named(row) | {"printed": row.contestant.printed[row.manoeuvre.name == "spatial"]}
            for row in found.table2
        ]
    if found.warm_starts:
        told["warm_starts"] = [_named(row) for row in found.warm_starts]
    if found.figure2:
        told["figure2"] = {
            "rows": [asdict(row) for row in found.figure2],
            "exponents": [
                asdict(fit) | {"printed": PRINTED[fit.freedoms]} for fit in exponents(found.figure2)
            ],
        }
    if found.figure3:
        told["figure3"] = [
            asdict(row) | {"ideal": row.ideal, "real": row.real, "expected": row.expected}
            for row in found.figure3
        ]
    if found.tolerance:
        told["tolerance"] = [asdict(row) for row in found.tolerance]
    return told


def _named(row: Simulated | StartRow) -> dict[str, Any]:
    """A row with names for what it is of."""
    numbers = {name: value for name, value in vars(row).items() if isinstance(value, float | int)}
    return {"iteration": row.contestant.name, "manoeuvre": row.manoeuvre.name} | numbers
