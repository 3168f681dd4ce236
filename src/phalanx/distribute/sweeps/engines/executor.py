"""Engine on any ``concurrent.futures.Executor``: threads, processes, MPI pools, clusters.

Policy: a task is a token and a number. The first tasks carry the payload; a worker that has not
seen it reports that, and the chunk is sent again with it. At most two chunks a worker are in
flight.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    wait,
)
from dataclasses import dataclass
from typing import Any, final

from phalanx.base.arguments import whole
from phalanx.base.errors import InvalidInput, shown
from phalanx.distribute.sweeps.engines.engine import EngineLost, SweepEngine
from phalanx.distribute.sweeps.engines.worker_payload import (
    Answer,
    ChunkWork,
    WorkerPayload,
    carry_out,
    packed,
)

AHEAD = 2  # chunks a worker: one it works on, one that waits for it


@final
@dataclass(frozen=True)
class OnExecutor(SweepEngine):
    """Chunks on an executor of the caller: it is not shut down.

    Attributes:
        executor: Whatever has ``submit``.
        most_workers: How many workers it has, where the executor does not know.
        threads: How many threads a chunk uses on a worker.
    """

    executor: Executor
    most_workers: int | None = None
    threads: int | None = 1

    def __post_init__(self) -> None:
        """Check."""
        if not callable(getattr(self.executor, "submit", None)):
            raise InvalidInput(
                f"executor={shown(self.executor)}; expected a concurrent.futures.Executor."
            )
        for name in ("most_workers", "threads"):
            if getattr(self, name) is not None:
                whole(name, getattr(self, name), 1, "a positive whole number, or None")

    def check(self) -> None:
        """An executor that exists is taken at its word."""

    @property
    def workers(self) -> int:
        """Return the number given, or the executor's own; else two."""
        known = (getattr(self.executor, name, 0) for name in ("num_workers", "_max_workers"))
        return self.most_workers or next((int(count) for count in known if count), 2)

    def each(self, study: ChunkWork, numbers: Sequence[int]) -> Generator[tuple[int, Any]]:
        """Chunks as they are finished."""
        payload = packed(study, self.threads)
        try:
            yield from chunks_on(self.executor, payload, numbers, self.workers)
        except (BrokenExecutor, CancelledError) as error:
            raise EngineLost(f"workers of {shown(self.executor)} are gone: {error}.") from error


def chunks_on(
    executor: Executor,
    payload: WorkerPayload,
    numbers: Sequence[int],
    workers: int,
) -> Generator[tuple[int, Any]]:
    """Chunks as they are finished; what has not begun is cancelled when the caller stops."""
    following = iter(numbers)
    flying: dict[Future[Answer], int] = {}
    sent = 0

    def send(number: int, carried: WorkerPayload | None) -> None:
        flying[executor.submit(carry_out, payload.token, number, carried)] = number

    def fill() -> None:
        nonlocal sent
        while len(flying) < AHEAD * workers and (number := next(following, None)) is not None:
            send(number, payload if sent < workers else None)
            sent += 1

    try:
        fill()
        while flying:
            for future in wait(flying, return_when=FIRST_COMPLETED).done:
                number = flying.pop(future)
                answer = future.result()
                if answer.needs_payload:
                    send(number, payload)
                    continue
                payload = payload.with_kernels(answer.kernels)
                fill()  # workers go on while the chunk is written
                yield number, answer.result(number)
    finally:
        for future in flying:
            future.cancel()
