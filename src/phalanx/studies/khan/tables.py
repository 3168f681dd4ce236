"""Tables of the comparison: measurements, grades, springs, blocks of time samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from phalanx.base.facts import Facts, Part, Styled, TextTable, duration
from phalanx.simulation.formulations import History
from phalanx.studies.khan.blocks import BlockRun
from phalanx.studies.khan.comparison import Measured
from phalanx.studies.khan.contestants import GRADES
from phalanx.studies.khan.grades import RULES, grades
from phalanx.studies.khan.printed import PrintedRun
from phalanx.studies.khan.springs import SpringSurvival

HEADS = {"modularity": "modular", "distribution": "distrib", "preparation": "prepare"}
SHORT = {"medium": "med"}


def comparison_facts(
    found: Sequence[Measured],
    survived: SpringSurvival,
    blocks: Sequence[BlockRun],
    printed: PrintedRun,
    *,
    rules: bool = False,
) -> Facts:
    """Return all tables of the comparison.

    Args:
        found: What methods do with the motion.
        survived: Stability of fixed steps with springs.
        blocks: Several time samples at once.
        printed: Elimination with the acceleration as printed.
        rules: Whether to add the rules of the grades.
    """
    said = [(Styled(name, "bold"), f" {rule}") for name, rule in RULES.items()] if rules else []
    parts: list[Part] = [measurements(found), "", grade_table(found), *said, ""]
    parts += [survival_table(survived), "", block_table(blocks), "", printed_line(printed)]
    as_printed = {
        "departs_s": printed.departs,
        "diverges_s": printed.diverges,
        "stopped": printed.history.stopped,
    }
    return Facts(parts, {"as_printed": as_printed})


def measurements(found: Sequence[Measured]) -> TextTable:
    """Table of measurements, a row a method."""
    return TextTable(
        "three seconds of the planar 3-RRR",
        ["method"],
        [" state", " ops", " one", " fastest", " 1e-3", " 1e-6", " correct", " loops"],
        [
            (
                m.contestant.name,
                str(m.numbers),
                "" if m.operations is None else str(m.operations),
                f" {duration(m.evaluation)}",
                f" {m.fastest:.3g}/s",
                *(f" {h.evaluations}{'+' if h.stopped else ''}" for h in (m.coarse, m.fine)),
                " failed" if m.followed.stopped else f" {m.worst_correction:.2g} %",
                f" {m.opening:.1g}",
            )
            for m in found
        ],
        "state: number of states; ops, one: operations and time of an evaluation; "
        "fastest: fastest mode; 1e-3, 1e-6: evaluations at that tolerance (+: stopped); "
        "correct: torque added by feedback; loops: opening in m",
        values={"methods": {m.contestant.name: _values(m, found) for m in found}},
    )


def grade_table(found: Sequence[Measured]) -> TextTable:
    """Grades by rule; those of the thesis in brackets where they differ."""
    rows = []
    for m in found:
        given, printed = grades(m, found), m.contestant.printed
        cells = [m.contestant.name]
        for k, name in enumerate(GRADES):
            differs = printed is not None and printed[k] != given[name]
            theirs = SHORT.get(printed[k], printed[k]) if printed else ""
            own = SHORT.get(given[name], given[name])
            cells.append(f" {own}({theirs})" if differs else f" {own}")
        rows.append(cells)
    heads = [f" {HEADS.get(grade, grade)}" for grade in GRADES]
    caption = "in brackets: grade of Table 5.1 of the thesis, if different"
    return TextTable("grades", ["method"], heads, rows, caption)


def survival_table(survived: SpringSurvival) -> TextTable:
    """Which springs which step survives."""
    by_step = list(zip(survived.steps, survived.survives, strict=True))
    return TextTable(
        "stability of Runge-Kutta with springs in the loops",
        ["step"],
        [f" k = {k:.0e} N/m" for k in survived.stiffnesses],
        [
            (f"{1e3 * step:g} ms", *(" stable" if ok else " fails" for ok in row))
            for step, row in by_step
        ],
        values={
            "springs": {
                f"{step:g}": {
                    f"{k:g}": bool(ok) for k, ok in zip(survived.stiffnesses, row, strict=True)
                }
                for step, row in by_step
            }
        },
    )


def block_table(blocks: Sequence[BlockRun]) -> TextTable:
    """Moments at a time, and what they cost."""
    return TextTable(
        "several time samples at once, method legs",
        ["integrator"],
        [" step", " evaluations", " rounds", " largest error", " time"],
        [
            (
                "Runge-Kutta" if block.points is None else f"sliding block of {block.points}",
                f" {1e3 * block.step:g} ms",
                f" {block.evaluations}",
                f" {block.rounds}",
                f" {block.error:.2g} rad",
                f" {duration(block.seconds)}",
            )
            for block in blocks
        ],
        values={"blocks": [asdict(block) for block in blocks]},
    )


def printed_line(printed: PrintedRun) -> str:
    """Line on elimination with the acceleration that the thesis prints."""
    if printed.departs is None:
        return "elimination with the acceleration as printed: follows the motion"
    text = f"elimination with the acceleration as printed: departs at {printed.departs:.2f} s"
    if printed.diverges is not None:
        text += f", diverges at {printed.diverges:.2f} s"
    return f"{text} ({printed.history.stopped or 'runs to the end'})"


def _values(m: Measured, found: Sequence[Measured]) -> dict[str, Any]:
    """A method for programs."""
    return {
        "says": m.contestant.says,
        "numbers": m.numbers,
        "preparation_s": m.preparation,
        "operations": m.operations,
        "derived_operations": m.derived,
        "sharing": None if m.sharing is None else asdict(m.sharing),
        "evaluation_s": m.evaluation,
        "fastest_per_s": m.fastest,
        "tolerance_1e-3": _counted(m.coarse, m.errors[0]),
        "tolerance_1e-6": _counted(m.fine, m.errors[1]),
        "feedback_1ms": _counted(m.followed, m.errors[2])
        | {"correction_percent": m.correction.max(axis=0).tolist(), "opening": m.opening},
        "grades": grades(m, found),
        "printed_grades": m.contestant.printed,
    }


def _counted(history: History, error: float) -> dict[str, Any]:
    return {
        "evaluations": history.evaluations,
        "steps": history.steps,
        "end": float(history.t[-1]),
        "stopped": history.stopped,
        "restarts": len(history.restarts),
        "jumps": len(history.jumps),
        "largest_error": error,
    }
