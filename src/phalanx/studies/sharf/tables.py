"""Tables of the study: measurements and the numbers printed in the paper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from phalanx.base.facts import Facts, Part, TextTable, duration
from phalanx.studies.sharf.comparison import ParallelComparison, Reproduction
from phalanx.studies.sharf.parallel_model import ChainComputer, ParallelWork, crossover
from phalanx.studies.sharf.parallel_time import ParallelTimes
from phalanx.studies.sharf.scaling import PRINTED, Scaled, exponents
from phalanx.studies.sharf.table_2 import Simulated
from phalanx.studies.sharf.tolerance import Tied
from phalanx.studies.sharf.warm_starts import StartRow


def comparison_facts(found: Reproduction) -> Facts:
    """A table for each part that was measured, two for figure 2 and three for figure 3."""
    tables: list[TextTable] = []
    if found.table2:
        tables.append(simulated_table(found.table2))
    if found.warm_starts:
        tables.append(start_table(found.warm_starts))
    if found.figure2:
        tables += [scaling_table(found.figure2), exponent_table(found.figure2)]
    if found.figure3:
        tables += parallel_tables(found.figure3)
    if found.tolerance:
        tables.append(tolerance_table(found.tolerance))
    parts: list[Part] = [part for table in tables for part in (table, "")]
    return Facts(parts[:-1])


def simulated_table(rows: Sequence[Simulated]) -> TextTable:
    """Table 2: the substitute arm, and in brackets what the paper prints of its own."""
    worst = max(row.drift for row in rows)
    printed = [row.iteration.printed[row.manoeuvre.name == "spatial"] for row in rows]
    return TextTable(
        "table 2: ten seconds of a substitute arm",
        ["iteration", " manoeuvre"],
        [" final error", " iterations", " calls", " CPU time"],
        [
            (
                row.iteration.name,
                f" {row.manoeuvre.name}",
                f" {row.accuracy:.1g} % ({theirs[0]:g})",
                f" {row.iterations:.1f} ({theirs[1]})",
                f" {row.evaluations}",
                f" {duration(row.seconds)} ({theirs[2]:g} s)",
            )
            for row, theirs in zip(rows, printed, strict=True)
        ],
        "in brackets: Table 2 of the paper, for another arm, on a Sun 3/60; "
        "calls: evaluations of the equations; tolerances: integrator 1e-6, "
        f"iteration 1e-7; constraint velocities at most {worst:.0e} m/s and rad/s",
        values={
            "table2": [
                _named(row) | {"printed": theirs} for row, theirs in zip(rows, printed, strict=True)
            ]
        },
    )


def start_table(rows: Sequence[StartRow]) -> TextTable:
    """Iterations by where they begin."""
    return TextTable(
        "iterations by initial guess",
        ["iteration", " manoeuvre"],
        [" zero", " previous", " cubic"],
        [
            (
                row.iteration.name,
                f" {row.manoeuvre.name}",
                *(f" {x:.1f}" for x in (row.zero, row.previous, row.cubic)),
            )
            for row in rows
        ],
        "substitute arm, time samples every 50 ms,\nrelative change 1e-7",
        values={"warm_starts": [_named(row) for row in rows]},
    )


def scaling_table(rows: Sequence[Scaled]) -> TextTable:
    """Figure 2."""
    fits = exponents(rows)
    return TextTable(
        "figure 2: cost of a solution for N bodies",
        ["joints"],
        [" N", " dim(A)", " iterations", " J-CG ops", " recursion", " J-CG", " recursion"],
        [
            (
                _freedoms(row.freedoms),
                f" {row.links}",
                f" {row.dimension}",
                f" {row.iterations:.1f}",
                f" {row.operations:.0f}",
                f" {row.recursion}",
                f" {duration(row.seconds)}",
                f" {duration(row.recursion_seconds)}",
            )
            for row in rows
        ],
        "mean operations and CPU time of one solution; chains in motion at "
        "random angles, solutions every 10 ms, cubic extrapolation as initial "
        "guess, relative change 1e-7",
        values={
            "figure2": {
                "rows": [asdict(row) for row in rows],
                "exponents": [asdict(fit) | {"printed": PRINTED[fit.freedoms]} for fit in fits],
            }
        },
    )


def exponent_table(rows: Sequence[Scaled]) -> TextTable:
    """Powers of N that fit figure 2."""
    return TextTable(
        "powers of N",
        ["joints"],
        [" iterations", " J-CG ops", " recursion ops", " J-CG time", " paper"],
        [
            (
                _freedoms(fit.freedoms),
                *(f" {x:.2f}" for x in (fit.iterations, fit.operations, fit.recursion)),
                f" {fit.seconds:.2f}",
                f" {PRINTED[fit.freedoms]}",
            )
            for fit in exponents(rows)
        ],
        "times grow more slowly than operations, because calls cost more than "
        "short arrays; paper: J-CG time on a Sun 3/60, recursion as N",
    )


def parallel_tables(found: ParallelComparison) -> list[TextTable]:
    """Figure 3: by operations, by computers, by times."""
    values = {
        "work": [_work_values(row) for row in found.work],
        "crossover": [
            {"freedoms": kind, "bodies": crossover(rows, _gain)}
            for kind, rows in _by_freedoms(found.work).items()
        ],
        "computers": [
            asdict(computer)
            | {
                "crossovers": [
                    {"freedoms": kind, "passed": passed, "bodies": crossover(rows, gain)}
                    for kind, rows in _by_freedoms(found.work).items()
                    for passed, gain in _gains(computer)
                ]
            }
            for computer in found.computers
        ],
        "times": [
            asdict(row) | {"ideal": row.ideal, "real": row.real, "expected": row.expected}
            for row in found.times
        ],
    }
    return [work_table(found.work), computer_table(found), time_table(found.times, values)]


def work_table(rows: Sequence[ParallelWork]) -> TextTable:
    """Figure 3 in operations."""
    ends = " and ".join(
        f"{_bodies(crossover(own, _gain))} with {_freedoms(kind)}"
        for kind, own in _by_freedoms(rows).items()
    )
    return TextTable(
        "figure 3: operations of a solution, a processor for each body",
        ["d"],
        [
            " N",
            " steps",
            " T_CPU",
            " T_serial",
            " (20)",
            " (21)",
            " recursion",
            " gain",
            " latency",
        ],
        [
            (
                f"{row.freedoms}",
                f" {row.links}",
                f" {row.iterations:.1f}",
                *(f" {x:.0f}" for x in (row.total, row.serial, row.ideal, row.real)),
                f" {row.recursion}",
                f" {row.gain:.2f}",
                f" {row.break_even():.0f}" if row.break_even() > 0 else " none",
            )
            for row in rows
        ],
        "d: freedoms of a joint; gain: recursion on one processor over (21), where J-CG in "
        f"parallel wins above 1, from {ends}; latency: of a message, in operations, at which "
        "both take equally long",
    )


def computer_table(found: ParallelComparison) -> TextTable:
    """Figure 3 by a machine model."""
    kinds = _by_freedoms(found.work)
    return TextTable(
        "figure 3: bodies from which J-CG in parallel is faster, by computer",
        ["computer"],
        [
            " operation",
            " message",
            *(f" {kind}, {how}" for kind in kinds for how in ("passed", "own")),
        ],
        [
            (
                computer.name,
                f" {duration(computer.operation)}",
                f" {duration(computer.message(6))}",
                *(
                    f" {_bodies(crossover(rows, gain))}"
                    for rows in kinds.values()
                    for _, gain in _gains(computer)
                ),
            )
            for computer in found.computers
        ],
        "message: six numbers; 1 and 2: freedoms of a joint; passed: velocities go from body to "
        "body; own: every processor integrates that of its body, as in the paper; –: not for "
        f"{found.work[-1].links} bodies or fewer",
    )


def _gain(row: ParallelWork) -> float:
    return row.gain


def _gains(
    computer: ChainComputer,
) -> list[tuple[bool, Callable[[ParallelWork], float]]]:
    """Gains on a computer, with velocities passed on and with those of each processor's own."""

    def of(passed: bool) -> Callable[[ParallelWork], float]:
        return lambda row: row.alone(computer) / row.seconds(computer, passed=passed)

    return [(passed, of(passed)) for passed in (True, False)]


