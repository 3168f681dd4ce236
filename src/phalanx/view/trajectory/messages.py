"""Messages from the trajectory page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias, final

from phalanx.view.replay.playback import PLAYBACK_KINDS, Play, Seek
from phalanx.view.web import reading
from phalanx.view.web.client_session import UNLOCK_KINDS, Unlock


@final
@dataclass(frozen=True)
class Move:
    """A waypoint is dragged; ``serial`` comes back with the torques."""

    waypoint: int
    joint: int
    position: float
    time: float | None
    gesture: int
    serial: int


@final
@dataclass(frozen=True)
class Insert:
    """Adds a waypoint."""

    time: float


@final
@dataclass(frozen=True)
class Remove:
    """Takes a waypoint away."""

    waypoint: int


@final
@dataclass(frozen=True)
class Do:
    """One of the buttons: scale, optimise, undo, redo, reset, save."""

    what: str


Message: TypeAlias = Move | Insert | Remove | Seek | Play | Do | Unlock

BUTTONS = ("scale", "optimise", "undo", "redo", "reset", "save")


def parse(text: str | bytes) -> Message:
    """Read a message.

    Raises:
        Refused: When it is none.
    """
    return reading.parse(text, _KINDS)


def _number_or_none(value: Any) -> float | None:
    return None if value is None else reading.number(value)


def _button(value: Any) -> str:
    if value not in BUTTONS:
        raise reading.Refused(f"No button {reading.shown(value)}. Buttons: {', '.join(BUTTONS)}.")
    return str(value)


_KINDS: reading.Kinds[Message] = {
    "move": (
        Move,
        {
            "waypoint": reading.whole,
            "joint": reading.whole,
            "position": reading.number,
            "time": _number_or_none,
            "gesture": reading.whole,
            "serial": reading.whole,
        },
    ),
    "insert": (Insert, {"time": reading.number}),
    "remove": (Remove, {"waypoint": reading.whole}),
    "do": (Do, {"what": _button}),
    **PLAYBACK_KINDS,
    **UNLOCK_KINDS,
}
