"""Messages from pages that play, pause and seek."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from phalanx.view.replay.playback import Playback
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
