"""Interface of the engines that run chunks of a study, and the engine in this process."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any, final

from phalanx.base.arguments import whole
from phalanx.base.errors import InvalidInput, PhalanxError
from phalanx.distribute.sweeps.engines.worker_payload import ChunkWork
from phalanx.kernel.call.threads import at_most

NOT_STARTED = (
    "worker processes end as soon as they start. Each imports the script that started the sweep, "
    "and that must go well without doing the work again: put what the script does below "
    "`if __name__ == '__main__':`."
)


class EngineLost(PhalanxError):
    """The workers or their scheduler are gone; finished chunks are kept, and resume does the rest.

    Attributes:
        reason: What was seen.
    """

    def __init__(self, reason: str) -> None:
        """Report what was seen, and what to do."""
        self.reason = reason
        super().__init__(
            f"{reason} What was finished is kept: start the sweep again with resume=True."
        )


class SweepEngine(ABC):
    """Runs chunks somewhere; the same bits wherever that is.

    Attributes:
        threads: How many threads work on a chunk; None for all processors.
        case_seconds: Time limit of a case [s]; none where it is None.
    """

    threads: int | None
    case_seconds: float | None = None

    def limited(self, case_seconds: float) -> SweepEngine:
        """The same engine, with a time limit for every case.

        Raises:
            InvalidInput: It has none: it cannot end a case that runs.
        """
        raise InvalidInput(
            f"{type(self).__name__} has no time limit for a case (case_seconds={case_seconds:g}): "
            "it cannot end a case that runs. Use processes of this machine: engine=Processes(), "
            "--engine processes."
        )

    @abstractmethod
    def check(self) -> None:
        """Raise before anything runs what would be in the way later: an extra, an address."""

    @property
    @abstractmethod
    def workers(self) -> int:
        """How many chunks it works on at once."""

    @abstractmethod
    def each(self, study: ChunkWork, numbers: Sequence[int]) -> Generator[tuple[int, Any]]:
        """Chunks of these numbers as they are finished, in any order.

        Closing the iterator cancels what has not begun. Few chunks are on their way at any time,
        so memory does not grow with their number.
        """


@final
@dataclass(frozen=True)
class InProcess(SweepEngine):
    """One chunk after the other, here.

    Attributes:
        threads: How many threads a chunk uses; all processors when not given.
    """

    threads: int | None = None

    def __post_init__(self) -> None:
        """Check."""
        if self.threads is not None:
            whole("threads", self.threads, 1, "a positive whole number, or None for all")

    def check(self) -> None:
        """Nothing can be in the way."""

    @property
    def workers(self) -> int:
        """One."""
        return 1

    def each(self, study: ChunkWork, numbers: Sequence[int]) -> Generator[tuple[int, Any]]:
        """Chunks in order."""
        for number in numbers:
            with at_most(self.threads):
                chunk = study.work(number)
            yield number, chunk
