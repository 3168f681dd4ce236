"""Replay in the cockpit: it plays by the clock, pauses, and seeks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

from phalanx.base.errors import InvalidInput

SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0)  # that a page offers
SLOWEST, FASTEST = 0.01, 100.0


@final
@dataclass(frozen=True)
class Playback:
    """A recording on the screen, as of some time on the clock.

    Attributes:
        name: Of the recording.
        begin: Its first time [s].
        end: Its last time [s].
        at: Time shown when the clock said ``since`` [s].
        since: [s].
        playing: Whether time moves on.
        speed: Recorded seconds a second.
    """

    name: str
    begin: float
    end: float
    at: float
    since: float
    playing: bool = True
    speed: float = 1.0

    @staticmethod
    def of(name: str, begin: float, end: float, now: float) -> Playback:
        """A recording that plays from its begin, from ``now`` on the clock [s]."""
        return Playback(name, begin, end, begin, now)

    def time(self, now: float) -> float:
        """What is shown [s], when the clock says ``now`` [s]."""
        passed = (now - self.since) * self.speed if self.playing else 0.0
        return min(max(self.at + passed, self.begin), self.end)

    def is_playing(self, now: float) -> bool:
        """Whether time moves on: not beyond the end."""
        return self.playing and self.time(now) < self.end

    def played(self, on: bool, now: float) -> Playback:
        """Go on or stand still; at the end, going on begins anew."""
        at = self.time(now)
        return replace(self, at=self.begin if on and at >= self.end else at, since=now, playing=on)

    def sought(self, time: float, now: float) -> Playback:
        """Show another time [s]; beyond the recording, its first or last."""
        return replace(self, at=min(max(time, self.begin), self.end), since=now)

    def at_speed(self, speed: float, now: float) -> Playback:
        """Play faster or slower from now on.

        Raises:
            InvalidInput: When nobody could watch that.
        """
        if not SLOWEST <= speed <= FASTEST:
            raise InvalidInput(
                f"speed {speed:g} of a replay; expected {SLOWEST:g} to {FASTEST:g} recorded "
                "seconds a second."
            )
        return replace(self, at=self.time(now), since=now, speed=speed)
