"""Measure a mechanism: every quantity, every way to call it, every peer that can do the same."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from phalanx.bench.clock import QUICK, THOROUGH, Call, Timing, take_turns
from phalanx.bench.peers import Peer, find_peers
from phalanx.bench.report import PeerRow, Report, Row
from phalanx.bench.startup import Startup, startup
from phalanx.dynamics import Dynamics
from phalanx.errors import InvalidInput, PhalanxError
from phalanx.kernel import Kernel, host_target
from phalanx.mechanism import Mechanism, release_mimics
from phalanx.mechanism.pose import Array
from phalanx.version import __version__

BATCH = 8192
LARGE_BATCH = 100_000
# arrays of one contestant [byte]; a batch of big matrices is made shorter to fit
MEMORY = 96 << 20
PADDING = 24  # samples
# numbers equal a peer's to rounding, and to the digits in which a file prints right angles
SAME = {"float64": 1e-8, "float32": 2e-3}
CHECKED = 16  # samples compared with a peer's single calls
QUICK_QUANTITIES = (
    "inverse_dynamics",
    "forward_dynamics",
    "mass_matrix",
    "inverse_dynamics_derivatives",
)
STARTUP_PROCESSES = 3


class WrongNumber(PhalanxError):
    """A quantity that differs from another library's; its speed would be worth nothing."""


@dataclass(frozen=True)
class Step:
    """Progress: what is being measured, and how many steps of how many are done."""

    what: str
    done: int
    total: int


def bench(
    mechanism: Mechanism,
    *,
    model: str | None = None,
    floating_base: bool = False,
    frame: str | None = None,
    quantities: Sequence[str] | None = None,
    dtype: Literal["float64", "float32"] = "float64",
    threads: int | None = None,
    quick: bool = False,
    peers: bool = True,
    progress: Callable[[Step], None] = lambda step: None,
) -> Report:
    """Time every quantity of ``mechanism``.

    Mimic joints are set free where peers are compared, since they read them so.

    Args:
        mechanism: The machine.
        model: How the command line names it; with it, startup is measured in fresh processes.
        floating_base: Passed on to those processes.
        frame: For quantities of a frame; the last one by default.
        quantities: Which ones; all by default, the main ones when quick.
        dtype: Of the numbers.
        threads: For large batches; all processors by default.
        quick: Fewer quantities, fewer rounds.
        peers: Whether to measure other libraries too.
        progress: Called before every step.

    Raises:
        WrongNumber: When a peer's number differs.
        InvalidInput: When nothing moves.
    """
    if mechanism.nv == 0:
        raise InvalidInput(f"nothing of '{mechanism.name}' moves; a floating base would let it.")
    remarks: list[str] = []
    others: list[Peer] = []
    if peers:
        if any(joint.mimic for joint in mechanism.joints):
            remarks.append("mimic joints move freely here, as the other libraries read them.")
            mechanism = release_mimics(mechanism)
    frame = frame or mechanism.bodies[-1].name
    if peers:
        others, notes = find_peers(mechanism, frame)
        remarks += notes
    alone = Dynamics(mechanism, threads=1, dtype=dtype)
    shared = Dynamics(mechanism, threads=threads, dtype=dtype)
    names = list(quantities or (QUICK_QUANTITIES if quick else alone.quantities))
    processes = 0 if model is None else (1 if quick else STARTUP_PROCESSES)
    total = len(names) + 2 * processes

    rows = []
    for done, name in enumerate(names):
        progress(Step(name.replace("_", " "), done, total))
        of_frame = frame if alone.quantities[name].of_frame else None
        rows.append(_Quantity(alone, shared, name, of_frame, quick).row(others))
    started: Startup | None = None
    if model is not None:
        steps: Iterator[Startup | None] = startup(model, floating_base, processes)
        for done, result in enumerate(steps, start=len(names)):
            progress(Step("first call in a new process", min(done, total), total))
            started = result
    return Report(
        model=mechanism.name,
        nq=mechanism.nq,
        nv=mechanism.nv,
        machine=machine(),
        threads=shared.kernel(
            names[0], frame if alone.quantities[names[0]].of_frame else None
        ).threads,
        dtype=dtype,
        peers={peer.name: peer.version for peer in others},
        remarks=remarks,
        rows=rows,
        startup=started,
    )


def machine() -> dict[str, Any]:
    """What ran the bench: processor, vectors, versions, and how busy it was."""
    model = platform.processor() or platform.machine()
    information = Path("/proc/cpuinfo")
    if information.exists():
        lines = information.read_text().splitlines()
        named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
        model = named[0] if named else model
    return {
        "processor": model,
        "processors": os.cpu_count(),
        "vectors": host_target().name,
        "system": platform.system(),
        "python": platform.python_version(),
        "phalanx": __version__,
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
    }


