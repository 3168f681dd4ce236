"""``phalanx excavator-fleet``: thousands of excavators, each with its own load and operator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from phalanx.cli import console
from phalanx.cli.excavator import Ground, Machine, WhichMachine
from phalanx.cli.options import Dtype, Threads
from phalanx.errors import InvalidInput

if TYPE_CHECKING:
    from phalanx.excavator.fleet import FleetRun


def excavator_fleet(
    machines: Annotated[str, typer.Option(help="How many; 1e4 is a number too.")] = "4096",
    seconds: Annotated[float, typer.Option(help="That each of them works [s].")] = 15.0,
    machine: WhichMachine = Machine.ROTARY,
    ground: Annotated[
        Ground, typer.Option(help="Soil to dig in and to carry; none: a fixed load.")
    ] = Ground.NONE,
    step: Annotated[float, typer.Option(help="Of the simulation [s].")] = 1e-3,
    hold: Annotated[float, typer.Option(help="How long operators hold their sticks [s].")] = 1.0,
    heaviest: Annotated[
        float, typer.Option(help="Loads are drawn from 0 to this [kg]; a full bucket at most.")
    ] = 900.0,
    seed: Annotated[int, typer.Option(min=0, help="Of loads and operators.")] = 0,
    threads: Threads = None,
    dtype: Annotated[Dtype, typer.Option(help="Of the numbers.")] = Dtype.float64,
) -> None:
    """Let a fleet work and say how fast that went, and where it ended.

    Every machine has its own load and its own operator, who moves four sticks at random.

    phalanx excavator-fleet

    phalanx excavator-fleet --machines 1e4 --seconds 5 --machine cylinders

    phalanx excavator-fleet --machine cylinders --ground loam --threads 1
    """
    from math import ceil

    from phalanx import ground as soils
    from phalanx.cli.states import check_memory, sample_count
    from phalanx.excavator.excavator import cylinder_excavator, rotary_excavator
    from phalanx.excavator.fleet import Fleet
    from phalanx.simulation.run import whole_steps

    count = sample_count(machines, "--machines")
    if not 0 < step <= 0.01:
        raise InvalidInput(f"--step {step}; expected at most 0.01 s.")
    if not hold >= step:
        raise InvalidInput(f"--hold {hold}; expected a step of {step} s or more.")
    whole_steps(seconds, step)
    rows = max(1, ceil(seconds / hold - 1e-9))
    check_memory(
        f"the commands of {count:,} operators",
        3.0 * 8 * count * (4 * rows + 10 * seconds),  # with the joints, ten times a second
        "Take fewer --machines or --seconds, or a longer --hold.",
    )
    soil = soils.SOILS.get(ground.value)
    make = cylinder_excavator if machine is Machine.CYLINDERS else rotary_excavator
    with console.err().status("Compiling the machine …"):
        fleet = Fleet.make(
            make(step=step, ground=soils.Ground(soil) if soil else None),
            count,
            rows=rows,
            hold=hold,
            heaviest=heaviest,
            seed=seed,
            threads=threads,
            dtype=dtype.literal,
        )
    with console.err().status(f"{count:,} machines work for {seconds:g} s …"):
        run = fleet.run(seconds)
    show(run)


def show(run: FleetRun) -> None:
    """What became of the fleet, and how fast."""
    import numpy as np

    summary = run.summary()
    if summary.lost:
        console.say_warning(
            f"{summary.lost:,} of {summary.machines:,} machines left finite numbers; shorten "
            "--step."
        )
    if summary.lost < summary.machines:
        tips = run.tips[run.finite]
        table = console.table(
            "where the teeth ended, in m", ("",), ("mean", "spread", "least", "most")
        )
        for axis, column in zip("xyz", tips.T, strict=True):
            numbers = (column.mean(), column.std(), column.min(), column.max())
            table.add_row(axis, *(f" {x:.3f}" for x in numbers))
        console.out().print(table)
        said = [f"{100 * summary.beyond_limits:.1f} % went beyond the limits of a joint"]
        if summary.spilled is not None:
            said.append(f"{100 * summary.spilled:.1f} % ended with less soil than they began with")
            said.append(f"{np.mean(run.load[run.finite]):.0f} kg are in a bucket on average")
        console.out().print("; ".join(said) + ".", soft_wrap=True)
    loop = run.fleet.rollouts
    console.out().print(
        f"{summary.machines:,} machines, {summary.seconds:g} s each in "
        f"{console.duration(summary.wall_time)}: [bold]{summary.ratio:,.0f} machine-seconds a "
        f"second[/], {summary.ratio / summary.machines:.3g} times real time for all of them "
        f"(steps of {loop.step:g} s, {loop.kernel.threads} threads, {loop.dtype})",
        soft_wrap=True,
    )
