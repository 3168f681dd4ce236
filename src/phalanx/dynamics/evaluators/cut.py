"""Partition of a machine into equal segments.

Segments lie side by side in the lanes of vectors, so each has the same kinds of nodes in the same
order: the pattern of kinds that repeats along a run without branches decides how long they may be.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.errors import InvalidModel
from phalanx.dynamics.evaluators.bodies import Bodies, runs

# the longest pattern of kinds that repeats along a run
LONGEST_PERIOD = 8


@final
@dataclass(frozen=True)
class Cut:
    """Partition of a machine into segments.

    Attributes:
        first: The first node of the first segment.
        length: Nodes of a segment.
        count: Segments.
    """

    first: int
    length: int
    count: int

    @property
    def nodes(self) -> range:
        """All nodes of segments."""
        return range(self.first, self.first + self.count * self.length)


def best_cut(bodies: Bodies, kind: NDArray[np.int32], wanted: int) -> Cut:
    """The cut into ``wanted`` segments, or fewer, that takes most nodes.

    Raises:
        InvalidModel: No body has mass, where a segment could end.
    """
    best: Cut | None = None
    for run in runs(bodies):
        own = kind[run.start : run.stop]
        # a segment must end on a body: the last turn of a joint, not one within it
        end = len(own)
        while end and bodies.massless[run.start + end - 1]:
            end -= 1
        for period in range(1, min(LONGEST_PERIOD, end) + 1):
            differs = np.flatnonzero(own[: end - period] != own[period:end])
            begin = int(differs[-1]) + 1 if len(differs) else 0
            count = min(wanted, (end - begin) // period)
            length = (end - begin) // (count * period) * period
            found = Cut(run.start + end - count * length, length, count)
            if best is None or len(found.nodes) > len(best.nodes):
                best = found
    if best is None:
        raise cannot_be_cut(bodies)
    return best


def cannot_be_cut(bodies: Bodies) -> InvalidModel:
    """Describe why a machine has no such run."""
    return InvalidModel(
        f"mechanism '{bodies.mechanism.name}' has no moving bodies with mass, so there is nothing "
        "to share out; take Serial()."
    )
