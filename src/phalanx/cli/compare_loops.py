"""``phalanx compare-loops``: methods for machines with loops, measured on one motion."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from phalanx.cli import console
from phalanx.cli.options import Json
from phalanx.cli.outputs import Writes

if TYPE_CHECKING:
    from rich.table import Table

    from phalanx.studies.khan.blocks import BlockRun
    from phalanx.studies.khan.comparison import Measured
    from phalanx.studies.khan.printed import PrintedRun
    from phalanx.studies.khan.springs import Survival


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
    if json:
        console.say_json(facts(found, survived, blocks, printed))
        return
    out = console.out()
    out.print(measurements(found), "", grade_table(found), sep="\n")
    if rules:
        from phalanx.studies.khan.grades import RULES

        for name, rule in RULES.items():
            out.print(f"[bold]{name}[/] {escape(rule)}", soft_wrap=True)
    out.print("", survival_table(survived), "", block_table(blocks), "", sep="\n")
    out.print(printed_line(printed), soft_wrap=True)
    if plot is not None:
        out.print(f"\nDrawn in {plot}.")


def measurements(found: Sequence[Measured]) -> Table:
    """What was counted and measured, a row a method."""
    table = console.table(
        "three seconds of the planar 3-RRR",
        ("method",),
        (" state", " ops", " one", " fastest", " 1e-3", " 1e-6", " correct", " loops"),
    )
    for m in found:
        table.add_row(
            m.contestant.name,
            str(m.numbers),
            "" if m.operations is None else str(m.operations),
            f" {console.duration(m.evaluation)}",
            f" {m.fastest:.3g}/s",
            *(f" {h.evaluations}{'+' if h.stopped else ''}" for h in (m.coarse, m.fine)),
            " broke" if m.followed.stopped else f" {m.worst_correction:.2g} %",
            f" {m.opening:.1g}",
        )
    table.caption = (
        "state: numbers integrated; ops, one: of one evaluation;\n"
        "1e-3, 1e-6: evaluations at that tolerance (+: stopped);\n"
        "correct: torque that feedback adds; loops: opening in m"
    )
    return table


def grade_table(found: Sequence[Measured]) -> Table:
    """Grades by rule; those of the thesis in brackets where they differ."""
    from phalanx.studies.khan.contestants import GRADES
    from phalanx.studies.khan.grades import grades

    heads = {"modularity": "modular", "distribution": "distrib", "preparation": "prepare"}
    table = console.table(
        "grades", ("method",), tuple(f" {heads.get(grade, grade)}" for grade in GRADES)
    )
    short = {"medium": "med"}
    for m in found:
        given = grades(m, found)
        cells = []
        for k, name in enumerate(GRADES):
            own = short.get(given[name], given[name])
            printed = m.contestant.printed
            differs = printed is not None and printed[k] != given[name]
            theirs = short.get(printed[k], printed[k]) if printed else ""
            cells.append(f" {own}({theirs})" if differs else f" {own}")
        table.add_row(m.contestant.name, *cells)
    table.caption = "(in brackets: what Table 5.1 of the thesis says, where it says otherwise)"
    return table


def survival_table(survived: Survival) -> Table:
    """Which springs which step survives."""
    table = console.table(
        "springs that Runge-Kutta survives",
        ("step",),
        tuple(f" k = {k:.0e} N/m" for k in survived.stiffnesses),
    )
    for step, row in zip(survived.steps, survived.survives, strict=True):
        table.add_row(f"{1e3 * step:g} ms", *(" runs" if ok else " fails" for ok in row))
    return table


def block_table(blocks: Sequence[BlockRun]) -> Table:
    """Moments at a time, and what they cost."""
    table = console.table(
        "several moments at a time, legs",
        ("integrator",),
        (" step", " evaluations", " rounds", " largest error", " took"),
    )
    for block in blocks:
        name = "Runge-Kutta" if block.points is None else f"sliding block of {block.points}"
        counts = (f" {block.evaluations}", f" {block.rounds}")
        took = f" {console.duration(block.seconds)}"
        table.add_row(name, f" {1e3 * block.step:g} ms", *counts, f" {block.error:.2g} rad", took)
    return table


def printed_line(printed: PrintedRun) -> str:
    """What becomes of elimination with the acceleration that the thesis prints."""
    if printed.departs is None:
        return "elimination with the acceleration as printed: keeps to the motion"
    text = f"elimination with the acceleration as printed: departs at {printed.departs:.2f} s"
    if printed.diverges is not None:
        text += f", has lost the motion at {printed.diverges:.2f} s"
    return f"{text} ({printed.history.stopped or 'reaches its end'})"


def facts(
    found: Sequence[Measured],
    survived: Survival,
    blocks: Sequence[BlockRun],
    printed: PrintedRun,
) -> dict[str, Any]:
    """All of it as JSON."""
    from dataclasses import asdict

    from phalanx.studies.khan.grades import grades

    def counted(history: Any, error: float) -> dict[str, Any]:
        return {
            "evaluations": history.evaluations,
            "steps": history.steps,
            "end": float(history.t[-1]),
            "stopped": history.stopped,
            "restarts": len(history.restarts),
            "jumps": len(history.jumps),
            "largest_error": error,
        }

    return {
        "methods": {
            m.contestant.name: {
                "says": m.contestant.says,
                "numbers": m.numbers,
                "preparation_s": m.preparation,
                "operations": m.operations,
                "derived_operations": m.derived,
                "sharing": None if m.sharing is None else asdict(m.sharing),
                "evaluation_s": m.evaluation,
                "fastest_per_s": m.fastest,
                "tolerance_1e-3": counted(m.coarse, m.errors[0]),
                "tolerance_1e-6": counted(m.fine, m.errors[1]),
                "feedback_1ms": counted(m.followed, m.errors[2])
                | {"correction_percent": m.correction.max(axis=0).tolist(), "opening": m.opening},
                "grades": grades(m, found),
                "printed_grades": m.contestant.printed,
            }
            for m in found
        },
        "springs": {
            f"{step:g}": {
                f"{k:g}": bool(ok) for k, ok in zip(survived.stiffnesses, row, strict=True)
            }
            for step, row in zip(survived.steps, survived.survives, strict=True)
        },
        "blocks": [asdict(block) for block in blocks],
        "as_printed": {
            "departs_s": printed.departs,
            "diverges_s": printed.diverges,
            "stopped": printed.history.stopped,
        },
    }
