"""Jobs on several processes: checked first, then run here, as a rank, or on ranks that are started.

A :class:`Job` describes the work; making one starts nothing. :meth:`Job.on` checks it for a number
of processes and gives a :class:`JobRun`: the program of each process, what ranks that are started
for it are sent, and the result made of what programs return. `run` and `launch` take any job.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, final

from phalanx.base.errors import InvalidInput
from phalanx.base.short_repr import short_repr
from phalanx.distribute.processes.messages import ProcessProgram, Traffic

# (rank, processes, **arguments) -> the program of a process, with all made that takes long
MakeProgram = Callable[..., ProcessProgram]


@dataclass(frozen=True)
class LogLine:
    """A line of the message log: what one process has sent to another.

    Attributes:
        kind: Of messages, as `SentMessages` has them.
        sender: A rank.
        receiver: Another rank.
        messages: How many.
        words: Numbers in those, 8 bytes each.
    """

    kind: str
    sender: int
    receiver: int
    messages: int
    words: int


@dataclass(frozen=True)
class JobResult:
    """Result of a job on several processes.

    Attributes:
        traffic: What each process sent, by rank.
        seconds: How long the programs ran, without compiling [s].
    """

    traffic: tuple[Traffic, ...] = field(repr=False)
    seconds: float

    @property
    def log(self) -> tuple[LogLine, ...]:
        """Message log: who has sent how much to whom, kind by kind."""
        lines = (
            LogLine(one.kind, sender, one.receiver, one.messages, one.words)
            for sender, traffic in enumerate(self.traffic)
            for one in traffic.sent
        )
        return tuple(sorted(lines, key=lambda line: (line.kind, line.sender, line.receiver)))


@final
@short_repr
@dataclass(frozen=True)
class ProgramResult(JobResult):
    """Result of a program on several processes.

    Attributes:
        results: What the program of each process returned, by rank.
    """

    results: tuple[Any, ...]


Result = TypeVar("Result", bound=JobResult, covariant=True)


class JobRun(ABC, Generic[Result]):
    """A job on a number of processes, checked; it runs once.

    Attributes:
        processes: How many.
    """

    processes: int

    @abstractmethod
    def for_ranks(self) -> tuple[MakeProgram, Mapping[str, Any]]:
        """Return what ranks run that are started for it: a declared program, plain arguments."""

    @abstractmethod
    def result(self, done: ProgramResult) -> Result:
        """Put the result together from what programs have returned."""

    def program(self, rank: int) -> ProcessProgram:
        """Return the program of one process, with its machine code made."""
        make, arguments = self.for_ranks()
        return make(rank, self.processes, **arguments)

    @contextmanager
    def launched(self) -> Iterator[None]:
        """Surround the ranks' whole life and `result`; a place for files that both need."""
        yield


class Job(ABC, Generic[Result]):
    """Work for several processes: any value that can be checked and shared out."""

    @abstractmethod
    def on(self, processes: int | None = None, *, on_ranks: bool = False) -> JobRun[Result]:
        """Check the job, and share it out.

        Args:
            processes: How many; a job that decides that itself takes None, too.
            on_ranks: Whether they are MPI ranks, for the record.

        Raises:
            InvalidInput: The job is wrong, or cannot be shared out to so many.
        """


@final
class ProgramJob(Job[ProgramResult]):
    """A program of your own, with its arguments."""

    def __init__(self, make: MakeProgram, /, **arguments: Any) -> None:
        """Take a function and what to call it with.

        Args:
            make: ``make(rank, processes, **arguments)`` is the program of a process; declared with
                ``@program`` where ranks are started for it.
            arguments: Plain data where ranks are started for it, written as JSON.
        """
        self.make, self.arguments = make, arguments

    def on(self, processes: int | None = None, *, on_ranks: bool = False) -> JobRun[ProgramResult]:
        """Share the program out to any number of processes."""
        return _ProgramRun(self, how_many(processes))


class _ProgramRun(JobRun[ProgramResult]):
    def __init__(self, job: ProgramJob, processes: int) -> None:
        self.job, self.processes = job, processes

    def for_ranks(self) -> tuple[MakeProgram, Mapping[str, Any]]:
        return self.job.make, self.job.arguments

    def result(self, done: ProgramResult) -> ProgramResult:
        return done


def how_many(processes: int | None) -> int:
    """Return a number of processes that a job leaves open.

    Raises:
        InvalidInput: It is not given, or below one.
    """
    if processes is None:
        raise InvalidInput("this job runs on any number of processes; say on how many.")
    if processes < 1:
        raise InvalidInput(f"a job on {processes} processes; expected at least one.")
    return processes
