"""Pacing of a real-time loop: clock, speed, and what to do about a late step.

All of it is data. The loop in Python and the one in native code read the same numbers.
"""

from __future__ import annotations

import math
import threading
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Protocol, final

from phalanx.base.arguments import check_fields
from phalanx.base.errors import InvalidInput

SPIN = 2e-4  # [s] before a deadline in which sleeping is too coarse: timers oversleep by about this


class Clock(Protocol):
    """A time that only grows, and a way to wait for it."""

    def now(self) -> float:
        """The time [s], from any origin."""

    def wait_until(self, deadline: float, wake: threading.Event) -> None:
        """Return at the deadline [s], or as soon as ``wake`` is set."""


@final
class WallClock(Clock):
    """Monotonic system clock: sleeps most of the time, then spins."""

    def now(self) -> float:
        return time.perf_counter()

    def wait_until(self, deadline: float, wake: threading.Event) -> None:
        rest = deadline - time.perf_counter() - SPIN
        if rest > 0 and wake.wait(rest):
            return
        while time.perf_counter() < deadline:
            pass


class Policy(ABC):
    """Policy for a missed deadline: what happens to all further ones.

    Attributes:
        limit: Steps to be behind at most. So many are taken back to back until they are on time
            again; what lies further back is given up, and all deadlines move.
    """

    @property
    @abstractmethod
    def limit(self) -> float:
        """See above."""

    @final
    def shift(self, late: float, period: float) -> float:
        """How far all further deadlines move [s].

        Args:
            late: By how much the next step's deadline has passed already [s].
            period: Between two deadlines [s].
        """
        return max(0.0, late - self.limit * period)


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
        check_fields(self)
        if not self.limit >= 0:
            raise InvalidInput(f"CatchUp(limit={self.limit}); expected zero steps or more.")


@final
@dataclass(frozen=True)
class Slip(Policy):
    """Move the deadlines: time that was lost stays lost, and steps keep their distance."""

    @property
    def limit(self) -> float:
        """None is made up for."""
        return 0.0


@final
@dataclass(frozen=True)
class Pacing:
    """How a run keeps time.

    Attributes:
        speed: Machine time over clock time: 0.1 is slow motion.
        policy: What to do about missed deadlines.
        clock: What time it is; the clock on the wall by default.
        first: Whether the thread that steps asks the system to go before all others.
        stays: Whether a machine whose state leaves finite numbers stays paused where it was, until
            a caller puts it back, instead of ending its run with an error. Native runs alone.
    """

    speed: float = 1.0
    policy: Policy = field(default_factory=CatchUp)
    clock: Clock | None = None
    first: bool = False
    stays: bool = False

    def __post_init__(self) -> None:
        check_fields(self)
        checked_speed(self.speed)


def checked_speed(speed: float) -> float:
    """Validate the speed."""
    if not 0 < speed < math.inf:
        raise InvalidInput(f"speed={speed}; expected a positive number, 1 for real time.")
    return float(speed)


def pacing_of(
    pacing: Pacing | None, speed: float, policy: Policy | None, clock: Clock | None
) -> Pacing:
    """Return the pacing of a call: the one given, or one of its keywords.

    Raises:
        InvalidInput: When both are given, or the speed is not positive.
    """
    if pacing is None:
        return Pacing(speed, policy or CatchUp(), clock)
    for name, is_said in {"speed": speed != 1.0, "policy": policy, "clock": clock}.items():
        if is_said:
            raise InvalidInput(f"{name}= comes beside pacing=, which says that itself.")
    return pacing
