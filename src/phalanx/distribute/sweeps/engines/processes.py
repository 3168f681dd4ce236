"""Chunks on processes of this machine.

Policy: workers are spawned, so that they inherit no threads and no locks; each gets the luggage as
it starts. When one is killed the pool is broken by its own rules: a new one is started, and what
was on its way runs again. A chunk that breaks several pools in a row is what kills them, and the
sweep ends.
"""

from __future__ import annotations

import itertools
import multiprocessing
from collections.abc import Generator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any, final

from phalanx.arguments import whole
from phalanx.distribute.sweeps.engines.engine import Engine, EngineLost
from phalanx.distribute.sweeps.engines.executor import chunks_on
from phalanx.distribute.sweeps.engines.luggage import Work, packed, receive
from phalanx.kernel.call.threads import processors

_MOST_LOSSES = 3  # pools in a row that break before a single chunk comes back


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
        losses = itertools.count(1)
        while missing:
            workers = min(self.workers, len(missing))
            pool = ProcessPoolExecutor(
                workers,
                mp_context=multiprocessing.get_context("spawn"),
                initializer=receive,
                initargs=(luggage,),
            )
            try:
                numbers = tuple(missing)
                for number, chunk in chunks_on(pool, luggage, numbers, workers, have_luggage=True):
                    del missing[number]
                    losses = itertools.count(1)
                    yield number, chunk
            except BrokenProcessPool as error:
                if next(losses) >= _MOST_LOSSES:
                    raise EngineLost(
                        f"{_MOST_LOSSES} times in a row a worker process died before it finished a "
                        f"chunk; the next ones are {', '.join(map(str, [*missing][:workers]))}. "
                        "It may lack memory (smaller chunks), or run code that ends the process."
                    ) from error
            finally:
                pool.shutdown(wait=False, cancel_futures=True)
