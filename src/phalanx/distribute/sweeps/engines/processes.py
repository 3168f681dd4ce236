"""Process pool: chunks on processes of this machine.

Policy: workers are spawned, so that they inherit no threads and no locks. A worker imports the
script that started the sweep before it reads anything; so it starts with nothing, reports that it
is there, and only then is sent the payload. Each has one task at a time, and its next one before
the chunk that came is written. Ctrl-C goes to the process that started the sweep; its workers are
ended with it, also in the middle of a case. A worker that dies is replaced, and what it worked on
runs again; when several die in a row before anything comes back, the sweep ends.

Time limit of a case: cases that run one by one are sent one by one. Cases that are compiled
together are sent together with the sum of their limits; when that is over they are halved, until
one that takes too long stands alone. It is kept as failed, and its worker is replaced.
"""

from __future__ import annotations

import contextlib
import functools
import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing import connection
from typing import Any, final

from phalanx.base.arguments import positive, whole
from phalanx.base.errors import InvalidInput
from phalanx.distribute.sweeps.chunk import Chunk, joined, nothing
from phalanx.distribute.sweeps.engines.engine import NOT_STARTED, EngineLost, SweepEngine
from phalanx.distribute.sweeps.engines.worker_payload import (
    Answer,
    ChunkWork,
    WorkerPayload,
    carry_out,
    failed,
    packed,
    take_in,
)
from phalanx.distribute.sweeps.study import Study
from phalanx.kernel.call.threads import processors

_MOST_LOSSES = 3  # workers in a row that die before anything comes back
_GRACE = 1.0  # [s] for a worker to end after SIGTERM


