"""Domain decomposition of a chain: consecutive bodies to a process, as evenly as possible."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from phalanx.base.errors import InvalidInput


@final
@dataclass(frozen=True)
class ChainSegment:
    """The bodies of one process.

    Attributes:
        rank: Of the process.
        first: Its first body; stop: the one after its last.
        bodies: How many the whole chain has.
    """

    rank: int
    first: int
    stop: int
    bodies: int

    def __len__(self) -> int:
        """How many bodies it has."""
        return self.stop - self.first

    @property
    def before(self) -> int:
        """How many bodies of the rank before are needed (halo): one, or none at the root."""
        return int(self.first > 0)

    @property
    def after(self) -> int:
        """How many bodies of the rank after are needed (halo): one, or none at the tip."""
        return int(self.stop < self.bodies)

    @property
    def reach(self) -> tuple[int, int]:
        """Its bodies together with those of neighbours: the first, and the one after the last."""
        return self.first - self.before, self.stop + self.after

    @property
    def own(self) -> slice:
        """Its bodies among those within reach."""
        return slice(self.before, self.before + len(self))


def segments_of(bodies: int, processes: int) -> tuple[ChainSegment, ...]:
    """Return a segment for each process; the first ones have a body more if it is not even.

    Raises:
        InvalidInput: There are more processes than bodies, or none.
    """
    if processes < 1:
        raise InvalidInput(f"a chain on {processes} processes; expected at least one.")
    if processes > bodies:
        raise InvalidInput(
            f"a chain of {bodies} bodies cannot be divided among {processes} processes (or ranks): "
            f"every one needs a body of its own. Take {bodies} at most."
        )
    size, more = divmod(bodies, processes)
    firsts = [rank * size + min(rank, more) for rank in range(processes + 1)]
    return tuple(
        ChainSegment(rank, firsts[rank], firsts[rank + 1], bodies) for rank in range(processes)
    )
