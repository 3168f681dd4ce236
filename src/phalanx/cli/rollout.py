"""``phalanx rollout``: a batch of simulations of one model in a compiled loop."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from phalanx.base.errors import InvalidInput
from phalanx.base.facts import duration
from phalanx.cli import console
from phalanx.cli.controls import (
    ControlOptions,
    FixedIntegrator,
    ForceOptions,
    StartOptions,
    chosen_integrator,
)
from phalanx.cli.models import Loading, Model
from phalanx.cli.options import Numerics
from phalanx.cli.outputs import Writes

MOST_STEPS = 1_000_000_000

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from phalanx.mechanism import Mechanism
    from phalanx.simulation.batch.result import RolloutResult


@dataclass(frozen=True)
class BatchOptions:
    """Number of runs, steps and step length."""

    runs: Annotated[
        str, typer.Option(metavar="N", help="Number of runs (batch size), such as 1000 or 1e4.")
    ] = "1024"
    steps: Annotated[int, typer.Option(min=1, max=MOST_STEPS, help="Steps of each run.")] = 200
    step: Annotated[float, typer.Option(help="Length of a step [s].")] = 1e-3

    @property
    def count(self) -> int:
        """Return the number of runs.

        Raises:
            InvalidInput: When it is none.
        """
        from phalanx.cli.states import MOST_KEPT, sample_count

        return sample_count(self.runs, "--runs", MOST_KEPT)


@dataclass(frozen=True)
class VariationOptions:
    """Random parameters of the runs."""

    randomise: Annotated[
        list[str] | None,
        typer.Option(
            help="Multiply a parameter by a random factor in each run: link_3.mass=0.9:1.1. "
            "May be repeated.",
            metavar="NAME=LOW:HIGH",
            show_default=False,
        ),
    ] = None
    seed: Annotated[int, typer.Option(min=0, help="Seed of random positions and factors.")] = 0


@dataclass(frozen=True, kw_only=True)
class RolloutOutput:
    """Output file, threads and floating-point type."""

    every: Annotated[int, typer.Option(min=1, help="Record every N-th step in --output.")] = 1
    output: Annotated[
        Path | None,
        Writes((".npz",)),
        typer.Option(help="Write q, v, time and factors to an .npz file.", show_default=False),
    ] = None
    numerics: Numerics


@dataclass(frozen=True, kw_only=True)
class MotionOptions:
    """Control, integrator, forces and initial state of all runs."""

    control: ControlOptions
    integrator: FixedIntegrator = "rk4"
    forces: ForceOptions
    start: StartOptions


def rollout(
    model: Model,
    *,
    runs: BatchOptions,
    motion: MotionOptions,
    variation: VariationOptions,
    storing: RolloutOutput,
    loading: Loading,
) -> None:
    r"""Simulate a batch of runs; print the final states and the speed.

    By default, runs start at rest at random positions within the joint limits; machines with loops
    start at random closed postures near zero. Without --output, only final states are kept.

    Examples:
        phalanx rollout puma560 --runs 1e4 --steps 200
        phalanx rollout arm.urdf --steps 1000 --every 10 --output runs.npz

        # PD control, with another mass in each run
        phalanx rollout puma560 --control pd --target 0.5 \
            --randomise link_3.mass=0.9:1.1
    """
    from phalanx.simulation.batch.rollouts import CompiledRollout
    from phalanx.simulation.setup.setup import DEFAULT_FORCES, Setup

    count, steps, every, output = runs.count, runs.steps, storing.every, storing.output
    if every > steps:
        raise InvalidInput(f"--every {every} keeps nothing of {steps} steps.")
    mechanism = loading.find(model)
    _check_size(mechanism, runs, storing)
    factors = draw_factors(mechanism, variation.randomise or [], count, variation.seed)
    start = motion.start.of(mechanism)
    started = time.perf_counter()
    with console.err().status("Compiling the loop …"):
        setup = Setup(
            mechanism,
            control=motion.control.law(mechanism),
            forces=motion.forces.chosen(DEFAULT_FORCES),
            parameters=tuple(factors),
        )
        loop = CompiledRollout(
            setup,
            step=runs.step,
            integrator=chosen_integrator(motion.integrator),
            record=("q", "v") if output is not None else (),
            **storing.numerics.options,
        )
    compiled = time.perf_counter() - started
    start_q, start_v = initial_states(mechanism, start, count, variation.seed, loop.dtype)
    inputs = {name: parameter_values(mechanism, name, f) for name, f in factors.items()}
    begin = time.perf_counter()
    result = loop(start_q, start_v, steps=steps, inputs=inputs, every=every)
    wall_time = time.perf_counter() - begin
    if lost := int((~result.finite).sum()):
        console.print_warning(f"{lost:,} of {count:,} runs became non-finite; reduce --step.")
    console.print_facts(result.facts(mechanism))
    console.print_note(
        f"{count:,} runs of {steps:,} steps of {runs.step:g} s in {duration(wall_time)}: "
        f"{count * steps / wall_time / 1e6:.3g} million steps per second, "
        f"{count * steps * runs.step / wall_time:.4g} times real time "
        f"({loop.kernel.threads} threads, {loop.dtype}); loop ready in {compiled:.2f} s"
    )
    if output is not None:
        write(output, result, start_q, start_v, factors)
        console.print_written("Runs", output)


def _check_size(mechanism: Mechanism, runs: BatchOptions, storing: RolloutOutput) -> None:
    """Refuse runs that would not fit into memory.

    Raises:
        InvalidInput: When they would not.
    """
    from numpy import dtype

    from phalanx.base.memory import check_memory

    state = dtype(storing.numerics.dtype).itemsize * (mechanism.nq + mechanism.nv)
    check_memory(
        f"{runs.count:,} runs",
        runs.count
        * state
        * (4 + (runs.steps // storing.every if storing.output is not None else 0)),
        "Take fewer --runs, or keep less with --every.",
        runs.count,
    )


def draw_factors(
    mechanism: Mechanism, wanted: list[str], count: int, seed: int
) -> dict[str, NDArray[Any]]:
    """Draw a factor for each run and each ``name=low:high``, uniform between the two.

    Raises:
        InvalidInput: When an entry is not of that form.
        UnknownName: When the machine has no such parameter.
    """
    import numpy as np

    from phalanx.equations.tree.parameters import parameter_value

    rng = np.random.default_rng((seed, 1))
    factors: dict[str, NDArray[Any]] = {}
    for entry in wanted:
        name, _, span = entry.partition("=")
        try:
            low, high = (float(word) for word in span.split(":"))
        except ValueError:
            low, high = np.nan, np.nan
        if not 0 < low <= high < np.inf:
            raise InvalidInput(
                f"--randomise {entry}: expected NAME=LOW:HIGH with positive factors, such as "
                "link_3.mass=0.9:1.1."
            )
        if name in factors:
            raise InvalidInput(f"--randomise {name} comes twice.")
        parameter_value(mechanism, name)
        factors[name] = rng.uniform(low, high, count)
    return factors


def parameter_values(mechanism: Mechanism, name: str, factors: NDArray[Any]) -> NDArray[Any]:
    """Return the parameter of each run, times its factor: (runs,) or (runs, size)."""
    from phalanx.equations.tree.parameters import parameter_value

    value = parameter_value(mechanism, name)
    return factors * value[0] if value.size == 1 else factors[:, None] * value


def initial_states(
    mechanism: Mechanism,
    given: tuple[NDArray[Any] | None, NDArray[Any] | None],
    count: int,
    seed: int,
    dtype: Any,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return initial states, (runs, nq) and (runs, nv); with loops, closed postures in turn."""
    import numpy as np

    q, v = given
    if q is None and mechanism.loops:
        from phalanx.cli.random_states import drawn_postures

        closed = drawn_postures(mechanism, seed)
        start = closed[np.arange(count) % len(closed)]
    elif q is None:
        start = mechanism.random_positions(count, np.random.default_rng((seed, 0)))
    else:
        start = np.tile(q, (count, 1))
    speed = np.zeros((count, mechanism.nv)) if v is None else np.tile(v, (count, 1))
    return start.astype(dtype), speed.astype(dtype)


def write(
    path: Path,
    result: RolloutResult,
    start_q: NDArray[Any],
    start_v: NDArray[Any],
    factors: dict[str, NDArray[Any]],
) -> None:
    """Write states, time, initial states and factors to one ``.npz``."""
    import numpy as np

    arrays = {"time": result.time, "q": result.q, "v": result.v, "q0": start_q, "v0": start_v}
    named: dict[str, Any] = arrays | {f"factor {name}": f for name, f in factors.items()}
    np.savez(path, **named)
