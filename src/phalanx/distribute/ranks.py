"""A node on an MPI rank: its messages travel, and somebody who does not answer is noticed.

Policy: messages go from rank to rank, so that it is known who is missing, and are waited for by
looking again and again until a deadline. Where ranks are more than processors a rank sleeps between
two looks: MPI's own waiting keeps the processor that the awaited rank would need.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

import numpy as np

from phalanx.distribute.messages import (
    CENTRE,
    Answer,
    Array,
    Ask,
    Listen,
    Message,
    Program,
    Share,
    Traffic,
)
from phalanx.errors import InvalidInput, MissingExtra, PhalanxError

FAILED = 3  # how a job ends that could not be finished
START_UP = 120.0  # [s]: others may still be compiling when the first message is due
_GLANCES = 200  # looks at the mail before a rank that has a processor of its own sleeps, too
_NAP = 2e-5  # [s]
_FIRST_RANK = 1.0  # [s] that others leave to the first rank to close its recording


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
        self._glances = 0 if self.size > len(os.sched_getaffinity(0)) else _GLANCES

    def meet(self) -> None:
        """Wait until all ranks are here; they may still be compiling.

        Raises:
            StalledRank: One did not come.
        """
        others = [rank for rank in range(self.size) if rank != self.rank]
        here = np.zeros(1)
        mail = {rank: np.empty(1) for rank in others}
        self._transfer(dict.fromkeys(others, here), mail, max(START_UP, self.timeout), 0)

    def run(self, program: Program) -> Traffic:
        """Run this rank's program to its end; what it sent.

        Raises:
            StalledRank: Another rank did not answer in time.
        """
        traffic = Traffic()
        reply: Any = None
        try:
            while True:
                try:
                    message = program.send(reply)
                except StopIteration:
                    return traffic
                traffic.count(message, self.size)
                begin = time.perf_counter()
                reply = self._carry(message, traffic.messages)
                traffic.waited += time.perf_counter() - begin
        finally:
            program.close()

    def collect(self, facts: dict[str, Any]) -> list[dict[str, Any]]:
        """Facts of all ranks, at rank 0 and in order; empty elsewhere."""
        return list(self._comm.gather(facts, root=0) or [])

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

    def _carry(self, message: Message, sent: int) -> Any:
        others = [rank for rank in range(self.size) if rank != self.rank]
        match message:
            case Share(values=values, sizes=sizes):
                mail = {rank: np.empty(sizes[rank]) for rank in others}
                self._transfer(dict.fromkeys(others, values), mail, self.timeout, sent)
                return [values if r == self.rank else mail[r] for r in range(self.size)]
            case Ask(values=values, expects=expects):
                mail = {CENTRE: np.empty(expects)}
                self._transfer({CENTRE: values}, mail, self.timeout, sent)
                return mail[CENTRE]
            case Listen(expects=expects):
                mail = {r: np.empty(size) for r, size in zip(others, expects, strict=True)}
                self._transfer({}, mail, self.timeout, sent)
                return [mail[rank] for rank in others]
            case Answer(values=values):
                self._transfer(dict.fromkeys(others, values), {}, self.timeout, sent)
                return None

    def _transfer(
        self, out: dict[int, Array], into: dict[int, Array], patience: float, sent: int
    ) -> None:
        """Send and receive, and wait until all of it is done."""
        ranks = [*into, *out]
        open_ = [self._comm.Irecv(mail, source=rank) for rank, mail in into.items()]
        open_ += [self._comm.Isend(np.ascontiguousarray(x), dest=rank) for rank, x in out.items()]
        deadline = time.monotonic() + patience
        looks = 0
        while not self._mpi.Request.Testall(open_):
            looks += 1
            if looks > self._glances:
                time.sleep(_NAP)
            if time.monotonic() > deadline:
                missing = sorted(
                    {rank for rank, request in zip(ranks, open_, strict=True) if not request.Test()}
                )
                raise StalledRank(missing, patience, sent)


def inside_mpi() -> bool:
    """Whether this process was started as a rank of a job."""
    return any(name in os.environ for name in ("PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK"))


def checked_timeout(timeout: float) -> float:
    """A positive time [s]."""
    if not 0 < timeout < float("inf"):
        raise InvalidInput(f"timeout={timeout}; expected seconds above zero.")
    return timeout
