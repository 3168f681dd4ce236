"""``phalanx excavator-fleet``: thousands of excavators, each with its own load and operator."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Annotated

import typer

from phalanx.base.errors import InvalidInput
from phalanx.base.facts import Facts, Part, Styled, TextTable
from phalanx.cli import console
from phalanx.cli.excavator import SOIL, Step, WhichMachine, check_step, find_ground
from phalanx.cli.options import Numerics

if TYPE_CHECKING:
    from phalanx.machines.excavator.fleet_run import FleetRun


@dataclass(frozen=True)
class FleetSizeOptions:
    """How many machines work for how long."""

    machines: Annotated[str, typer.Option(metavar="N", help="How many; 1e4 is a number too.")] = (
        "4096"
    )
    seconds: Annotated[float, typer.Option(help="That each of them works [s].")] = 15.0


@dataclass(frozen=True)
class FleetWorkOptions:
    """The machines, and what each of them does."""

    machine: WhichMachine = "rotary"
    ground: Annotated[
        str, SOIL, typer.Option(help="Soil to dig in and to carry; none: a fixed load.")
    ] = "none"
    step: Step = 1e-3
    hold: Annotated[float, typer.Option(help="How long operators hold their sticks [s].")] = 1.0
    heaviest: Annotated[
        float, typer.Option(help="Loads are drawn from 0 to this [kg]; a full bucket at most.")
    ] = 900.0
    seed: Annotated[int, typer.Option(min=0, help="Seed of loads and operators.")] = 0


def excavator_fleet(size: FleetSizeOptions, work: FleetWorkOptions, numerics: Numerics) -> None:
    """Let a fleet work and say how fast that went, and where it ended.

    Every machine has its own load and its own operator, who moves four sticks at random.

    phalanx excavator-fleet

    phalanx excavator-fleet --machines 1e4 --seconds 5 --machine cylinders

    phalanx excavator-fleet --machine cylinders --ground loam --threads 1
    """
    from phalanx.base.memory import check_memory
    from phalanx.cli.states import MOST_KEPT, sample_count
    from phalanx.machines.excavator.excavator import MACHINES
    from phalanx.machines.excavator.fleet import Fleet
    from phalanx.simulation.run.steps import whole_steps

    count, seconds = sample_count(size.machines, "--machines", MOST_KEPT), size.seconds
    check_step(work.step)
    if not work.hold >= work.step:
        raise InvalidInput(f"--hold {work.hold}; expected a step of {work.step} s or more.")
    whole_steps(seconds, work.step)
    rows = max(1, ceil(seconds / work.hold - 1e-9))
    check_memory(
        f"the commands of {count:,} operators",
        3.0 * 8 * count * (4 * rows + 10 * seconds),  # with the joints, ten times a second
        "Take fewer --machines or --seconds, or a longer --hold.",
        count,
    )
    with console.err().status("Compiling the machine …"):
        fleet = Fleet.make(
            MACHINES[work.machine](step=work.step, ground=find_ground(work.ground)),
            count,
            rows=rows,
            hold=work.hold,
            heaviest=work.heaviest,
            seed=work.seed,
            **numerics.options,
        )
    show(fleet.run(seconds))


def show(run: FleetRun) -> None:
    """What became of the fleet, and how fast."""
    import numpy as np

    summary = run.summary()
    if summary.lost:
        console.say_warning(
            f"{summary.lost:,} of {summary.machines:,} machines left finite numbers; shorten "
            "--step."
        )
    parts: list[Part] = []
    if summary.lost < summary.machines:
        tips = run.tips[run.finite]
        rows = [
            (axis, *(f" {x:.3f}" for x in (c.mean(), c.std(), c.min(), c.max())))
            for axis, c in zip("xyz", tips.T, strict=True)
        ]
        heads = ["mean", "spread", "least", "most"]
        parts.append(TextTable("where the teeth ended, in m", [""], heads, rows))
        said = [f"{100 * summary.beyond_limits:.1f} % went beyond the limits of a joint"]
        if summary.spilled is not None:
            said.append(f"{100 * summary.spilled:.1f} % ended with less soil than they began with")
            said.append(f"{np.mean(run.load[run.finite]):.0f} kg are in a bucket on average")
        parts.append("; ".join(said) + ".")
    loop = run.fleet.rollouts
    speed = (
        f"{summary.machines:,} machines, {summary.seconds:g} s each in "
        f"{console.duration(summary.wall_time)}: ",
        Styled(f"{summary.ratio:,.0f} machine-seconds a second", "bold"),
        f", {summary.ratio / summary.machines:.3g} times real time for all of them "
        f"(steps of {loop.step:g} s, {loop.kernel.threads} threads, {loop.dtype})",
    )
    console.say(Facts([*parts, speed]))
