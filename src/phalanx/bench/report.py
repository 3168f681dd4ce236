"""The result of a bench as data."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from phalanx.bench.clock import Timing
from phalanx.bench.startup import Startup


@dataclass(frozen=True)
class PeerRow:
    """The same quantity in another library.

    Attributes:
        one: One call from Python [ns].
        many: One evaluation inside the library's own batched call, if it has one [ns].
        call: Name of the batched call.
        error: Largest difference from our numbers, relative to the largest number.
    """

    one: Timing | None
    many: Timing | None
    call: str | None
    error: float


@dataclass(frozen=True)
class QuantityRow:
    """One quantity; times are of one evaluation [ns].

    Attributes:
        quantity: Its name, in kebab-case.
        operations: Arithmetic of one evaluation.
        batch: Samples of the one-thread measurements.
        large_batch: Samples of the measurements of threads.
        one: One sample, called from Python, result in a new array.
        batched: A batch on one thread, arrays ``(batch, n)`` as NumPy users have them.
        best_layout: The same with arrays that lie ``(n, batch)`` in memory.
        large_one_thread: A large batch on one thread.
        large_all_threads: A large batch on all threads.
        peers: The same in other libraries.
    """

    quantity: str
    operations: int
    batch: int
    large_batch: int
    one: Timing
    batched: Timing
    best_layout: Timing
    large_one_thread: Timing
    large_all_threads: Timing
    peers: dict[str, PeerRow] = field(default_factory=dict)

    def speedup(self, peer: str) -> float | None:
        """Our batch on one thread over the peer's best way on one thread, natural layout."""
        row = self.peers.get(peer)
        if row is None:
            return None
        theirs = row.many or row.one
        return theirs.best / self.batched.best if theirs else None

    def one_call_ratio(self, peer: str) -> float | None:
        """Time of our single call over the peer's."""
        row = self.peers.get(peer)
        return self.one.best / row.one.best if row and row.one else None

    @property
    def thread_speedup(self) -> float:
        """One thread over all threads, large batch."""
        return self.large_one_thread.best / self.large_all_threads.best

    @property
    def layout_cost(self) -> float:
        """How much slower ``(batch, n)`` arrays are than the kernel's best layout: 0.1 is 10 %."""
        return self.batched.best / self.best_layout.best - 1


@dataclass(frozen=True)
class Report:
    """All of one run."""

    model: str
    nq: int
    nv: int
    machine: dict[str, Any]
    threads: int
    dtype: str
    peers: dict[str, str]
    remarks: list[str]
    rows: list[QuantityRow]
    startup: Startup | None

    def row(self, quantity: str) -> QuantityRow:
        """The row of a quantity, by its kebab-case name."""
        return next(row for row in self.rows if row.quantity == quantity)

    @property
    def processors(self) -> float:
        """How many processors large batches had on all threads, at the middle quantity."""
        had = sorted(row.large_all_threads.processors for row in self.rows)
        return had[len(had) // 2]

    @property
    def spread(self) -> float:
        """How far medians lie above minima, at the middle quantity: noise of the machine."""
        ratios = sorted(r.batched.median / r.batched.best - 1 for r in self.rows)
        return ratios[len(ratios) // 2]

    def as_json(self) -> dict[str, Any]:
        """For ``json.dump``; times in nanoseconds, startup in seconds."""
        data = asdict(self)
        for row, plain in zip(self.rows, data["rows"], strict=True):
            plain["ratios"] = {
                peer: {"batched": row.speedup(peer), "one_call": row.one_call_ratio(peer)}
                for peer in row.peers
            }
        return data
