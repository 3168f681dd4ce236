"""Share the samples of a large batch between threads.

Policy: one pool per process, as large as the processor; the calling thread works too. Workers take
the next few blocks from a shared counter until none are left, inside one native call each, with
the interpreter free. A batch uses threads only if each gets work worth the hand-over. A forked
child makes its own pool.
"""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from phalanx.kernel.operations import Operations

# about 0.1 ms of arithmetic, a few times what it costs to wake a thread
_WORK_WORTH_A_THREAD = 2_000_000
# how often a worker comes back for more, so that a slow one holds nobody up
_TURNS = 16


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@functools.lru_cache(maxsize=1)
def _pool(process: int) -> ThreadPoolExecutor:
    """The pool of this process; its number is the key, so a forked child gets another."""
    return ThreadPoolExecutor(processors(), thread_name_prefix="phalanx")


@dataclass(frozen=True)
class Workload:
    """What threads need to know of a kernel.

    Attributes:
        threads: How many may work on one call.
        block: How many samples machine code takes at once.
        work: Arithmetic of one sample, in additions.
    """

    threads: int
    block: int
    work: int

    @staticmethod
    def of(operations: Operations, threads: int, block: int) -> Workload:
        """Weigh the operations of a kernel."""
        slow = operations.divide + operations.sqrt
        very_slow = operations.sincos + operations.other
        return Workload(threads, block, 1 + operations.total + 8 * slow + 20 * very_slow)

    @property
    def most_samples_alone(self) -> int:
        """The longest batch that is not worth a second thread."""
        return max(1, 2 * _WORK_WORTH_A_THREAD // self.work - 1)

    def run(self, share: Callable[..., int], records: Any, samples: int) -> None:
        """Evaluate all samples: ``share(records, next, end, turn)`` on one or several threads.

        Raises:
            MemoryError: A worker had no memory for intermediate values.
        """
        worth = self.work * samples // _WORK_WORTH_A_THREAD
        workers = min(self.threads, worth, -(-samples // self.block))
        following = ctypes.c_int64(0)
        if workers < 2:
            if share(records, ctypes.byref(following), samples, samples):
                raise MemoryError
            return
        blocks = max(1, samples // (workers * _TURNS * self.block))
        arguments = (records, ctypes.byref(following), samples, blocks * self.block)
        pool = _pool(os.getpid())
        helpers = []
        try:
            for _ in range(workers - 1):
                helpers.append(pool.submit(share, *arguments))
        except RuntimeError:
            pass  # the interpreter is shutting down; this thread does the rest
        failures = [share(*arguments)]
        for helper in helpers:
            # one that has not started yet has nothing left to do
            if not helper.cancel():
                failures.append(helper.result())
        if any(failures):
            raise MemoryError
