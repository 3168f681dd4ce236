"""Message passing on MPI ranks, with detection of a rank that stalls.

Policy: messages go from rank to rank, so that it is known who is missing, and are waited for by
looking again and again until a deadline. Where ranks are more than processors a rank sleeps between
two looks, the longer the longer it has waited: MPI's own waiting keeps the processor that the
awaited rank would need.
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
from phalanx.distribute.processes.letters import KINDS, letters_of
from phalanx.distribute.processes.messages import (
    Array,
    Message,
    Program,
    Traffic,
    UnmatchedMessages,
)

FAILED = 3  # how a job ends that could not be finished
START_UP = 120.0  # [s]: others may still be compiling when the first message is due
_GLANCES = 200  # looks at the mail before a rank that has a processor of its own sleeps, too
_NAP = 2e-5  # [s] at first
_LONG_NAP = 2e-3  # [s] once a rank has waited long: for one that compiles, or has fallen behind
_PART = 16  # of the time that has been waited: what a nap adds to it at most
_FIRST_RANK = 1.0  # [s] that others leave to the first rank to close what it writes
# what a message is labelled with, so that none is taken for one of another kind
_HERE, *_LABELS = range(len(KINDS) + 1)
_LABEL_OF = dict(zip(KINDS, _LABELS, strict=True))


@dataclass(frozen=True)
class _Mail:
    """Letters of one kind, to or from other ranks."""

    label: int
    letters: dict[int, Array]


class StalledRank(PhalanxError):
    """Ranks that did not answer in time.

    Attributes:
        ranks: Their numbers.
    """

    def __init__(self, ranks: Sequence[int], waited: float, sent: int) -> None:
        """Say who is missing since when."""
        self.ranks = tuple(ranks)
        who = ", ".join(map(str, ranks))
        super().__init__(
            f"rank{'s' * (len(self.ranks) > 1)} {who} did not answer for {waited:g} s after "
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
        # letters that nobody waits for, kept until they have left: MPI reads from where they are
        self._leaving: list[tuple[int, Any, Array]] = []
        self._glances = 0 if self.size > usable_processors() else _GLANCES

    def meet(self) -> None:
        """Wait until all ranks are here; they may still be compiling.

        Raises:
            StalledRank: One did not come.
        """
        others = [rank for rank in range(self.size) if rank != self.rank]
        here = np.zeros(1)
        mail = {rank: np.empty(1) for rank in others}
        out = _Mail(_HERE, dict.fromkeys(others, here))
        self._transfer(out, _Mail(_HERE, mail), max(START_UP, self.timeout))

    def run(self, program: Program) -> tuple[Any, Traffic]:
        """Run this rank's program to its end; what it returned, and what it sent.

        Raises:
            StalledRank: Another rank did not answer in time.
            UnmatchedMessages: Another rank told fewer numbers than were expected.
        """
        traffic = Traffic()
        reply: Any = None
        try:
            while True:
                try:
                    message = program.send(reply)
                except StopIteration as end:
                    self._see_off(traffic.messages)
                    return end.value, traffic
                begin = time.perf_counter()
                reply = self._carry(message, traffic)
                traffic.waited += time.perf_counter() - begin
        finally:
            program.close()

    def collect(self, facts: Any) -> list[Any]:
        """Plain data of all ranks, at rank 0 and in order; empty elsewhere.

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
        carrying = letters_of(message, self.rank, self.size)
        mail: dict[int, Array] | None = None
        while True:
            try:
                # nothing has come before the first letter
                post = next(carrying) if mail is None else carrying.send(mail)
            except StopIteration as end:
                return end.value
            for receiver, values in post.out.items():
                traffic.post(post.kind, receiver, values.size)
            if post.at_leisure:
                self._send_at_leisure(_LABEL_OF[post.kind], post.out)
                mail = {}
                continue
            mail = {sender: np.empty(size) for sender, size in post.into.items()}
            out = _Mail(_LABEL_OF[post.kind], dict(post.out))
            into = _Mail(_LABEL_OF[post.awaited], mail)
            self._transfer(out, into, self.timeout, traffic.messages)

    def _send_at_leisure(self, label: int, letters: Mapping[int, Array]) -> None:
        """Send, and go on; two ranks may tell each other as much as they like at the same time."""
        self._leaving = [one for one in self._leaving if not one[1].Test()]
        for rank, values in letters.items():
            letter = np.array(values, dtype=np.float64)  # a copy: the program goes on with its own
            request = self._comm.Isend(letter, dest=rank, tag=label)
            self._leaving.append((rank, request, letter))

    def _see_off(self, sent: int) -> None:
        """Wait until all letters have left."""
        begin = time.monotonic()
        while self._leaving:
            self._leaving = [one for one in self._leaving if not one[1].Test()]
            if self._leaving:
                time.sleep(_NAP)
            if time.monotonic() - begin > self.timeout:
                raise StalledRank(sorted({one[0] for one in self._leaving}), self.timeout, sent)

    def _transfer(self, out: _Mail, into: _Mail, patience: float, sent: int = 0) -> None:
        """Send and receive, and wait until all of it is done."""
        ranks = [*into.letters, *out.letters]
        open_ = [
            self._comm.Irecv(mail, source=rank, tag=into.label)
            for rank, mail in into.letters.items()
        ]
        # kept until they are sent: MPI reads from where they are
        leaving = [np.ascontiguousarray(x, dtype=np.float64) for x in out.letters.values()]
        open_ += [
            self._comm.Isend(letter, dest=rank, tag=out.label)
            for rank, letter in zip(out.letters, leaving, strict=True)
        ]
        arrived = [self._mpi.Status() for _ in open_]
        begin = time.monotonic()
        looks = 0
        while not self._mpi.Request.Testall(open_, arrived):
            looks += 1
            waited = time.monotonic() - begin
            if looks > self._glances:
                time.sleep(min(max(_NAP, waited / _PART), _LONG_NAP))
            if waited > patience:
                missing = sorted(
                    {rank for rank, request in zip(ranks, open_, strict=True) if not request.Test()}
                )
                raise StalledRank(missing, patience, sent)
        for (rank, mail), status in zip(into.letters.items(), arrived, strict=False):
            told = status.Get_count(self._mpi.DOUBLE)
            if told != mail.size:
                raise UnmatchedMessages(
                    f"rank {rank} told {told} numbers where {mail.size} were expected."
                )


def inside_mpi() -> bool:
    """Whether this process was started as a rank of a job."""
    return any(name in os.environ for name in ("PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK"))


def as_text(facts: Any) -> str:
    """Plain data as JSON.

    Raises:
        InvalidInput: It is something else.
    """
    try:
        return json.dumps(facts)
    except (TypeError, ValueError) as error:
        raise InvalidInput(
            f"ranks are told, and tell, plain data (numbers, texts, lists, dictionaries): {error}."
        ) from None


def checked_timeout(timeout: float) -> float:
    """A positive time [s]."""
    if not 0 < timeout < float("inf"):
        raise InvalidInput(f"timeout={timeout}; expected seconds above zero.")
    return timeout
