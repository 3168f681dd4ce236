"""Placements of tasks on processors, and messages on wires."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Violation(NamedTuple):
    """Something that makes a plan impossible.

    Attributes:
        kind: ``missing``, ``repeated``, ``processor``, ``operator``, ``duration``,
            ``precedence``, ``overlap``, ``message`` or ``link``; of lanes also ``lock-step``, of
            other kinds of computers what their own rules call it; of repeated plans also
            ``interval`` or ``buffer``.
        tasks: Names of the tasks concerned.
        text: What is wrong, to print.
    """

    kind: str
    tasks: tuple[str, ...]
    text: str


# moments are sums of many terms, so equal ones may differ in their last digits
_ROUNDING = 1e-9


def has_happened(event: float, moment: float) -> bool:
    """Whether an event is over by a moment, but for rounding."""
    return event <= moment + _ROUNDING * abs(moment)


def have_happened(events: NDArray[np.float64], moments: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether each of some events is over by its moment, but for rounding."""
    return events <= moments + _ROUNDING * np.abs(moments)


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

    The source has computed them, or has got them by a message and passes them on.
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
