"""Message passing on MPI ranks, with detection of a rank that stalls.

Policy: messages go from rank to rank, so that it is known which is missing, and are polled for
until a deadline. Where ranks are more than processors a rank sleeps between two polls, the longer
the longer it has waited (back-off): MPI's own busy waiting keeps the processor that the awaited
rank would need.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

from phalanx.base.errors import InvalidInput, MissingExtra, PhalanxError
from phalanx.base.processors import usable_processors
from phalanx.distribute.processes.messages import (
    Array,
    Message,
    ProcessProgram,
    Traffic,
    UnmatchedMessages,
)
from phalanx.distribute.processes.transfers import KINDS, transfers_of

FAILED = 3  # how a job ends that could not be finished
START_UP = 120.0  # [s]: others may still be compiling when the first message is due
_BUSY_POLLS = 200  # polls before a rank that has a processor of its own sleeps, too
_SHORTEST_SLEEP = 2e-5  # [s] at first
_LONGEST_SLEEP = (
    2e-3  # [s] once a rank has waited long: for one that compiles, or has fallen behind
)
_PART = 16  # of the time that has been waited: what a sleep adds to it at most
_FIRST_RANK = 1.0  # [s] that others leave to the first rank to close what it writes
# MPI tags, so that no message is taken for one of another kind
_MEETING, *_TAGS = range(len(KINDS) + 1)
_TAG_OF = dict(zip(KINDS, _TAGS, strict=True))


@dataclass(frozen=True)
class _MessageBatch:
    """Messages with one tag, to or from other ranks."""

    tag: int
    messages: dict[int, Array]


class StalledRank(PhalanxError):
    """Ranks that did not reply in time.

    Attributes:
        ranks: Their numbers.
    """

    def __init__(self, ranks: Sequence[int], waited: float, sent: int) -> None:
        """Say who is missing since when."""
        self.ranks = tuple(ranks)
        who = ", ".join(map(str, ranks))
        super().__init__(
            f"rank{'s' * (len(self.ranks) > 1)} {who} did not reply for {waited:g} s after "
            f"message {sent} of this one: lost, stopped, or slower than the timeout allows."
        )


class Ranks:
    """The ranks of an MPI job, seen from one of them.

    Attributes:
        rank: The number of this one.
        size: How many there are.
    """

    def __init__(self, timeout: float = 10.0) -> None:
        """Join the job.

        Args:
            timeout: How long to wait for another rank [s].

        Raises:
            MissingExtra: mpi4py is not installed.
            InvalidInput: The timeout is not a positive time.
        """
        if find_spec("mpi4py") is None:
            raise MissingExtra("a run on MPI ranks", "mpi")
        from mpi4py import MPI

        self.timeout = checked_timeout(timeout)
        self._mpi = MPI
        self._comm = MPI.COMM_WORLD
        self.rank, self.size = self._comm.Get_rank(), self._comm.Get_size()
        # non-blocking sends, kept until they have left: MPI reads from where they are
        self._leaving: list[tuple[int, Any, Array]] = []
        self._busy_polls = 0 if self.size > usable_processors() else _BUSY_POLLS

    def meet(self) -> None:
        """Wait until all ranks are here; they may still be compiling.

        Raises:
            StalledRank: One did not come.
        """
        others = [rank for rank in range(self.size) if rank != self.rank]
        here = np.zeros(1)
        mail = {rank: np.empty(1) for rank in others}
        out = _MessageBatch(_MEETING, dict.fromkeys(others, here))
        self._transfer(out, _MessageBatch(_MEETING, mail), max(START_UP, self.timeout))

    def run(self, program: ProcessProgram) -> tuple[Any, Traffic, float]:
        """Run this rank's program to its end.

        Returns:
            What it returned, what it sent, how long it took [s].

        Raises:
            StalledRank: Another rank did not reply in time.
            UnmatchedMessages: Another rank sent another number of values than was expected.
        """
        traffic = Traffic()
        reply: Any = None
        started = time.perf_counter()
        try:
            while True:
                try:
                    message = program.send(reply)
                except StopIteration as end:
                    self._wait_until_sent(traffic.messages)
                    return end.value, traffic, time.perf_counter() - started
                begin = time.perf_counter()
                reply = self._carry(message, traffic)
                traffic.waited += time.perf_counter() - begin
        finally:
            program.close()

    def collect(self, facts: Any) -> list[Any]:
        """Gather plain data of all ranks, in order, at rank 0; empty elsewhere.

        Raises:
            InvalidInput: It is not plain data.
        """
        own = np.frombuffer(as_text(facts).encode(), dtype=np.uint8)
        first = self.rank == 0
        sizes = np.zeros(self.size if first else 0, dtype=np.int64)
        self._comm.Gather(np.array([own.size]), sizes, root=0)
        mail = np.empty(int(sizes.sum()), dtype=np.uint8)
        self._comm.Gatherv(own, [mail, sizes] if first else None, root=0)
        texts = np.split(mail, np.cumsum(sizes)[:-1]) if first else []
        return [json.loads(text.tobytes()) for text in texts]

    @contextmanager
    def ending_the_job(self) -> Iterator[None]:
        """End the whole job when this rank fails: those who wait for it would wait for ever."""
        try:
            yield
        except BaseException as error:
            kind = "" if isinstance(error, PhalanxError) else f"{type(error).__name__}: "
            sys.stderr.write(f"rank {self.rank} ends the run: {kind}{error}\n")
            sys.stderr.flush()
            if self.rank != 0 and self.size > 1:
                time.sleep(_FIRST_RANK)
            self._comm.Abort(FAILED)
            raise

    def _carry(self, message: Message, traffic: Traffic) -> Any:
        traffic.count(message)
        transfers = transfers_of(message, self.rank, self.size)
        mail: dict[int, Array] | None = None
        while True:
            try:
                # nothing has arrived before the first transfer
                transfer = next(transfers) if mail is None else transfers.send(mail)
            except StopIteration as end:
                return end.value
            for receiver, values in transfer.out.items():
                traffic.add(transfer.kind, receiver, values.size)
            if transfer.nonblocking:
                self._send_nonblocking(_TAG_OF[transfer.kind], transfer.out)
                mail = {}
                continue
            mail = {sender: np.empty(size) for sender, size in transfer.into.items()}
            out = _MessageBatch(_TAG_OF[transfer.kind], dict(transfer.out))
            into = _MessageBatch(_TAG_OF[transfer.awaited], mail)
            self._transfer(out, into, self.timeout, traffic.messages)

    def _send_nonblocking(self, tag: int, messages: Mapping[int, Array]) -> None:
        """Send, and go on; two ranks may send each other as much as they like at the same time."""
        self._leaving = [one for one in self._leaving if not one[1].Test()]
        for rank, values in messages.items():
            message = np.array(values, dtype=np.float64)  # a copy: the program goes on with its own
            request = self._comm.Isend(message, dest=rank, tag=tag)
            self._leaving.append((rank, request, message))

    def _wait_until_sent(self, sent: int) -> None:
        """Wait until all non-blocking sends have left."""
        begin = time.monotonic()
        while self._leaving:
            self._leaving = [one for one in self._leaving if not one[1].Test()]
            if self._leaving:
                time.sleep(_SHORTEST_SLEEP)
            if time.monotonic() - begin > self.timeout:
                raise StalledRank(sorted({one[0] for one in self._leaving}), self.timeout, sent)

    def _transfer(
        self, out: _MessageBatch, into: _MessageBatch, patience: float, sent: int = 0
    ) -> None:
        """Send and receive, and wait until all of it is done."""
        ranks = [*into.messages, *out.messages]
        open_ = [
            self._comm.Irecv(mail, source=rank, tag=into.tag)
            for rank, mail in into.messages.items()
        ]
        # kept until they are sent: MPI reads from where they are
        leaving = [np.ascontiguousarray(x, dtype=np.float64) for x in out.messages.values()]
        open_ += [
            self._comm.Isend(message, dest=rank, tag=out.tag)
            for rank, message in zip(out.messages, leaving, strict=True)
        ]
        arrived = [self._mpi.Status() for _ in open_]
        begin = time.monotonic()
        polls = 0
        while not self._mpi.Request.Testall(open_, arrived):
            polls += 1
            waited = time.monotonic() - begin
            if polls > self._busy_polls:
                time.sleep(min(max(_SHORTEST_SLEEP, waited / _PART), _LONGEST_SLEEP))
            if waited > patience:
                missing = sorted(
                    {rank for rank, request in zip(ranks, open_, strict=True) if not request.Test()}
                )
                raise StalledRank(missing, patience, sent)
        for (rank, mail), status in zip(into.messages.items(), arrived, strict=False):
            sent_here = status.Get_count(self._mpi.DOUBLE)
            if sent_here != mail.size:
                raise UnmatchedMessages(
                    f"rank {rank} sent {sent_here} numbers where {mail.size} were expected."
                )


def inside_mpi() -> bool:
    """Return whether this process was started as a rank of an MPI job."""
    return any(name in os.environ for name in ("PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK"))


def as_text(facts: Any) -> str:
    """Return plain data as JSON.

    Raises:
        InvalidInput: It is something else.
    """
    try:
        return json.dumps(facts)
    except (TypeError, ValueError) as error:
        raise InvalidInput(
            f"ranks receive and return plain data (numbers, texts, lists, dictionaries): {error}."
        ) from None


def checked_timeout(timeout: float) -> float:
    """Return a timeout that is a positive time [s]."""
    if not 0 < timeout < float("inf"):
        raise InvalidInput(f"timeout={timeout}; expected seconds above zero.")
    return timeout