def _by_freedoms(rows: Sequence[ParallelWork]) -> dict[int, list[ParallelWork]]:
    kinds = sorted({row.freedoms for row in rows})
    return {kind: [row for row in rows if row.freedoms == kind] for kind in kinds}


def _bodies(count: float | None) -> str:
    return "–" if count is None else f"{count:.0f}"


def _work_values(row: ParallelWork) -> dict[str, Any]:
    return {
        "links": row.links,
        "freedoms": row.freedoms,
        "iterations": row.iterations,
        "cpu": row.total,
        "serial": row.serial,
        "ideal": row.ideal,
        "real": row.real,
        "recursion": row.recursion,
        "gain": row.gain,
        "latency": row.break_even(),
    }


def time_table(rows: Sequence[ParallelTimes], values: dict[str, Any]) -> TextTable:
    """Figure 3 in times of this machine; ``values`` are those of all of figure 3."""

    def seconds(row: ParallelTimes) -> tuple[float, ...]:
        estimated = (row.cpu, row.serial, row.ideal, row.real, row.expected)
        return (*estimated, row.measured, row.recursion)

    return TextTable(
        "figure 3: time of a solution, estimated and measured",
        ["N"],
        [" steps", " T_CPU", " T_serial", " (20)", " (21)", " (21)p", " p", " recursion"],
        [
            (f"{row.links}", f" {row.iterations}", *(f" {duration(x)}" for x in seconds(row)))
            for row in rows
        ],
        "(20), (21): estimates of the paper for one processor per body, without "
        "and with 30 % for communication; (21)p, p: estimated and measured "
        f"on {rows[0].threads} threads; others: measured on one thread, minimum of seven",
        values={"figure3": values},
    )


def tolerance_table(rows: Sequence[Tied]) -> TextTable:
    """Evaluations by tolerance."""
    return TextTable(
        "four falling links, 2 s, LSODA with tolerance 1e-6",
        ["tolerance of J-CG"],
        [" evaluations", " iterations", " end", " final error"],
        [
            (
                "direct solution" if row.share is None else f"{row.share:g} of the integrator's",
                f" {row.evaluations}{'' if row.departure is not None else '+'}",
                "" if row.share is None else f" {row.iterations:.1f}",
                f" {row.reached:.2g} s",
                "" if not row.departure else f" {row.departure:.1g} rad",
            )
            for row in rows
        ],
        "+: stopped at the limit of evaluations",
        values={"tolerance": [asdict(row) for row in rows]},
    )


def _freedoms(count: int) -> str:
    return f"{count} freedom{'s' if count > 1 else ''}"


def _named(row: Simulated | StartRow) -> dict[str, Any]:
    """A row with names for what it is of."""
    numbers = {name: value for name, value in vars(row).items() if isinstance(value, float | int)}
    return {"iteration": row.iteration.name, "manoeuvre": row.manoeuvre.name} | numbers
