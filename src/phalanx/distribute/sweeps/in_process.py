"""The engine that is always there: this process, one chunk after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, final

from phalanx.distribute.sweeps.chunk import Chunk
from phalanx.distribute.sweeps.study import Study


class Engine(Protocol):
    """Where chunks are worked on."""

    def each(self, study: Study, numbers: Sequence[int]) -> Iterator[tuple[int, Chunk]]:
        """Chunks as they are done, in any order; closing the iterator ends all that runs."""
        ...


@final
@dataclass(frozen=True)
class InProcess:
    """In this process.

    Attributes:
        threads: Of a compiled call; as the run says when not given.
    """

    threads: int | None = None

    def each(self, study: Study, numbers: Sequence[int]) -> Iterator[tuple[int, Chunk]]:
        """One chunk after the other."""
        if self.threads is not None and hasattr(study.run, "threads"):
            study = replace(study, run=replace(study.run, threads=self.threads))  # type: ignore[type-var]
        for number in numbers:
            yield number, study.work(number)
