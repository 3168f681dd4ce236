"""``phalanx excavator-fleet``: a batch of excavators with random loads and operators."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Annotated

import typer

from phalanx.base.errors import InvalidInput
from phalanx.base.facts import Facts, Part, Styled, TextTable, duration
from phalanx.cli import console
from phalanx.cli.excavator import (
    SOIL,
    SpoolCurveName,
    Step,
    WhichMachine,
    check_step,
    find_ground,
    spool_options,
)
from phalanx.cli.options import Numerics

if TYPE_CHECKING:
    from phalanx.machines.excavator.fleet_run import FleetRun


@dataclass(frozen=True)
class FleetSizeOptions:
    """Number of machines and duration."""

    machines: Annotated[
        str, typer.Option(metavar="N", help="Number of machines (batch size), such as 4096 or 1e4.")
    ] = "4096"
    seconds: Annotated[float, typer.Option(help="Simulated time of each machine [s].")] = 15.0


@dataclass(frozen=True)
class FleetWorkOptions:
    """Machine, soil, load and operator."""

    machine: WhichMachine = "rotary"
    ground: Annotated[
        str, SOIL, typer.Option(help="Soil to dig in and carry; none for a constant load.")
    ] = "none"
    spool_curve: SpoolCurveName = None
    step: Step = 1e-3
    hold: Annotated[float, typer.Option(help="Time between random stick positions [s].")] = 1.0
    heaviest: Annotated[
        float, typer.Option(help="Largest random load [kg], at most a full bucket.")
    ] = 900.0
    seed: Annotated[int, typer.Option(min=0, help="Seed of random loads and operators.")] = 0


def excavator_fleet(size: FleetSizeOptions, options: FleetWorkOptions, numerics: Numerics) -> None:
    """Simulate a batch of excavators; print their final states and the speed.

    Each machine has a random load and an operator who moves four sticks at random.

    Examples:
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
    check_step(options.step)
    if not options.hold >= options.step:
        raise InvalidInput(f"--hold {options.hold}; expected a step of {options.step} s or more.")
    whole_steps(seconds, options.step)
    rows = max(1, ceil(seconds / options.hold - 1e-9))
    check_memory(
        f"the commands of {count:,} operators",
        3.0 * 8 * count * (4 * rows + 10 * seconds),  # with the joints, ten times a second
        "Take fewer --machines or --seconds, or a longer --hold.",
        count,
    )
    with console.err().status("Compiling the machine …"):
        fleet = Fleet.make(
            MACHINES[options.machine](
                step=options.step,
                ground=find_ground(options.ground),
                **spool_options(options.machine, options.spool_curve),
            ),
            count,
            rows=rows,
            hold=options.hold,
            heaviest=options.heaviest,
            seed=options.seed,
            **numerics.options,
        )
    show(fleet.run(seconds))


def show(run: FleetRun) -> None:
    """Print final positions of the buckets, joint limits, soil and speed."""
    import numpy as np

    summary = run.summary()
    if summary.lost:
        console.print_warning(
            f"{summary.lost:,} of {summary.machines:,} machines became non-finite; reduce --step."
        )
    parts: list[Part] = []
    if summary.lost < summary.machines:
        tips = run.tips[run.finite]
        rows = [
            (axis, *(f" {x:.3f}" for x in (c.mean(), c.std(), c.min(), c.max())))
            for axis, c in zip("xyz", tips.T, strict=True)
        ]
        heads = ["mean", "std", "min", "max"]
        parts.append(TextTable("final position of teeth [m]", [""], heads, rows))
        sentences = [f"{100 * summary.beyond_limits:.1f} % of the machines exceeded a joint limit"]
        if summary.spilled is not None:
            sentences.append(f"{100 * summary.spilled:.1f} % lost soil")
            sentences.append(
                f"{np.mean(run.load[run.finite]):.0f} kg of soil in a bucket on average"
            )
        parts.append("; ".join(sentences) + ".")
    loop = run.fleet.rollouts
    speed = (
        f"{summary.machines:,} machines, {summary.seconds:g} s each in "
        f"{duration(summary.wall_time)}: ",
        Styled(f"{summary.ratio:,.0f} machine-seconds per second", "bold"),
        f", {summary.ratio / summary.machines:.3g} times real time for all of them "
        f"(steps of {loop.step:g} s, {loop.kernel.threads} threads, {loop.dtype})",
    )
    console.print_facts(Facts([*parts, speed]))
