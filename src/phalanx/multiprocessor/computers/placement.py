"""What a plan consists of: tasks on processors, messages on wires."""

from __future__ import annotations

from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

# moments are sums of many terms, so equal ones may differ in their last digits
_ROUNDING = 1e-9


@overload
def has_happened(event: float, moment: float) -> bool: ...
@overload
def has_happened(event: NDArray[np.float64], moment: NDArray[np.float64]) -> NDArray[np.bool_]: ...
def has_happened(
    event: float | NDArray[np.float64], moment: float | NDArray[np.float64]
) -> bool | NDArray[np.bool_]:
    """Whether an event is over by a moment, but for rounding; or each of some by its moment."""
    return event <= moment + _ROUNDING * abs(moment)


class Placement(NamedTuple):
    """A task on a processor from ``start`` to ``end``."""

    task: int
    processor: int
    start: float
    end: float


class Hop(NamedTuple):
    """A message on one wire from ``start`` to ``end``."""

    link: int
    start: float
    end: float


class Message(NamedTuple):
    """The results of a task on their way from one processor to another.

    ``taps`` are other processors that read it from a wire on its way, which costs nothing.
    """

    task: int
    source: int
    destination: int
    words: int
    hops: tuple[Hop, ...]
    taps: tuple[int, ...] = ()

    @property
    def arrival(self) -> float:
        """When its last wire lets go of it."""
        return self.hops[-1].end
