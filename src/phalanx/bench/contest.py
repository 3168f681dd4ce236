"""Benchmark of one quantity: compared with every peer that has it, then timed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, final

import numpy as np

from phalanx.base.errors import PhalanxError
from phalanx.bench.clock import Call, EvaluationTime, TimingEffort, take_turns
from phalanx.bench.peers import Peer
from phalanx.bench.report import BATCH, LARGE_BATCH, PeerRow, QuantityRow
from phalanx.dynamics import Dynamics
from phalanx.kernel import Kernel
from phalanx.mechanism.pose import Array

# arrays of one contestant [byte]; a batch of big matrices is made shorter to fit
MEMORY = 96 << 20
PADDING = 24  # samples
# numbers equal a peer's to rounding, and to the digits in which a file prints right angles
SAME = {"float64": 1e-8, "float32": 2e-3}
CHECKED = 16  # samples compared with a peer's single calls


class WrongNumber(PhalanxError):
    """A quantity that differs from another library's; its speed would be worth nothing."""


@final
class Contest:
    """One quantity, its kernels and its states."""

    def __init__(
        self, alone: Dynamics, shared: Dynamics, name: str, frame: str | None, effort: TimingEffort
    ) -> None:
        """Compile.

        Args:
            alone: The machine on one thread.
            shared: The machine on several.
            name: Of the quantity.
            frame: Where it is of a frame.
            effort: How long to measure.
        """
        self.name = name
        self.frame = frame
        self.mechanism = alone.mechanism
        self.alone = alone.kernel(name, frame)
        self.shared = shared.kernel(name, frame)
        self.effort = effort
        numbers = sum(port.size for port in (*self.alone.inputs, *self.alone.outputs))
        fitting = max(256, MEMORY // (numbers * self.alone.dtype.itemsize))
        self.batch = min(BATCH, fitting)
        self.large_batch = min(LARGE_BATCH, fitting)

    def row(self, peers: Sequence[Peer]) -> QuantityRow:
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
        return QuantityRow(
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
            if port.name in ("q", "q0", "q1")
            else rng.standard_normal((samples, *port.shape))
            for port in self.alone.inputs
        ]
        return [x.astype(self.alone.dtype) for x in made]

    def large(self, inputs: Sequence[Array]) -> dict[str, EvaluationTime]:
        """A large batch on one thread and on all."""
        repeats = -(-self.large_batch // self.batch)
        tiled = [np.concatenate([x] * repeats)[: self.large_batch] for x in inputs]
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
