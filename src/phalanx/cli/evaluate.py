"""``phalanx evaluate``: a quantity at one state, at those of a file, or at millions."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from phalanx.cli import console
from phalanx.cli.models import FloatingBase, Model, PackagePath, find_model
from phalanx.cli.options import Dtype, Threads, check_writable
from phalanx.cli.quantities import Frame, QuantityName, find_quantity, kebab

if TYPE_CHECKING:
    from phalanx.cli.states import Array, States
    from phalanx.kernel import Kernel

OUTPUT_SUFFIXES = (".npz", ".npy", ".csv")
CHUNK_BYTES = 64 << 20

Numbers = Annotated[
    str | None,
    typer.Option(
        help="Numbers of one state: 0.1,0.2 or '[0.1, 0.2]'.",
        show_default=False,
        metavar="NUMBERS",
    ),
]


def evaluate(
    model: Model,
    quantity: QuantityName,
    floating_base: FloatingBase = False,
    package_path: PackagePath = None,
    frame: Frame = None,
    samples: Annotated[
        str,
        typer.Option(
            help="How many random states; 1e6 is a number too. Where a quantity needs closed "
            "loops, these are closed: some postures near zero, with velocities that fit."
        ),
    ] = "1",
    seed: Annotated[int, typer.Option(min=0, help="Of the random states.")] = 0,
    q: Numbers = None,
    v: Numbers = None,
    a: Numbers = None,
    tau: Numbers = None,
    v_free: Numbers = None,
    a_free: Numbers = None,
    states: Annotated[
        Path | None,
        typer.Option(
            "--input",
            help="States from a file: .npz with q, v, …, or .npy/.csv with them side by side.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(help="Write the results: .npz, .npy or .csv.", show_default=False),
    ] = None,
    threads: Threads = None,
    dtype: Annotated[Dtype, typer.Option(help="Of the numbers.")] = Dtype.float64,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the output.")] = False,
) -> None:
    """Evaluate a quantity; show the first result and how fast it went.

    phalanx evaluate puma560 inverse-dynamics --samples 1e6

    phalanx evaluate puma560 gravity --q 0,0.5,-0.5,0,0,0

    phalanx evaluate arm.urdf jacobian --frame tool0 --input states.npz --output jacobians.npz
    """
    from phalanx.cli.closed_states import ClosedStates, checked
    from phalanx.cli.states import RandomStates, read_states, sample_count, typed_state
    from phalanx.dynamics import Dynamics
    from phalanx.errors import InvalidInput

    count = sample_count(samples)
    typed = {"q": q, "v": v, "a": a, "tau": tau, "v_free": v_free, "a_free": a_free}
    is_typed = any(text is not None for text in typed.values())
    ways = [states is not None, is_typed, count > 1]
    if sum(ways) > 1:
        raise InvalidInput("give states in one way: --samples, --input, or --q, --v, …")
    if output is not None:
        check_writable(output, *OUTPUT_SUFFIXES, force=force)
    mechanism = find_model(model, floating_base, package_path)
    dynamics = Dynamics(mechanism, threads=threads, dtype=dtype.literal)
    name = find_quantity(dynamics, quantity, frame)
    if output is not None and output.suffix.lower() == ".npy":
        shapes = dynamics.quantities[name].shapes
        if len(shapes) > 1:
            raise InvalidInput(f"{kebab(name)} has {len(shapes)} results; write an .npz.")

    started = time.perf_counter()
    with console.err().status(f"Compiling {kebab(name)} …"):
        kernel = dynamics.kernel(name, frame)
    compiled = time.perf_counter() - started

    given: States
    closed = dynamics.quantities[name].closed
    if states is not None:
        given = read_states(states, kernel)
    elif is_typed:
        given = typed_state(kernel, typed)
    elif closed:
        given = ClosedStates(mechanism, kernel, count, seed)
    else:
        given = RandomStates(mechanism, kernel, count, seed)
    if closed:
        given = checked(dynamics, kernel, given)
    first, results, seconds = run(kernel, given, keep=output is not None)
    show(kernel, kebab(name), first, given.count)
    console.err().print(summary(kernel, given.count, seconds, compiled), soft_wrap=True)
    if output is not None:
        write(output, kernel, results)
        console.err().print(f"Results in {output}.", soft_wrap=True)


def run(kernel: Kernel, states: States, *, keep: bool) -> tuple[list[Array], list[Array], float]:
    """Evaluate in chunks.

    Returns:
        Results of the first sample, all results (none unless ``keep``), and the time inside the
        kernel [s], without drawing states.
    """
    import numpy as np

    from phalanx.cli.states import check_memory

    itemsize = kernel.dtype.itemsize
    read = sum(port.size for port in kernel.inputs) * itemsize
    made = sum(port.size for port in kernel.outputs) * itemsize
    chunk = max(1, min(states.count, CHUNK_BYTES // max(1, read + made)))
    kept = states.count if keep else chunk
    check_memory(
        f"the results of {states.count:,} samples",
        made * kept + read * chunk,
        "Take fewer samples, --dtype float32, or leave out --output.",
    )
    results = [np.empty((kept, *port.shape), kernel.dtype) for port in kernel.outputs]
    first: list[Array] = []
    seconds, done = 0.0, 0
    # the first pages of new memory cost more than the arithmetic: touch them before the clock runs
    for array in results:
        array.fill(0)
    with console.progress() as bar:
        task = bar.add_task("evaluating", total=states.count)
        for inputs in states.chunks(chunk):
            n = len(inputs[0])
            at = done if keep else 0
            parts = [array[at : at + n] for array in results]
            begin = time.perf_counter()
            kernel.call(*inputs, out=parts[0] if len(parts) == 1 else tuple(parts))
            seconds += time.perf_counter() - begin
            first = first or [part[0].copy() for part in parts]
            done += n
            bar.update(task, completed=done)
    return first, results if keep else [], seconds


def show(kernel: Kernel, quantity: str, first: list[Array], count: int) -> None:
    """The first sample's results on standard output."""
    import numpy as np

    out = console.out()
    which = "" if count == 1 else f", first of {count:,} samples"
    for port, value in zip(kernel.outputs, first, strict=True):
        text = np.array2string(value, precision=6, suppress_small=True, max_line_width=100)
        out.print(f"[bold]{port.name}[/] of {quantity}{which}")
        out.print(text, markup=False, soft_wrap=True)


