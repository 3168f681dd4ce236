"""``phalanx evaluate``: a quantity at one state, at states of a file, or at random states."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from phalanx.base.errors import InvalidInput
from phalanx.base.facts import Facts, Part, Styled, duration
from phalanx.cli import console
from phalanx.cli.metavariables import LIST
from phalanx.cli.models import Loading, Model
from phalanx.cli.options import Numerics
from phalanx.cli.outputs import Writes
from phalanx.cli.quantities import Frame, QuantityName, find_quantity, kebab

if TYPE_CHECKING:
    from phalanx.cli.states import Array, States
    from phalanx.dynamics import Dynamics
    from phalanx.kernel import Kernel

OUTPUT_SUFFIXES = (".npz", ".npy", ".csv")
CHUNK_BYTES = 64 << 20


def _of_state(what: str) -> Any:
    """Return an option with the numbers of one input."""
    return typer.Option(help=f"{what}.", show_default=False, metavar=LIST)


@dataclass(frozen=True)
class RandomStateOptions:
    """Random states."""

    samples: Annotated[
        str,
        typer.Option(
            metavar="N",
            help="Number of random states, such as 1000 or 1e6. For quantities with closed "
            "loops: closed postures near zero, with consistent velocities.",
        ),
    ] = "1"
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random states.")] = 0


@dataclass(frozen=True)
class TypedState:
    """One state, given as numbers."""

    panel: ClassVar = "One state"

    q: Annotated[str | None, _of_state("Positions of one state [rad or m]")] = None
    v: Annotated[str | None, _of_state("Its velocities [rad/s or m/s]. Default: 0")] = None
    a: Annotated[str | None, _of_state("Its accelerations [rad/s² or m/s²]. Default: 0")] = None
    tau: Annotated[str | None, _of_state("Its joint forces [N·m or N]. Default: 0")] = None
    v_free: Annotated[
        str | None, _of_state("With loops: velocities of the free joints. Default: 0")
    ] = None
    a_free: Annotated[
        str | None, _of_state("With loops: accelerations of the free joints. Default: 0")
    ] = None
    q0: Annotated[str | None, _of_state("Interpolation between positions: start")] = None
    q1: Annotated[str | None, _of_state("Interpolation between positions: end")] = None
    s: Annotated[str | None, _of_state("Interpolation between positions: parameter, 0 to 1")] = None

    @property
    def given(self) -> bool:
        """Return whether any number is given."""
        return any(text is not None for text in vars(self).values())


@dataclass(frozen=True, kw_only=True)
class StateOptions:
    """States at which a quantity is evaluated."""

    random: RandomStateOptions
    one: TypedState
    states: Annotated[
        Path | None,
        typer.Option(
            "--input",
            help="File with states: .npz with arrays q, v, …; .npy or .csv with them in columns.",
            show_default=False,
        ),
    ] = None

    def count(self) -> int:
        """Return the number of random states.

        Raises:
            InvalidInput: When states are given in more than one way, or the number is none.
        """
        from phalanx.cli.states import sample_count

        count = sample_count(self.random.samples)
        if sum([self.states is not None, self.one.given, count > 1]) > 1:
            raise InvalidInput("give states in one way: --samples, --input, or --q, --v, …")
        return count

    def find(self, dynamics: Dynamics, kernel: Kernel, closed: bool) -> States:
        """Return the states; if ``closed``, raise for states with open loops."""
        from phalanx.cli.random_states import ClosedStates, RandomStates, checked
        from phalanx.cli.states import read_states, typed_state

        found: States
        if self.states is not None:
            found = read_states(self.states, kernel)
        elif self.one.given:
            found = typed_state(kernel, vars(self.one))
        else:
            draw = ClosedStates if closed else RandomStates
            found = draw(dynamics.mechanism, kernel, self.count(), self.random.seed)
        return checked(dynamics, kernel, found) if closed else found


def evaluate(
    model: Model,
    quantity: QuantityName,
    *,
    frame: Frame = None,
    at: StateOptions,
    output: Annotated[
        Path | None,
        Writes(OUTPUT_SUFFIXES),
        typer.Option(
            help="Write the results of all states: .npz, .npy or .csv.", show_default=False
        ),
    ] = None,
    numerics: Numerics,
    loading: Loading,
) -> None:
    r"""Evaluate a quantity at one or many states; print the first result and the time.

    Examples:
        phalanx evaluate puma560 gravity --q 0,0.5,-0.5,0,0,0
        phalanx evaluate puma560 inverse-dynamics --samples 1e6

        # states from a file, results to a file
        phalanx evaluate arm.urdf jacobian --frame tool0 --input states.npz \
            --output jacobians.npz
    """
    from phalanx.dynamics import Dynamics

    at.count()
    dynamics = Dynamics(loading.find(model), **numerics.options)
    name = find_quantity(dynamics, quantity, frame)
    if output is not None and output.suffix.lower() == ".npy":
        shapes = dynamics.quantities[name].shapes
        if len(shapes) > 1:
            raise InvalidInput(f"{kebab(name)} has {len(shapes)} results; write an .npz.")

    started = time.perf_counter()
    with console.err().status(f"Compiling {kebab(name)} …"):
        kernel = dynamics.kernel(name, frame)
    compiled = time.perf_counter() - started

    given = at.find(dynamics, kernel, dynamics.quantities[name].closed)
    first, results, wall_time = run(kernel, given, keep=output is not None)
    console.print_facts(result_facts(kernel, kebab(name), first, given.count))
    console.print_note(timing(kernel, given.count, wall_time, compiled))
    if output is not None:
        write(output, kernel, results)
        console.print_written("Results", output)


def run(kernel: Kernel, states: States, *, keep: bool) -> tuple[list[Array], list[Array], float]:
    """Evaluate in chunks.

    Returns:
        Results of the first sample, all results (none unless ``keep``), and the time inside the
        kernel [s], without drawing states.
    """
    import numpy as np

    from phalanx.base.memory import check_memory

    itemsize = kernel.dtype.itemsize
    read = sum(port.size for port in kernel.inputs) * itemsize
    made = sum(port.size for port in kernel.outputs) * itemsize
    chunk = max(1, min(states.count, CHUNK_BYTES // max(1, read + made)))
    kept = states.count if keep else chunk
    check_memory(
        f"the results of {states.count:,} samples",
        made * kept + read * chunk,
        "Take fewer samples, --dtype float32, or leave out --output.",
        states.count if keep else None,
    )
    results = [np.empty((kept, *port.shape), kernel.dtype) for port in kernel.outputs]
    first: list[Array] = []
    wall_time, done = 0.0, 0
    # touch new memory before timing: its page faults cost more than the arithmetic
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
            wall_time += time.perf_counter() - begin
            first = first or [part[0].copy() for part in parts]
            done += n
            bar.update(task, completed=done)
    return first, results if keep else [], wall_time


def result_facts(kernel: Kernel, quantity: str, first: list[Array], count: int) -> Facts:
    """Return the results of the first sample."""
    import numpy as np

    parts: list[Part] = []
    which = "" if count == 1 else f", first of {count:,} samples"
    for port, value in zip(kernel.outputs, first, strict=True):
        text = np.array2string(value, precision=6, suppress_small=True, max_line_width=100)
        parts += [(Styled(port.name, "bold"), f" of {quantity}{which}"), text]
    return Facts(parts)


def timing(kernel: Kernel, count: int, wall_time: float, compiled: float) -> str:
    """Return total time, time per evaluation and rate."""
    whole, each = duration(wall_time), duration(wall_time / count)
    rate = count / max(wall_time, 1e-9)
    threads = f"up to {kernel.threads} threads" if kernel.threads > 1 else "one thread"
    return (
        f"{count:,} evaluation{'s' if count > 1 else ''} in {whole}: {each} each, "
        f"{rate / 1e6:.3g} million per second ({threads}, {kernel.dtype}, {kernel.target.name}); "
        f"kernel ready in {compiled:.2f} s"
    )


def write(path: Path, kernel: Kernel, results: list[Array]) -> None:
    """Write results as ``.npz`` (one array per output), ``.npy`` (one output) or ``.csv``."""
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