class _Quantity:
    """One quantity, its kernels and its states."""

    def __init__(
        self, alone: Dynamics, shared: Dynamics, name: str, frame: str | None, quick: bool
    ) -> None:
        self.name = name
        self.frame = frame
        self.mechanism = alone.mechanism
        self.alone = alone.kernel(name, frame)
        self.shared = shared.kernel(name, frame)
        self.effort = QUICK if quick else THOROUGH
        numbers = sum(port.size for port in (*self.alone.inputs, *self.alone.outputs))
        fitting = max(256, MEMORY // (numbers * self.alone.dtype.itemsize))
        self.batch = min(BATCH, fitting)
        self.large_batch = min(LARGE_BATCH, fitting)

    def row(self, peers: Sequence[Peer]) -> Row:
        """Check the numbers, then take the times."""
        inputs = self.states(self.batch)
        results = _tuple(self.alone(*inputs))
        one = [x[0].copy() for x in inputs]
        call = self.alone.call
        out, given = _results(self.alone, self.batch), [np.ascontiguousarray(x) for x in inputs]
        turned = [_turned(x) for x in given]
        turned_out = tuple(_turned(x) for x in out)

        single: dict[str, Call] = {"ours": lambda: call(*one)}
        batched: dict[str, Call] = {
            "ours": lambda: call(*given, out=_single(out)),
            "best layout": lambda: call(*turned, out=_single(turned_out)),
        }
        named: dict[str, str] = {}
        errors: dict[str, float] = {}
        for peer in peers:
            ask = peer.one(self.name, self.frame)
            if ask is None:
                continue
            errors[peer.name] = self.check(peer.name, ask, inputs, results)
            doubles = [x.astype(np.float64) for x in one]
            single[peer.name] = _bound(ask, doubles)
            many = peer.many(self.name, [x.astype(np.float64) for x in inputs])
            if many is not None:
                named[peer.name], batched[peer.name] = many
                self.compare(peer.name, results, (batched[peer.name](),))

        ones = take_turns(single, self.effort)
        manies = {k: t.per(self.batch) for k, t in take_turns(batched, self.effort).items()}
        large = self.large(inputs)
        return Row(
            quantity=self.name.replace("_", "-"),
            operations=self.alone.operations.total,
            batch=self.batch,
            large_batch=self.large_batch,
            one=ones["ours"],
            batched=manies["ours"],
            best_layout=manies["best layout"],
            large_one_thread=large["one"],
            large_all_threads=large["all"],
            peers={
                name: PeerRow(ones.get(name), manies.get(name), named.get(name), error)
                for name, error in errors.items()
            },
        )

    def states(self, samples: int) -> list[Array]:
        """Random arguments, the same for everyone."""
        rng = np.random.default_rng(0)
        made = [
            self.mechanism.random_positions(samples, rng)
            if port.name == "q"
            else rng.standard_normal((samples, *port.shape))
            for port in self.alone.inputs
        ]
        return [x.astype(self.alone.dtype) for x in made]

    def large(self, inputs: Sequence[Array]) -> dict[str, Timing]:
        """A large batch on one thread and on all."""
        repeats = -(-self.large_batch // self.batch)
        tiled = [np.tile(x, (repeats, 1))[: self.large_batch] for x in inputs]
        out = _single(_results(self.alone, self.large_batch))
        calls: dict[str, Call] = {
            "one": lambda: self.alone.call(*tiled, out=out),
            "all": lambda: self.shared.call(*tiled, out=out),
        }
        times = take_turns(calls, self.effort)
        return {name: timing.per(self.large_batch) for name, timing in times.items()}

    def check(
        self, peer: str, ask: Callable[..., Any], inputs: Sequence[Array], results: Sequence[Array]
    ) -> float:
        """Compare some samples with a peer's; the largest relative difference."""
        worst = 0.0
        for k in range(min(CHECKED, self.batch)):
            theirs = _tuple(ask(*(x[k].astype(np.float64) for x in inputs)))
            worst = max(worst, self.compare(peer, [r[k] for r in results], theirs))
        return worst

    def compare(self, peer: str, ours: Sequence[Array], theirs: Sequence[Any]) -> float:
        """The largest difference relative to the largest number.

        Raises:
            WrongNumber: When it is more than rounding.
        """
        worst = 0.0
        for mine, other in zip(ours, theirs, strict=True):
            reference = np.asarray(other, dtype=np.float64)
            scale = max(float(np.abs(reference).max(initial=0.0)), 1e-3)
            worst = max(worst, float(np.abs(mine - reference).max(initial=0.0)) / scale)
        if not worst < SAME[str(self.alone.dtype)]:
            raise WrongNumber(
                f"{self.name} of '{self.mechanism.name}' differs from {peer}'s by {worst:.2g} of "
                "the largest number; not timed, because a fast wrong number is worth nothing."
            )
        return worst


def _tuple(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def _single(arrays: tuple[Array, ...]) -> Any:
    return arrays[0] if len(arrays) == 1 else arrays


def _results(kernel: Kernel, samples: int) -> tuple[Array, ...]:
    return tuple(np.zeros((samples, *port.shape), kernel.dtype) for port in kernel.outputs)


def _turned(x: Array) -> Array:
    """The same array with the samples of one element side by side in memory.

    Rows are a little apart: at a power of two they would all fall into the same cache lines.
    """
    samples = len(x)
    room = np.zeros((*x.shape[1:], samples + PADDING), x.dtype)
    turned = np.moveaxis(room[..., :samples], -1, 0)
    turned[...] = x
    return turned


def _bound(ask: Callable[..., Any], arguments: Sequence[Array]) -> Call:
    return lambda: ask(*arguments)