def summary(kernel: Kernel, count: int, seconds: float, compiled: float) -> str:
    """How long it took."""
    whole, each = console.duration(seconds), console.duration(seconds / count)
    rate = count / max(seconds, 1e-9)
    threads = f"up to {kernel.threads} threads" if kernel.threads > 1 else "one thread"
    return (
        f"{count:,} evaluation{'s' if count > 1 else ''} in {whole}: {each} each, "
        f"{rate / 1e6:.3g} million per second ({threads}, {kernel.dtype}, {kernel.target.name}); "
        f"kernel ready in {compiled:.2f} s"
    )


def write(path: Path, kernel: Kernel, results: list[Array]) -> None:
    """Results as ``.npz`` (an array an output), ``.npy`` (the only one) or ``.csv`` (columns)."""
    import numpy as np

    named: dict[str, Any] = {
        port.name: array for port, array in zip(kernel.outputs, results, strict=True)
    }
    suffix = path.suffix.lower()
    if suffix == ".npz":
        np.savez(path, **named)
    elif suffix == ".npy":
        np.save(path, results[0])
    else:
        columns = [
            port.name + "".join(f"_{i}" for i in place)
            for port in kernel.outputs
            for place in np.ndindex(*port.shape)
        ]
        table = np.hstack([array.reshape(len(array), -1) for array in results])
        np.savetxt(path, table, fmt="%.17g", delimiter=",", header=",".join(columns), comments="")
