"""Scaling model of a sweep: utilization of w workers, and how large chunks have to be.

A chunk takes ``c`` seconds on a worker. Two things are done for one chunk after the other, whatever
the number of workers: scheduler and client hand it over (``task`` seconds), and the client writes
it (``write`` seconds and its bytes over the store's bandwidth). Together they are the hand-over
``h``. It overlaps the workers' work, so n chunks on w workers take

    T(n, w) = start + max(c ceil(n / w), n h)

and the workers are busy for c n / (w T). In the long run that is min(1, c / (w h)): chunks of
c = 0.9 w h keep w workers 90 % busy, however many cases there are. Towards the end workers wait for
the last chunks: so chunks must not be too few either.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from phalanx.base.arguments import positive, whole
from phalanx.base.errors import InvalidInput

BUSY = 0.9  # share of the time that workers should work
_ROOM = 1.5  # chunks are longer than the model requires, since hand-overs come in bursts
_SHORTEST = 0.5  # [s] below, what a chunk costs beside its cases is seen
_WAVES = 8  # chunks a worker at least, where there are enough cases: the last one weighs little
_BLOCK = 64  # cases that machine code and its lanes take evenly
_LARGEST = 64 << 20  # [byte] of results that a worker holds for one chunk


@dataclass(frozen=True)
class Costs:
    """What a chunk costs beside its work, all of it in one place for all workers.

    Defaults were measured (``benchmarks/sweeps.py``) with Dask and a local disk on two processors.

    Attributes:
        task: Time of scheduler and client for a task [s].
        write: Time to begin and end a write of the store [s].
        bandwidth: Of the store [byte/s].
        start: Time until all workers work [s].
    """

    task: float = 2.0e-3
    write: float = 6.0e-3
    bandwidth: float = 4.0e8
    start: float = 2.0

    def __post_init__(self) -> None:
        """Check."""
        for name in ("task", "write", "bandwidth", "start"):
            positive(name, getattr(self, name))

    def handover(self, chunk_bytes: float) -> float:
        """Time that one chunk takes where all chunks pass [s]."""
        return self.task + self.write + chunk_bytes / self.bandwidth


@dataclass(frozen=True)
class Scale:
    """A sweep in numbers.

    Attributes:
        cases: How many.
        seconds: Time of a case on one worker [s].
        bytes: What is kept of a case [byte].
        costs: What a chunk costs beside.
    """

    cases: int
    seconds: float
    bytes: float = 0.0
    costs: Costs = Costs()

    def __post_init__(self) -> None:
        """Check."""
        whole("cases", self.cases, 1, "a positive whole number")
        positive("seconds", self.seconds)
        if not (math.isfinite(self.bytes) and self.bytes >= 0):
            raise InvalidInput(f"bytes={self.bytes}; expected what a case keeps, zero or more.")

    def time(self, workers: int, chunk: int) -> float:
        """How long the sweep takes [s] with so many workers and cases in a chunk."""
        chunks = -(-self.cases // chunk)
        working = self.seconds * min(chunk, self.cases) * -(-chunks // workers)
        passing = chunks * self.costs.handover(chunk * self.bytes)
        return self.costs.start + max(working, passing)

    def busy(self, workers: int, chunk: int) -> float:
        """Share of the time that workers work, once all have begun."""
        work = self.cases * self.seconds / workers
        return work / (self.time(workers, chunk) - self.costs.start)

    def shortest_chunk(self, workers: int, busy: float = BUSY) -> float:
        """How long a chunk has to take [s] for so many workers to be so busy, cases without end.

        Raises:
            InvalidInput: No chunk is long enough: the store is slower than the workers.
        """
        # c = busy workers (task + write + c bytes / seconds / bandwidth), solved for c
        flow = workers * self.bytes / self.seconds / self.costs.bandwidth
        if busy * flow >= 1:
            raise InvalidInput(
                f"{workers} workers make {flow * self.costs.bandwidth / 1e6:.0f} MB/s, and the "
                f"store takes {self.costs.bandwidth / 1e6:.0f} MB/s: keep less of each case, or "
                f"use at most {int(workers / (busy * flow))} workers."
            )
        return busy * workers * self.costs.handover(0) / (1 - busy * flow)

    def chunk(self, workers: int) -> int:
        """How many cases a chunk should have for so many workers.

        Long enough for hand-overs, and for at least half a second; then as many chunks a worker as
        cases allow; never more results at a time than a worker should hold.
        """
        whole("workers", workers, 1, "a positive whole number")
        try:
            shortest = self.shortest_chunk(workers)
        except InvalidInput:  # the store is the limit, and larger writes are the best there is
            shortest = math.inf
        wanted = max(_SHORTEST, _ROOM * shortest) / self.seconds
        fair = self.cases / (_WAVES * workers)
        most = _LARGEST / self.bytes if self.bytes else math.inf
        # a chunk for every worker comes before chunks that are long
        size = min(max(wanted, min(fair, 4 * wanted)), most, -(-self.cases // workers))
        return max(1, min(_in_blocks(size), self.cases))


def _in_blocks(size: float) -> int:
    """Whole blocks of cases, where there is more than one."""
    return math.ceil(size) if size <= _BLOCK else int(size // _BLOCK) * _BLOCK
