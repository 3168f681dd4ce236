"""When steps are due: a clock to wait by, and what to do when a step comes late."""

from __future__ import annotations

import math
import threading
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Protocol, final

from phalanx.arguments import check_fields
from phalanx.errors import InvalidInput

SPIN = 2e-4  # [s] before a deadline in which sleeping is too coarse: timers oversleep by about this


class Clock(Protocol):
    """A time that only grows, and a way to wait for it."""

    def now(self) -> float:
        """The time [s], from any origin."""

    def wait_until(self, deadline: float, wake: threading.Event) -> None:
        """Return at the deadline [s], or as soon as ``wake`` is set."""


@final
class WallClock(Clock):
    """The clock on the wall: sleeps most of the way, then watches the hand."""

    def now(self) -> float:
        """See :class:`Clock`."""
        return time.perf_counter()

    def wait_until(self, deadline: float, wake: threading.Event) -> None:
        """See :class:`Clock`."""
        rest = deadline - time.perf_counter() - SPIN
        if rest > 0 and wake.wait(rest):
            return
        while time.perf_counter() < deadline:
            pass


class Policy(ABC):
    """What happens to the deadlines of all further steps when one is missed."""

    @abstractmethod
    def shift(self, late: float, period: float) -> float:
        """How far all further deadlines move [s].

        Args:
            late: By how much the next step's deadline has passed already [s].
            period: Between two deadlines [s].
        """


@final
@dataclass(frozen=True)
class CatchUp(Policy):
    """Keep the deadlines: late steps follow each other without a pause until they are on time.

    Attributes:
        limit: Steps to be behind at most; what lies further back is given up, so that a long
            interruption does not end in a race.
    """

    limit: float = 100

    def __post_init__(self) -> None:
        """Check the limit."""
        check_fields(self)
        if not self.limit >= 0:
            raise InvalidInput(f"CatchUp(limit={self.limit}); expected zero steps or more.")

    def shift(self, late: float, period: float) -> float:
        """See :class:`Policy`."""
        return max(0.0, late - self.limit * period) if math.isfinite(self.limit) else 0.0


@final
@dataclass(frozen=True)
class Slip(Policy):
    """Move the deadlines: time that was lost stays lost, and steps keep their distance."""

    def shift(self, late: float, period: float) -> float:
        """See :class:`Policy`."""
        return late
