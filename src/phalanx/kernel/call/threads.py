"""Thread pool: the samples of a large batch are shared among threads (work sharing).

Policy: one pool per process, as large as the processor; the calling thread works too. Workers take
the next few blocks from a shared counter until none are left, inside one native call each, with
the interpreter free. A batch uses threads only if each gets work worth the hand-over. A forked
child makes its own pool. A call that may last is made so that Ctrl-C can end it, and turns are
short, since workers that are told to stop finish the one they are at.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, final

from phalanx.base.processors import usable_processors
from phalanx.kernel.graph.graph import Port
from phalanx.kernel.graph.operations import Operations
from phalanx.kernel.interrupts.interruptible import interruptible
from phalanx.kernel.interrupts.workers import Workers, WorkItem
from phalanx.kernel.llvm.emit_llvm import STOPPED

# about 0.1 ms of arithmetic, a few times what it costs to wake a thread
_WORK_WORTH_A_THREAD = 2_000_000
# how often a worker comes back for more, so that a slow one holds no other up
_TURNS = 16
# about 2 ms: after so long, at most, a worker looks whether it is to stop
_LONGEST_TURN = 40_000_000
# about 5 ms: beyond, a call is made so that it can be interrupted, which costs a thread
_LONG = 100_000_000
# about half a second: beyond, progress is of interest
_WORTH_TELLING = 10_000_000_000
# what it takes to read or write a number, in additions
_MOVE = 20
# a sample alone takes as long as those that would share its vectors
_LANES = 8


class _Share(threading.local):
    """How many processors the calling thread may use, where it has to leave some to others."""

    most: int | None = None


_share = _Share()


def processors() -> int:
    """How many processors this process may use, or the calling thread inside :func:`at_most`."""
    there = usable_processors()
    return there if _share.most is None else min(there, _share.most)


@contextlib.contextmanager
def at_most(threads: int | None) -> Iterator[None]:
    """Limit the threads of kernels that the calling thread compiles inside; None for all."""
    before = _share.most
    _share.most = threads
    try:
        yield
    finally:
        _share.most = before


@functools.lru_cache(maxsize=1)
def _pool(process: int) -> Workers:
    """The pool of this process; its number is the key, so a forked child gets another."""
    return Workers(usable_processors())


def helping_threads() -> Workers:
    """The threads of this process that help its calls."""
    return _pool(os.getpid())


@dataclass(frozen=True)
class Workload:
    """Workload of a kernel, for sharing samples among threads.

    Attributes:
        threads: How many may work on one call.
        block: How many samples machine code takes at once.
        work: Arithmetic of one sample, in additions.
        moved: How many numbers of one sample are read and written.
    """

    threads: int
    block: int
    work: int
    moved: int = 0

    @staticmethod
    def of(
        operations: Operations, threads: int, block: int, ports: Sequence[Port] = ()
    ) -> Workload:
        """Weigh the operations of a kernel, and the numbers that come and go."""
        slow = operations.divide + operations.sqrt
        very_slow = operations.sincos + operations.other
        work = 1 + operations.total + 8 * slow + 20 * very_slow
        return Workload(threads, block, work, sum(port.size for port in ports))

    @property
    def most_samples_alone(self) -> int:
        """The longest batch that is not worth a second thread."""
        return max(1, 2 * _WORK_WORTH_A_THREAD // self.work - 1)

    def is_long(self, samples: int, times: int) -> bool:
        """Whether so many samples, so many times each, take a good part of a second."""
        workers = min(self.threads, -(-samples // self.block))
        return self.work * max(samples, _LANES) * times > _WORTH_TELLING * workers

    def times(self, steps: int) -> Workload:
        """The same, so many times for each sample."""
        return Workload(self.threads, self.block, self.work * steps, self.moved * steps)

    def run(
        self,
        share: Callable[..., int],
        records: Any,
        samples: int,
        owned: Sequence[object] = (),
        progress: Callable[[float], None] | None = None,
    ) -> None:
        """Evaluate all samples: ``share(records, next, end, turn)`` on one or several threads.

        Args:
            share: Machine code.
            records: Where its arrays are.
            samples: How many there are.
            owned: What has to live as long as machine code runs: arrays and the code itself.
            progress: Told which part of the samples is begun, now and then, while the main thread
                waits for a call that lasts.

        Raises:
            MemoryError: A worker had no memory for intermediate values.
            KeyboardInterrupt: Ctrl-C, in the main thread; no worker is left then.
        """
        worth = self.work * samples // _WORK_WORTH_A_THREAD
        workers = min(self.threads, worth, -(-samples // self.block))
        cost = self.work + _MOVE * self.moved
        is_long = cost * max(samples, _LANES) > _LONG
        turn = samples
        if workers > 1 or is_long:
            fair = samples // (max(1, workers) * _TURNS * self.block)
            turn = max(1, min(fair, _LONGEST_TURN // (cost * self.block))) * self.block
        call = _SharedCall(share, records, samples, turn, owned)
        if is_long:
            watch = None if progress is None else lambda: progress(call.begun)
            interruptible(lambda: call.run(workers - 1), call.stop, watch)
        else:
            call.run(workers - 1)


@final
class _SharedCall:
    """A call of machine code on several threads, and all that it touches."""

    def __init__(
        self,
        share: Callable[..., int],
        records: Any,
        samples: int,
        turn: int,
        owned: Sequence[object],
    ) -> None:
        self._share, self._owned = share, owned
        self._following = ctypes.c_int64(0)
        self._arguments = records, ctypes.byref(self._following), samples, turn

    def run(self, helpers: int) -> None:
        """Do it all, with so many other threads."""
        parts = [WorkItem(self._work) for _ in range(helpers)]
        try:
            with contextlib.suppress(RuntimeError):  # no more threads: this one does the rest
                for part in parts:
                    helping_threads().hand(part)
            failures = [self._work()]
            # one that has not begun yet has nothing left to do
            failures += [part.result() for part in parts if part.begun()]
        except BaseException:
            for part in parts:
                part.settle(self.stop)
            raise
        if any(failures):
            raise MemoryError

    @property
    def begun(self) -> float:
        """Which part of the samples is done or at work."""
        samples = self._arguments[2]
        return min(1.0, self._following.value / samples)

    def stop(self) -> None:
        """Let all threads return after the turn, or the step of a loop, that they are at."""
        self._following.value = STOPPED

    def _work(self) -> int:
        return self._share(*self._arguments)
