"""Result of a benchmark as data."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from phalanx.base.facts import Facts, Part, Styled, TextTable, duration
from phalanx.bench.clock import EvaluationTime
from phalanx.bench.startup import Startup

# samples, where matrices let them fit into memory
BATCH = 8192
LARGE_BATCH = 100_000


@dataclass(frozen=True)
class PeerRow:
    """Result of one quantity in another library.

    Attributes:
        one: One call from Python [ns].
        many: One evaluation inside the library's own batched call, if it has one [ns].
        call: Name of the batched call.
        error: Largest difference from our numbers, relative to the largest number.
    """

    one: EvaluationTime | None
    many: EvaluationTime | None
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
    one: EvaluationTime
    batched: EvaluationTime
    best_layout: EvaluationTime
    large_one_thread: EvaluationTime
    large_all_threads: EvaluationTime
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

    def facts(self) -> Facts:
        """Return times of Phalanx and other libraries, start-up times and noise."""
        m = self.machine
        text = (
            f", nv = {self.nv}, {self.dtype}: {m['processor']}, {m['processors']} processors, "
            f"{m['vectors']}, load {m['load']}"
        )
        parts: list[Part] = [(Styled(self.model, "bold"), text), "", self._own()]
        if any(row.peers for row in self.rows):
            parts += ["", self._beside_peers(), ""]
        if self.startup is not None:
            s = self.startup
            parts.append(
                f"import of numpy, casadi and llvmlite {s.libraries:.2f} s, of phalanx "
                f"{s.import_phalanx:.3f} s, of Dynamics, simulate and load {s.first_names:.2f} s; "
                f"then first call of inverse dynamics {s.cold:.2f} s, {s.cached:.3f} s with the "
                "disk cache"
            )
        parts.append(
            f"times: minimum of {self.rows[0].batched.rounds} rounds; the median is "
            f"{100 * self.spread:.0f} % higher (noise)"
        )
        if self.processors < 0.85 * self.threads:
            busy = (
                f"{self.threads} threads had only {self.processors:.1f} processors: other programs "
                "are running; the speedup of threads is not valid."
            )
            parts.append(Styled(busy, "yellow"))
        return Facts([*parts, *(Styled(x, "dim") for x in self.remarks)], self.as_json())

    def _own(self) -> TextTable:
        threads = f"{self.threads} threads"
        rows = [
            (
                row.quantity,
                str(row.operations),
                _best(row.one),
                _best(row.batched) + ("" if row.batch == BATCH else "*"),
                f"{100 * row.layout_cost:+.0f} %",
                _best(row.large_all_threads) + ("" if row.large_batch == LARGE_BATCH else "*"),
                f"{row.thread_speedup:.2f}x",
            )
            for row in self.rows
        ]
        shorter = any(row.large_batch < LARGE_BATCH for row in self.rows)
        return TextTable(
            "time of one evaluation",
            ["quantity"],
            ["ops", "one call", "batch", "layout", threads, "speedup"],
            rows,
            f"batch: {BATCH} samples, arrays (batch, n), one thread. layout: extra time compared "
            f"with memory order (n, batch). {threads}: {LARGE_BATCH} samples, with the speedup "
            f"over one thread." + (" *: smaller batch, because of memory." if shorter else ""),
        )

    def _beside_peers(self) -> TextTable:
        rows, calls = [], set()
        for row in self.rows:
            for name, peer in row.peers.items():
                ratio, speedup = row.one_call_ratio(name), row.speedup(name)
                calls |= {peer.call} if peer.call else set()
                rows.append(
                    (
                        row.quantity,
                        name,
                        _best(peer.one) if peer.one else "–",
                        f"{ratio:.2f}" if ratio else "–",
                        _best(peer.many) if peer.many else "none",
                        f"{speedup:.1f}x" if speedup else "–",
                        f"{peer.error:.0e}",
                    )
                )
        libraries = ", ".join(f"{name} {version}" for name, version in self.peers.items())
        return TextTable(
            f"compared with {libraries}",
            ["quantity", "library"],
            ["one call", "ratio", "batch", "speedup", "error"],
            rows,
            "one call: time from Python; ratio: time of Phalanx / time of the library. batch: "
            f"batched call on one thread ({', '.join(sorted(calls)) or 'none'}); speedup: time of "
            "the library / time of Phalanx, with a single call of the library if it has no "
            "batches. error: largest relative difference of the results.",
        )

    def as_json(self) -> dict[str, Any]:
        """For ``json.dump``; times in nanoseconds, startup in seconds."""
        data = asdict(self)
        for row, plain in zip(self.rows, data["rows"], strict=True):
            plain["ratios"] = {
                peer: {"batched": row.speedup(peer), "one_call": row.one_call_ratio(peer)}
                for peer in row.peers
            }
        return data


def _best(timing: EvaluationTime) -> str:
    return duration(1e-9 * timing.best)
