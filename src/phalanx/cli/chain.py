"""``phalanx chain``: time and accuracy of forward dynamics of a long chain."""

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
    """Length and joints of the chain."""

    bodies: Annotated[
        str,
        typer.Option(
            metavar="N", help="Number of bodies, rods of 1 m and 1 kg, such as 1000 or 1e4."
        ),
    ] = "1000"
    joint: Annotated[
        str,
        OneOf("phalanx.mechanism.library.chain:JOINTS"),
        typer.Option(
            help="Joints between rods. Revolute joints alternate their axes unless --planar is set."
        ),
    ] = "revolute"
    planar: Annotated[bool, typer.Option("--planar", help="Make all joint axes parallel.")] = False


@dataclass(frozen=True)
class ChainStateOptions:
    """States of the chain."""

    samples: Annotated[
        str, typer.Option(metavar="N", help="Number of states in one call (batch size).")
    ] = "1"
    posture: Annotated[
        str,
        OneOf("phalanx.bench.chains.states:POSTURES"),
        typer.Option(help="Random joint angles, or straight down."),
    ] = "random"
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random states.")] = 0


def chain(
    *,
    size: ChainOptions,
    method: Annotated[
        str,
        OneOf("phalanx.bench.chains.methods:METHODS", checked=False),
        typer.Option(metavar="METHOD", help="Method of forward dynamics: {either}."),
    ] = "serial",
    compare: Annotated[
        bool, typer.Option("--compare", help="Compare all methods in a table.")
    ] = False,
    sampling: ChainStateOptions,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Measure the time and accuracy of forward dynamics of a long chain.

    Results are compared before anything is timed. Methods take turns, and the best time counts.

    **depth** is the number of body steps that must follow each other: the parallel time with any
    number of processors. **error** is the largest difference from a reference with fifty digits
    (above 1024 nodes: from the serial method), relative to the largest acceleration. **residual**
    is the largest error of the equations of motion, relative to the largest joint force.

    Examples:
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
    alternate = size.joint == "revolute" and not size.planar
    with console.err().status("Building the chain …") as status:
        bodies = sample_count(size.bodies, "--bodies", MOST_KEPT)
        samples = sample_count(sampling.samples, most=MOST_KEPT)
        machine = rods(bodies, size.joint, alternate=alternate)
        check_memory(
            f"{samples:,} states",
            3.0 * 8 * samples * (machine.nq + 3 * machine.nv),  # of three calls that are compared
            "Take fewer --samples or --bodies.",
            samples,
        )
        states = draw(machine, sampling.posture, samples, sampling.seed)  # type: ignore[arg-type]
        comparison = ChainComparison(bodies_of(machine), states, threads or os.cpu_count() or 1)
        names = [method, *(name for name in METHODS if compare and name != method)]
        rows = comparison.measure(
            {name: METHODS[name] for name in names},
            progress=lambda what: status.update(f"{what} …"),
        )
    alone = rows[0]
    if alone.refused is not None and not compare:
        raise InvalidInput(alone.refused)
    console.print_facts(comparison.facts(rows), json)
