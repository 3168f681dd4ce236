"""``phalanx rollout``: thousands of runs of one model in a compiled loop."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from phalanx.cli import console
from phalanx.cli.controls import (
    Control,
    Damping,
    FixedIntegrator,
    FixedIntegratorName,
    Numbers,
    Stiffness,
    Target,
)
from phalanx.cli.models import FloatingBase, Model, PackagePath, find_model
from phalanx.cli.options import Dtype, Threads, check_writable
from phalanx.errors import InvalidInput

MOST_STEPS = 1_000_000_000

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from phalanx.mechanism import Mechanism
    from phalanx.simulation.rollout import Rollout


def rollout(
    model: Model,
    floating_base: FloatingBase = False,
    package_path: PackagePath = None,
    runs: Annotated[str, typer.Option(help="How many runs; 1e4 is a number too.")] = "1024",
    steps: Annotated[int, typer.Option(min=1, max=MOST_STEPS, help="Steps a run.")] = 200,
    step: Annotated[float, typer.Option(help="Length of a step [s].")] = 1e-3,
    control: Control = None,
    target: Target = None,
    stiffness: Stiffness = None,
    damping: Damping = None,
    integrator: FixedIntegrator = FixedIntegratorName.rk4,
    q0: Numbers = None,
    v0: Numbers = None,
    randomise: Annotated[
        list[str] | None,
        typer.Option(
            help="A number of the machine, times a factor of its own in each run: "
            "link_3.mass=0.9:1.1. May be repeated.",
            metavar="NAME=LOW:HIGH",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of positions and factors.")] = 0,
    every: Annotated[int, typer.Option(min=1, help="Keep every so many steps.")] = 1,
    output: Annotated[
        Path | None,
        typer.Option(help="Write q, v, time and factors: .npz.", show_default=False),
    ] = None,
    threads: Threads = None,
    dtype: Annotated[Dtype, typer.Option(help="Of the numbers.")] = Dtype.float64,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the output.")] = False,
) -> None:
    """Simulate many runs at once; say how fast that went.

    Runs start at rest, at random positions within the joint limits, unless --q0 and --v0 say where.
    Without --output nothing but final states is kept.

    phalanx rollout puma560 --runs 1e4 --steps 200

    phalanx rollout puma560 --control pd --target 0.5 --randomise link_3.mass=0.9:1.1

    phalanx rollout arm.urdf --steps 1000 --every 10 --output runs.npz
    """
    from phalanx.cli.controls import chosen_integrator, chosen_law, one_each
    from phalanx.cli.states import check_memory, sample_count
    from phalanx.simulation.rollout import Rollouts

    count = sample_count(runs, "--runs")
    if output is not None:
        check_writable(output, ".npz", force=force)
    if every > steps:
        raise InvalidInput(f"--every {every} keeps nothing of {steps} steps.")
    mechanism = find_model(model, floating_base, package_path)
    state = dtype.itemsize * (mechanism.nq + mechanism.nv)
    check_memory(
        f"{count:,} runs",
        count * state * (4 + (steps // every if output is not None else 0)),
        "Take fewer --runs, or keep less with --every.",
    )
    factors = draw_factors(mechanism, randomise or [], count, seed)
    q = one_each("q0", q0, mechanism.nq)
    v = one_each("v0", v0, mechanism.nv)
    started = time.perf_counter()
    with console.err().status("Compiling the loop …"):
        loop = Rollouts(
            mechanism,
            step=step,
            control=chosen_law(mechanism, control, target, stiffness, damping),
            integrator=chosen_integrator(integrator),
            parameters=tuple(factors),
            record=("q", "v") if output is not None else (),
            dtype=dtype.literal,
            threads=threads,
        )
    compiled = time.perf_counter() - started
    start_q, start_v = initial_states(mechanism, q, v, count, seed, loop.dtype)
    inputs = {name: parameter_values(mechanism, name, f) for name, f in factors.items()}
    with console.err().status(f"{count:,} runs of {steps:,} steps …"):
        begin = time.perf_counter()
        result = loop(start_q, start_v, steps=steps, inputs=inputs, every=every)
        seconds = time.perf_counter() - begin
    show(mechanism, result)
    console.err().print(
        f"{count:,} runs of {steps:,} steps of {step:g} s in {console.duration(seconds)}: "
        f"{count * steps / seconds / 1e6:.3g} million steps per second, "
        f"{count * steps * step / seconds:.4g} times real time "
        f"({loop.kernel.threads} threads, {loop.dtype}); loop ready in {compiled:.2f} s",
        soft_wrap=True,
    )
    if output is not None:
        write(output, result, start_q, start_v, factors)
        console.err().print(f"Runs in {output}.", soft_wrap=True)


def draw_factors(
    mechanism: Mechanism, wanted: list[str], count: int, seed: int
) -> dict[str, NDArray[Any]]:
    """A factor a run for every ``name=low:high``, evenly spread between the two.

    Raises:
        InvalidInput: When an entry is not of that form.
        UnknownName: When the machine has no such number.
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
    """The machine's number or numbers, each run's times its factor: (runs,) or (runs, size)."""
    from phalanx.equations.tree.parameters import parameter_value

    value = parameter_value(mechanism, name)
    return factors * value[0] if value.size == 1 else factors[:, None] * value


def initial_states(
    mechanism: Mechanism,
    q: NDArray[Any] | None,
    v: NDArray[Any] | None,
    count: int,
    seed: int,
    dtype: Any,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Where runs start: (runs, nq) and (runs, nv)."""
    import numpy as np

    if q is None:
        start = mechanism.random_positions(count, np.random.default_rng((seed, 0)))
    else:
        start = np.tile(q, (count, 1))
    speed = np.zeros((count, mechanism.nv)) if v is None else np.tile(v, (count, 1))
    return start.astype(dtype), speed.astype(dtype)


def show(mechanism: Mechanism, result: Rollout) -> None:
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
    result: Rollout,
    start_q: NDArray[Any],
    start_v: NDArray[Any],
    factors: dict[str, NDArray[Any]],
) -> None:
    """All of it in one ``.npz``: states, time, initial states, factors by name."""
    import numpy as np

    arrays = {"time": result.time, "q": result.q, "v": result.v, "q0": start_q, "v0": start_v}
    named: dict[str, Any] = arrays | {f"factor {name}": f for name, f in factors.items()}
    np.savez(path, **named)
