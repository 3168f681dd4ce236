"""Controls of a real-time loop (pause, speed, stop), from any thread.

Two loops can be controlled so: :class:`~phalanx.simulation.realtime.loop.RealTimeLoop`, whose steps
are taken in Python, and :class:`~phalanx.simulation.realtime.native.NativeLoop`, whose steps are
taken in native code.
"""

from __future__ import annotations

import math
import threading
from abc import ABC, abstractmethod

from phalanx.base.errors import InvalidInput
from phalanx.simulation.realtime.pacing import Policy
from phalanx.simulation.realtime.timing import KEPT, LoopTiming


class Controls(ABC):
    """A loop that takes steps when they are due.

    Attributes:
        period: Machine time of a step [s].
        policy: What is done about missed deadlines.
    """

    period: float
    policy: Policy

    @abstractmethod
    def run(
        self, duration: float | None = None, until: threading.Event | None = None
    ) -> LoopTiming:
        """Take steps until the duration is over, the event is set, or :meth:`stop` is called."""

    @abstractmethod
    def pause(self) -> None:
        """Take no more steps until :meth:`resume`; the pause does not count as time."""

    @abstractmethod
    def resume(self) -> None:
        """Go on, with the next step at once."""

    @abstractmethod
    def single_step(self) -> None:
        """Take one step while paused; pauses a loop that runs."""

    @abstractmethod
    def set_speed(self, speed: float) -> None:
        """Change machine time over clock time, from now on."""

    @abstractmethod
    def stop(self) -> None:
        """End :meth:`run` before the next step, or the next :meth:`run` before its first."""

    @property
    @abstractmethod
    def paused(self) -> bool:
        """Whether steps wait for :meth:`resume`."""

    @property
    @abstractmethod
    def speed(self) -> float:
        """Machine time over clock time."""

    @property
    def timing(self) -> LoopTiming:
        """Timing statistics, also while it runs."""
        return self.recent_timing(KEPT)

    @abstractmethod
    def recent_timing(self, steps: int) -> LoopTiming:
        """The same, with times of the latest so many steps; of :data:`KEPT` at most."""


def steps_of(duration: float | None, period: float) -> float:
    """How many steps a duration has; endless when it is not given.

    Raises:
        InvalidInput: When the duration is not positive.
    """
    if duration is None:
        return math.inf
    if not 0 < duration < math.inf:
        raise InvalidInput(f"duration={duration}; expected a positive time [s], or None.")
    return max(1, round(duration / period))


def checked_period(period: float) -> float:
    """Validate the period."""
    if not 0 < period < math.inf:
        raise InvalidInput(f"period={period}; expected a positive time [s].")
    return period
