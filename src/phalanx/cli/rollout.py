"""``phalanx rollout``: thousands of runs of one model in a compiled loop."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from phalanx.base.errors import InvalidInput
from phalanx.cli import console
from phalanx.cli.controls import FixedIntegrator, Loads, Start, Steering, chosen_integrator
from phalanx.cli.models import Loading, Model
from phalanx.cli.options import Numerics
from phalanx.cli.outputs import Writes
from phalanx.cli.random_runs import draw_factors, initial_states, parameter_values

MOST_STEPS = 1_000_000_000

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from phalanx.mechanism import Mechanism
    from phalanx.simulation.batch.result import RolloutResult


@dataclass(frozen=True)
class Runs:
    """How many runs, and how long."""

    runs: Annotated[str, typer.Option(metavar="N", help="How many runs; 1e4 is a number too.")] = (
        "1024"
    )
    steps: Annotated[int, typer.Option(min=1, max=MOST_STEPS, help="Steps a run.")] = 200
    step: Annotated[float, typer.Option(help="Length of a step [s].")] = 1e-3

    @property
    def count(self) -> int:
        """The number of runs.

        Raises:
            InvalidInput: When it is none.
        """
        from phalanx.cli.states import MOST_KEPT, sample_count

        return sample_count(self.runs, "--runs", MOST_KEPT)


@dataclass(frozen=True)
class Drawn:
    """What differs from run to run by chance."""

    randomise: Annotated[
        list[str] | None,
        typer.Option(
            help="A number of the machine, times a factor of its own in each run: "
            "link_3.mass=0.9:1.1. May be repeated.",
            metavar="NAME=LOW:HIGH",
            show_default=False,
        ),
    ] = None
    seed: Annotated[int, typer.Option(min=0, help="Seed of positions and factors.")] = 0


@dataclass(frozen=True, kw_only=True)
class Kept:
    """What is kept, and how it is computed."""

    every: Annotated[int, typer.Option(min=1, help="Keep every so many steps.")] = 1
    output: Annotated[
        Path | None,
        Writes((".npz",)),
        typer.Option(help="Write q, v, time and factors: .npz.", show_default=False),
    ] = None
    numerics: Numerics


@dataclass(frozen=True, kw_only=True)
class Motion:
    """How every run goes on, and where it begins."""

    steering: Steering
    integrator: FixedIntegrator = "rk4"
    loads: Loads
    start: Start


def rollout(
    model: Model,
    loading: Loading,
    runs: Runs,
    motion: Motion,
    drawn: Drawn,
    kept: Kept,
) -> None:
    """Simulate many runs at once; say how fast that went.

    Runs start at rest, at random positions within the joint limits, unless --q0 and --v0 say where.
    Machines with loops start in some closed postures near zero.
    Without --output nothing but final states is kept.

    phalanx rollout puma560 --runs 1e4 --steps 200

    phalanx rollout puma560 --control pd --target 0.5 --randomise link_3.mass=0.9:1.1

    phalanx rollout arm.urdf --steps 1000 --every 10 --output runs.npz
    """
    from phalanx.simulation.batch.rollouts import CompiledRollout
    from phalanx.simulation.setup.setup import DEFAULT_FORCES, Setup

    count, steps, every, output = runs.count, runs.steps, kept.every, kept.output
    if every > steps:
        raise InvalidInput(f"--every {every} keeps nothing of {steps} steps.")
    mechanism = loading.find(model)
    _check_size(mechanism, runs, kept)
    factors = draw_factors(mechanism, drawn.randomise or [], count, drawn.seed)
    start = motion.start.of(mechanism)
    started = time.perf_counter()
    with console.err().status("Compiling the loop …"):
        setup = Setup(
            mechanism,
            control=motion.steering.law(mechanism),
            forces=motion.loads.chosen(DEFAULT_FORCES),
            parameters=tuple(factors),
        )
        loop = CompiledRollout(
            setup,
            step=runs.step,
            integrator=chosen_integrator(motion.integrator),
            record=("q", "v") if output is not None else (),
            **kept.numerics.options,
        )
    compiled = time.perf_counter() - started
    start_q, start_v = initial_states(mechanism, start, count, drawn.seed, loop.dtype)
    inputs = {name: parameter_values(mechanism, name, f) for name, f in factors.items()}
    begin = time.perf_counter()
    result = loop(start_q, start_v, steps=steps, inputs=inputs, every=every)
    wall_time = time.perf_counter() - begin
    show(mechanism, result)
    console.err().print(
        f"{count:,} runs of {steps:,} steps of {runs.step:g} s in {console.duration(wall_time)}: "
        f"{count * steps / wall_time / 1e6:.3g} million steps per second, "
        f"{count * steps * runs.step / wall_time:.4g} times real time "
        f"({loop.kernel.threads} threads, {loop.dtype}); loop ready in {compiled:.2f} s",
        soft_wrap=True,
    )
    if output is not None:
        write(output, result, start_q, start_v, factors)
        console.err().print(f"Runs in {output}.", soft_wrap=True)


def _check_size(mechanism: Mechanism, runs: Runs, kept: Kept) -> None:
    """Refuse runs that would not fit into memory.

    Raises:
        InvalidInput: When they would not.
    """
    from numpy import dtype

    from phalanx.base.memory import check_memory

    state = dtype(kept.numerics.dtype).itemsize * (mechanism.nq + mechanism.nv)
    check_memory(
        f"{runs.count:,} runs",
        runs.count * state * (4 + (runs.steps // kept.every if kept.output is not None else 0)),
        "Take fewer --runs, or keep less with --every.",
        runs.count,
    )


def show(mechanism: Mechanism, result: RolloutResult) -> None:
    """Where the runs ended: mean and spread of each position."""
    import numpy as np

    final = result.final_q
    good = np.isfinite(final).all(axis=-1) & np.isfinite(result.final_v).all(axis=-1)
    if not good.all():
        console.say_warning(
            f"{np.count_nonzero(~good):,} of {np.size(good):,} runs left finite numbers; shorten "
            "--step."
        )
    if not good.any():
        return
    table = console.table("final positions", ("joint",), ("mean", "spread", "least", "most"))
    for joint in mechanism.moving_joints:
        part = final[good][:, mechanism.q_slices[joint.name]]
        for k, column in enumerate(part.T):
            label = joint.name if part.shape[1] == 1 else f"{joint.name}[{k}]"
            numbers = (column.mean(), column.std(), column.min(), column.max())
            table.add_row(label, *(f" {x:.4g}" for x in numbers))
    console.out().print(table)


def write(
    path: Path,
    result: RolloutResult,
    start_q: NDArray[Any],
    start_v: NDArray[Any],
    factors: dict[str, NDArray[Any]],
) -> None:
    """All of it in one ``.npz``: states, time, initial states, factors by name."""
    import numpy as np

    arrays = {"time": result.time, "q": result.q, "v": result.v, "q0": start_q, "v0": start_v}
    named: dict[str, Any] = arrays | {f"factor {name}": f for name, f in factors.items()}
    np.savez(path, **named)
