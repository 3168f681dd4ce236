"""Playback clock: play, pause, seek, speed.

Every page that shows another time than now asks a :class:`Playback` which: replays in the viewer
and in a cockpit, and the page of a trajectory.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import RLock
from typing import final

from phalanx.base.errors import InvalidInput
from phalanx.view.web import reading


@final
@dataclass(frozen=True)
class Play:
    """Lets time go on, or stand still."""

    on: bool


@final
@dataclass(frozen=True)
class Seek:
    """Shows another time [s]."""

    time: float


PLAYBACK_KINDS: reading.Kinds[Play | Seek] = {
    "play": (Play, {"on": reading.truth}),
    "seek": (Seek, {"time": reading.number}),
}


def obey(message: Play | Seek, playback: Playback) -> None:
    """Do what a page asks."""
    match message:
        case Play(on=True):
            playback.play()
        case Play():
            playback.pause()
        case Seek(time):
            playback.seek(time)


@final
class Playback:
    """A position in time that moves on with the clock while it plays; for any thread.

    Attributes:
        begin: First time [s].
        end: Last time [s].
    """

    def __init__(
        self,
        begin: float,
        end: float,
        *,
        speed: float = 1.0,
        loop: bool = False,
        clock: Callable[[], float] = time.monotonic,
        changed: Callable[[], None] | None = None,
    ) -> None:
        """Stand at the begin.

        Args:
            begin: First time [s].
            end: Last time [s].
            speed: Seconds shown a second.
            loop: Whether to start again at the end.
            clock: What time it is [s].
            changed: Called after each change, in the thread that made it.

        Raises:
            InvalidInput: When the speed is not positive.
        """
        self.begin, self.end = begin, end
        self._clock, self._changed = clock, changed
        self._at, self._since = begin, clock()  # what was shown when the clock said so
        self._playing, self._speed, self._loop = False, _checked(speed), loop
        self._lock = RLock()

    # -- controls --------------------------------------------------------------------------------

    def play(self) -> None:
        """Go on; from the begin when it is at the end."""
        with self._lock:
            at = self.time
            self._set(self.begin if at >= self.end else at, playing=True)
        self._say()

    def pause(self) -> None:
        """Stay where it is."""
        with self._lock:
            self._set(self.time, playing=False)
        self._say()

    def seek(self, time: float) -> None:
        """Show another time [s]; before the first and after the last, these."""
        with self._lock:
            self._set(min(max(time, self.begin), self.end), playing=self._playing)
        self._say()

    def set_speed(self, speed: float) -> None:
        """Play faster or slower from now on.

        Raises:
            InvalidInput: When the speed is not positive.
        """
        with self._lock:
            self._set(self.time, playing=self._playing)
            self._speed = _checked(speed)
        self._say()

    def set_loop(self, loop: bool) -> None:
        """Start again at the end, or stay there."""
        with self._lock:
            self._set(self.time, playing=self._playing)
            self._loop = loop
        self._say()

    def set_end(self, end: float) -> None:
        """Change the last time [s]; what is shown is not beyond it."""
        with self._lock:
            self._set(min(self.time, end), playing=self._playing)
            self.end = end
        self._say()

    # -- what it shows ---------------------------------------------------------------------------

    @property
    def time(self) -> float:
        """What is shown [s]."""
        with self._lock:
            at, span = self._at, self.end - self.begin
            if self._playing:
                at += (self._clock() - self._since) * self._speed
            if at > self.end and self._loop and span > 0:
                return self.begin + (at - self.end) % span
            return min(at, self.end)

    @property
    def playing(self) -> bool:
        """Whether time moves on: not beyond the end."""
        with self._lock:
            return self._playing and (self._loop or self.time < self.end)

    @property
    def speed(self) -> float:
        """Seconds shown a second."""
        return self._speed

    def _set(self, at: float, *, playing: bool) -> None:
        self._at, self._since, self._playing = at, self._clock(), playing

    def _say(self) -> None:
        if self._changed is not None:
            self._changed()


def _checked(speed: float) -> float:
    if not 0 < speed < math.inf:
        raise InvalidInput(f"speed={speed}; expected a positive number.")
    return speed