@final
@dataclass(frozen=True)
class Processes(SweepEngine):
    """Chunks on processes of this machine.

    Attributes:
        count: How many; one per processor when not given.
        threads: How many threads a chunk uses in its process.
        case_seconds: Time limit of a case [s]; none when not given.
    """

    count: int | None = None
    threads: int = 1
    case_seconds: float | None = None

    def __post_init__(self) -> None:
        """Check."""
        if self.count is not None:
            whole("count", self.count, 1, "a positive whole number, or None for all processors")
        whole("threads", self.threads, 1, "a positive whole number")
        if self.case_seconds is not None:
            positive("case_seconds", self.case_seconds, "a positive number [s], or None")

    def limited(self, case_seconds: float) -> Processes:
        """The same, with a time limit for every case."""
        return replace(self, case_seconds=case_seconds)

    def check(self) -> None:
        """Processes can always be started."""

    @property
    def workers(self) -> int:
        """How many processes."""
        return self.count or max(1, processors() // self.threads)

    def each(self, study: ChunkWork, numbers: Sequence[int]) -> Generator[tuple[int, Any]]:
        """Chunks as they are finished; those of a killed process run again."""
        payload = packed(study, self.threads)
        pieces = _Whole() if self.case_seconds is None else _OneByOne(study, self.case_seconds)
        work = _Pool(payload, pieces, numbers, self.workers)
        try:
            yield from work.chunks()
        finally:  # finished, Ctrl-C, or the caller has stopped: a case may never end
            work.end()


@dataclass(frozen=True)
class _Piece:
    """What a worker has at a time: a chunk, or some of its cases within a time."""

    number: int
    cases: range | None = None
    seconds: float | None = None


class _Whole:
    """Chunks as they are."""

    def cut(self, number: int) -> list[_Piece]:
        return [_Piece(number)]

    def put(self, piece: _Piece, result: Any) -> tuple[int, Any] | None:
        return piece.number, result


class _OneByOne:
    """Chunks in pieces that have a time limit, put together again."""

    def __init__(self, study: ChunkWork, seconds: float) -> None:
        if not isinstance(study, Study):
            raise InvalidInput("case_seconds is for a study of cases, such as px.sweep runs.")
        self.study, self.seconds = study, seconds
        self.parts: dict[int, dict[int, Chunk]] = {}

    def _piece(self, number: int, cases: range) -> _Piece:
        return _Piece(number, cases, self.seconds * len(cases))

    def cut(self, number: int) -> list[_Piece]:
        cases = self.study.numbers(number)
        if not self.study.run.is_one_by_one:
            return [self._piece(number, cases)]
        return [self._piece(number, range(case, case + 1)) for case in cases]

    def put(self, piece: _Piece, result: Chunk) -> tuple[int, Chunk] | None:
        """Add a part; the chunk, once it is whole."""
        assert piece.cases is not None
        parts = self.parts.setdefault(piece.number, {})
        parts[piece.cases.start] = result
        sizes = (len(next(iter(part.results.values()))) for part in parts.values())
        if sum(sizes) < len(self.study.numbers(piece.number)):
            return None
        del self.parts[piece.number]
        return piece.number, joined([parts[first] for first in sorted(parts)])

    def halves(self, piece: _Piece) -> list[_Piece]:
        """Halves of a piece."""
        assert piece.cases is not None
        half = len(piece.cases) // 2
        return [
            self._piece(piece.number, part) for part in (piece.cases[:half], piece.cases[half:])
        ]

    def lost(self, piece: _Piece) -> Chunk:
        """What is kept of a case that took too long."""
        assert piece.cases is not None
        why = f"it took longer than its time limit, case_seconds={self.seconds:g}, and was ended"
        return nothing(self.study.variables, {piece.cases[0]: why})


@dataclass(eq=False)
class _Worker:
    """A process, and what it has been sent."""

    process: Any
    pipe: Any
    has_payload: bool = False
    piece: _Piece | None = None
    deadline: float = float("inf")

    @staticmethod
    def start() -> _Worker:
        context = multiprocessing.get_context("spawn")
        here, there = context.Pipe()
        process = context.Process(target=_serve, args=(there,))
        try:
            process.start()
        except BrokenPipeError:  # it ended before it could read
            raise EngineLost(NOT_STARTED) from None
        finally:
            there.close()
        return _Worker(process, here)

    def send(self, task: Callable[[], Answer]) -> None:
        with contextlib.suppress(OSError):  # one that has died is noticed where answers are read
            self.pipe.send(task)

    def end(self) -> None:
        """Request it to end; see also :meth:`bury`."""
        self.process.terminate()

    def bury(self) -> None:
        """Wait for its end, and bring it about when it does not come."""
        self.process.join(_GRACE)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.pipe.close()
        self.process.close()


@dataclass(eq=False)
class _Pool:
    """Workers, and what is left to do."""

    payload: WorkerPayload
    pieces: _Whole | _OneByOne
    numbers: Sequence[int]
    count: int
    workers: list[_Worker] = field(default_factory=list)
    waiting: deque[_Piece] = field(default_factory=deque)
    losses: int = 0
    have_started: bool = False

    def chunks(self) -> Generator[tuple[int, Any]]:
        """All chunks, as they are finished."""
        self.ahead = iter(self.numbers)
        self.missing = dict.fromkeys(self.numbers)
        while self.missing:
            self._man()
            for worker in self._heard():
                done = self._hear(worker)
                if done is not None:
                    del self.missing[done[0]]
                    yield done

    def end(self) -> None:
        """End processes that may be in the middle of a case: SIGTERM first, then SIGKILL."""
        try:
            for worker in self.workers:
                worker.end()
            for worker in self.workers:
                worker.bury()
            self.workers.clear()
        finally:  # a second Ctrl-C waits for none of them; Python does, as it ends
            for worker in self.workers:
                with contextlib.suppress(ValueError):  # it is buried
                    worker.process.kill()

    def _man(self) -> None:
        """As many workers as there is work for."""
        busy = sum(worker.piece is not None for worker in self.workers)
        self._cut_ahead(self.count)
        while len(self.workers) < min(self.count, busy + len(self.waiting)):
            self.workers.append(_Worker.start())
        for worker in self.workers:
            if worker.has_payload and worker.piece is None:
                self._feed(worker)

    def _cut_ahead(self, least: int) -> None:
        """Have some pieces ready, and few."""
        while len(self.waiting) < least and (number := next(self.ahead, None)) is not None:
            self.waiting.extend(self.pieces.cut(number))

    def _feed(self, worker: _Worker) -> None:
        self._cut_ahead(1)
        if not self.waiting:
            return
        worker.piece = piece = self.waiting.popleft()
        if piece.seconds is not None:
            worker.deadline = time.monotonic() + piece.seconds
        worker.send(
            functools.partial(carry_out, self.payload.token, piece.number, None, piece.cases)
        )

    def _heard(self) -> list[_Worker]:
        """Wait for workers that have sent something, or whose time is over."""
        least = min(worker.deadline for worker in self.workers)
        timeout = None if least == float("inf") else max(0.0, least - time.monotonic())
        pipes = {worker.pipe: worker for worker in self.workers}
        ready: list[Any] = connection.wait(list(pipes), timeout)
        if ready:
            return [pipes[pipe] for pipe in ready]
        return [worker for worker in self.workers if worker.deadline <= time.monotonic()]

    def _hear(self, worker: _Worker) -> tuple[int, Any] | None:
        """Receive what a worker sent; return a chunk when one is whole."""
        if not worker.pipe.poll():
            return self._too_long(worker)
        try:
            answer: Answer | None = worker.pipe.recv()
        except (EOFError, OSError):
            self._lost(worker)
            return None
        if answer is None:
            self.have_started = True
            worker.send(functools.partial(take_in, self.payload))
            return None
        self.payload = self.payload.with_kernels(answer.kernels)
        if not worker.has_payload:
            worker.has_payload = True
            answer.result(next(iter(self.missing)))  # raises what is wrong with the payload
            self._feed(worker)
            return None
        piece, worker.piece, worker.deadline = worker.piece, None, float("inf")
        assert piece is not None
        self.losses = 0
        self._feed(worker)  # it goes on while the chunk is written
        return self.pieces.put(piece, answer.result(piece.number))

    def _too_long(self, worker: _Worker) -> tuple[int, Any] | None:
        """Replace a worker whose piece took too long."""
        piece = worker.piece
        assert piece is not None and piece.cases is not None and isinstance(self.pieces, _OneByOne)
        self._dismiss(worker)
        if len(piece.cases) > 1:
            self.waiting.extendleft(reversed(self.pieces.halves(piece)))
            return None
        return self.pieces.put(piece, self.pieces.lost(piece))

    def _lost(self, worker: _Worker) -> None:
        """A worker has died: what it had runs again."""
        self._dismiss(worker)
        if worker.piece is not None:
            self.waiting.appendleft(worker.piece)
        if not self.have_started:
            raise EngineLost(NOT_STARTED)
        self.losses += 1
        if self.losses == _MOST_LOSSES:
            raise EngineLost(
                f"{_MOST_LOSSES} times in a row a worker process died before it finished a "
                f"chunk; the next ones are {', '.join(map(str, [*self.missing][: self.count]))}. "
                "It may lack memory (smaller chunks), or run code that ends the process."
            )

    def _dismiss(self, worker: _Worker) -> None:
        self.workers.remove(worker)
        worker.end()
        worker.bury()


def _serve(pipe: Any) -> None:
    """Main loop of a worker: report that it is there, then do each task."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with contextlib.suppress(EOFError, OSError):  # the parent has ended
        pipe.send(None)
        while True:
            answer = pipe.recv()()
            try:
                pipe.send(answer)
            except OSError:
                raise
            except Exception as error:  # what comes out of a stranger's study may not travel
                pipe.send(failed(error))


def _end_with_parent() -> None:
    """Wait until the process that started this one is gone; nothing else reports it."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)
