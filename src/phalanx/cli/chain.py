"""``phalanx chain``: forward dynamics of a long chain, by one method or by all of them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from phalanx.cli import console
from phalanx.cli.choices import OneOf
from phalanx.cli.options import Json, Threads

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from phalanx.bench.chains.comparison import Comparison, Measured


@dataclass(frozen=True)
class Hung:
    """The chain."""

    bodies: Annotated[
        str, typer.Option(metavar="N", help="How many rods of 1 m and 1 kg; 1e4 is a number too.")
    ] = "1000"
    joint: Annotated[
        str,
        OneOf("phalanx.mechanism.library.chain:JOINTS"),
        typer.Option(help="Between rods; hinges alternate their axis unless --planar is given."),
    ] = "revolute"
    planar: Annotated[bool, typer.Option("--planar", help="All hinges about one axis.")] = False


@dataclass(frozen=True)
class Drawn:
    """The states."""

    samples: Annotated[
        str, typer.Option(metavar="N", help="How many states a call takes at once.")
    ] = "1"
    posture: Annotated[
        str,
        OneOf("phalanx.bench.chains.states:POSTURES"),
        typer.Option(help="Joints at random angles, or hanging straight."),
    ] = "random"
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random states.")] = 0


def chain(
    *,
    hung: Hung,
    method: Annotated[
        str,
        OneOf("phalanx.bench.chains.methods:METHODS", checked=False),
        typer.Option(metavar="METHOD", help="How accelerations are found: {either}."),
    ] = "serial",
    compare: Annotated[
        bool, typer.Option("--compare", help="All methods in a table, that of --method first.")
    ] = False,
    drawn: Drawn,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Forward dynamics of a long chain: how fast, how deep, how exact each method is.

    A chain of rods hangs from a hook. Its accelerations are found by one method, or by all. Numbers
    are compared before anything is timed; methods take turns, and the best turn counts.

    **depth** is how many body steps have to follow each other, however many processors there are:
    what a method that is slower on two of them is good for. **error** is the largest difference
    from a reference with fifty digits (above 1024 nodes: from the serial sweep), over the largest
    acceleration. **residual** puts accelerations back into the equations of motion and says what is
    missing of the joint forces, over the largest joint force.

    phalanx chain --bodies 10000 --method scan

    phalanx chain --bodies 300 --joint spherical --compare

    phalanx chain --bodies 1e5 --compare --threads 2

    phalanx chain --bodies 64 --samples 1000 --posture hanging --compare --json
    """
    from phalanx.base.errors import InvalidInput, UnknownName
    from phalanx.base.memory import check_memory
    from phalanx.bench.chains.comparison import Comparison
    from phalanx.bench.chains.methods import METHODS
    from phalanx.bench.chains.states import draw
    from phalanx.cli.states import MOST_KEPT, sample_count
    from phalanx.dynamics.evaluators.bodies import bodies_of
    from phalanx.mechanism.library import chain as rods

    if method not in METHODS:
        raise UnknownName("forward dynamics of chains", "method", method, METHODS)
    alternate = hung.joint == "revolute" and not hung.planar
    with console.err().status("The chain …") as status:
        bodies = sample_count(hung.bodies, "--bodies", MOST_KEPT)
        samples = sample_count(drawn.samples, most=MOST_KEPT)
        machine = rods(bodies, hung.joint, alternate=alternate)
        check_memory(
            f"{samples:,} states",
            3.0 * 8 * samples * (machine.nq + 3 * machine.nv),  # of three calls that are compared
            "Take fewer --samples or --bodies.",
            samples,
        )
        states = draw(machine, drawn.posture, samples, drawn.seed)  # type: ignore[arg-type]
        comparison = Comparison(bodies_of(machine), states, threads or os.cpu_count() or 1)
        names = [method, *(name for name in METHODS if compare and name != method)]
        rows = comparison.measure(
            {name: METHODS[name] for name in names},
            progress=lambda what: status.update(f"{what} …"),
        )
    alone = rows[0]
    if alone.refused is not None and not compare:
        raise InvalidInput(alone.refused)
    if json:
        console.say_json(facts(comparison, rows))
        return
    out = console.out()
    out.print(methods_table(comparison, rows), "", sep="\n")
    for row in rows:
        if row.refused is not None:
            out.print(f"[yellow]{row.method}[/]: {escape(row.refused)}", soft_wrap=True)
    busy = [row.method for row in rows if row.timing and row.timing.processors < 0.85]
    if busy:
        out.print(
            f"[yellow]{', '.join(busy)}: other programs had the processors; times say little.[/]",
            soft_wrap=True,
        )


def methods_table(comparison: Comparison, rows: Sequence[Measured]) -> Table:
    """A row a method."""
    machine, samples = comparison.bodies.mechanism, len(comparison.states)
    table = console.table(
        f"forward dynamics of {len(machine.bodies) - 1} bodies, {machine.nv} freedoms, "
        f"{_counted(samples, 'state')}, {_counted(comparison.threads, 'thread')}",
        ("method",),
        (" first", " time", " a body", " depth", " steps", " error", " missing"),
    )
    evaluated = samples * (len(machine.bodies) - 1)
    for row in rows:
        if row.timing is None or row.first is None:
            table.add_row(row.method, *6 * (" –",), " refused")
            continue
        table.add_row(
            row.method,
            f" {console.duration(row.first)}",
            f" {console.duration(1e-9 * row.timing.best)}",
            f" {console.duration(1e-9 * row.timing.best / evaluated)}",
            f" {row.depth}",
            "" if row.iterations is None else f" {row.iterations}",
            f" {row.error:.0e}",
            f" {row.residual:.0e}",
        )
    against = "fifty digits" if comparison.is_decimal else "the serial sweep"
    table.caption = (
        "first: call, compiles unless cached; time: of later ones;\n"
        f"steps: iterations; error: against {against};\nmissing: residual"
    )
    return table


def facts(comparison: Comparison, rows: Sequence[Measured]) -> dict[str, Any]:
    """The same for programs."""
    machine = comparison.bodies.mechanism
    return {
        "bodies": len(machine.bodies) - 1,
        "freedoms": machine.nv,
        "samples": len(comparison.states),
        "threads": comparison.threads,
        "reference": "decimal" if comparison.is_decimal else "serial",
        "methods": {row.method: row.as_json() for row in rows},
    }


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
