"""Chunks on processes of this machine.

Policy: workers are spawned, so that they inherit no threads and no locks. A worker imports the
script that asked for the sweep before it reads anything, and Python would wait for ever for one
that dies there with more to read than a pipe holds. So workers start with nothing, one of them
answers, and the first chunks bring the luggage. Ctrl-C is heard by the process that asked for the
sweep; its workers are ended with it, also in the middle of a case. When a worker is killed the pool
is broken by its own rules: a new one is started, and what was on its way runs again. A chunk that
breaks several pools in a row is what kills them, and the sweep ends.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Generator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import connection
from typing import Any, final

from phalanx.arguments import whole
from phalanx.distribute.sweeps.engines.engine import NOT_STARTED, Engine, EngineLost
from phalanx.distribute.sweeps.engines.executor import AHEAD, chunks_on
from phalanx.distribute.sweeps.engines.luggage import Work, packed
from phalanx.kernel.call.threads import processors

_MOST_LOSSES = 3  # pools in a row that break before a single chunk comes back

_GRACE = 1.0  # [s] for a worker to end when it is asked to


@final
@dataclass(frozen=True)
class Processes(Engine):
    """Chunks on processes of this machine.

    Attributes:
        count: How many; one per processor when not given.
        threads: How many threads a chunk uses in its process.
    """

    count: int | None = None
    threads: int = 1

    def __post_init__(self) -> None:
        """Check."""
        if self.count is not None:
            whole("count", self.count, 1, "a positive whole number, or None for all processors")
        whole("threads", self.threads, 1, "a positive whole number")

    def check(self) -> None:
        """Processes can always be started."""

    @property
    def workers(self) -> int:
        """How many processes."""
        return self.count or max(1, processors() // self.threads)

    def each(self, study: Work, numbers: Sequence[int]) -> Generator[tuple[int, Any]]:
        """Chunks as they are finished; those of a killed process run again."""
        luggage = packed(study, self.threads)
        missing = dict.fromkeys(numbers)
        losses, ahead, have_started = 0, AHEAD, False
        while missing:
            workers = min(self.workers, len(missing))
            pool = ProcessPoolExecutor(
                workers, mp_context=multiprocessing.get_context("spawn"), initializer=_begin
            )
            try:
                pool.submit(os.getpid).result()
                have_started = True
                for number, chunk in chunks_on(pool, luggage, tuple(missing), workers, ahead):
                    del missing[number]
                    losses = 0
                    yield number, chunk
            except BrokenProcessPool as error:
                if not have_started:
                    raise EngineLost(NOT_STARTED) from None
                losses, ahead = losses + 1, 1  # nobody waits behind what may be deadly
                if losses == _MOST_LOSSES:
                    raise EngineLost(
                        f"{_MOST_LOSSES} times in a row a worker process died before it finished a "
                        f"chunk; the next ones are {', '.join(map(str, [*missing][:workers]))}. "
                        "It may lack memory (smaller chunks), or run code that ends the process."
                    ) from error
            except BaseException:  # Ctrl-C, or nobody asks any more: a case may never end
                _end_workers(pool)
                raise
            finally:
                pool.shutdown(wait=False, cancel_futures=True)


def _end_workers(pool: ProcessPoolExecutor) -> None:
    """End processes that may be in the middle of a case: asked first, then without asking."""
    # its own method for this comes with Python 3.14
    workers = list((getattr(pool, "_processes", None) or {}).values())
    for worker in workers:
        worker.terminate()
    for worker in workers:
        worker.join(_GRACE)
        if worker.is_alive():
            worker.kill()


def _begin() -> None:
    """Prepare a worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Wait until the process that started this one is gone; nobody else would tell."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)
