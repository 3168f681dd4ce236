"""``phalanx chain``: forward dynamics of a long chain, by one method or by all of them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Annotated

import typer

from phalanx.cli import console
from phalanx.cli.choices import OneOf
from phalanx.cli.options import Json, Threads


@dataclass(frozen=True)
class ChainOptions:
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
class ChainStateOptions:
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
    hung: ChainOptions,
    method: Annotated[
        str,
        OneOf("phalanx.bench.chains.methods:METHODS", checked=False),
        typer.Option(metavar="METHOD", help="How accelerations are found: {either}."),
    ] = "serial",
    compare: Annotated[
        bool, typer.Option("--compare", help="All methods in a table, that of --method first.")
    ] = False,
    drawn: ChainStateOptions,
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
    from phalanx.bench.chains.comparison import ChainComparison
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
        comparison = ChainComparison(bodies_of(machine), states, threads or os.cpu_count() or 1)
        names = [method, *(name for name in METHODS if compare and name != method)]
        rows = comparison.measure(
            {name: METHODS[name] for name in names},
            progress=lambda what: status.update(f"{what} …"),
        )
    alone = rows[0]
    if alone.refused is not None and not compare:
        raise InvalidInput(alone.refused)
    console.say(comparison.facts(rows), json)
