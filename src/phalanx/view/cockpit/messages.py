"""Messages from a cockpit's page: JSON, read strictly.

A message that is not exactly what is expected is refused with a reason. Only deflections beyond
the end of a stick are taken for what was meant, the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias, final

from phalanx.view.replay.playback import PLAYBACK_KINDS, Play, Seek
from phalanx.view.web import reading
from phalanx.view.web.client_session import UNLOCK_KINDS, Unlock

SLOWEST, FASTEST = 0.01, 100.0  # useful speeds of a replay


@final
@dataclass(frozen=True)
class Sticks:
    """Deflections: left x, left y, right x, right y, each within -1 to 1."""

    values: tuple[float, ...]
    clamped: bool = False


@final
@dataclass(frozen=True)
class Take:
    """Asks for the controls."""


@final
@dataclass(frozen=True)
class HandOver:
    """Gives the controls to a page that asked; to the first one, when none is named."""

    to: int | None


@final
@dataclass(frozen=True)
class Release:
    """Gives the controls back."""


@final
@dataclass(frozen=True)
class SetMode:
    """Another way to understand the sticks."""

    mode: str


@final
@dataclass(frozen=True)
class Resume:
    """Lets the clock run."""


@final
@dataclass(frozen=True)
class Pause:
    """Stops the clock."""


@final
@dataclass(frozen=True)
class Reset:
    """Back to the begin."""


@final
@dataclass(frozen=True)
class Record:
    """Begins or ends a recording."""

    on: bool


@final
@dataclass(frozen=True)
class ShowRecording:
    """Shows a recording; the machine itself, when none is named."""

    name: str | None


@final
@dataclass(frozen=True)
class ReplaySpeed:
    """Recorded seconds a second."""

    speed: float


@final
@dataclass(frozen=True)
class Window:
    """The word by which the page's own 3-D view is known."""

    key: str


@final
@dataclass(frozen=True)
class Camera:
    """Where the page's own 3-D view is seen from: the cab, or around."""

    cab: bool


@final
@dataclass(frozen=True)
class Beat:
    """A sign of life, sent back at once: the page sees how long it was under way."""

    sent: float


Message: TypeAlias = (
    Sticks
    | Unlock
    | Take
    | HandOver
    | Release
    | SetMode
    | Resume
    | Pause
    | Reset
    | Record
    | ShowRecording
    | Play
    | Seek
    | ReplaySpeed
    | Window
    | Camera
    | Beat
)


def parse(text: str | bytes) -> Message:
    """Read a message.

    Raises:
        Refused: When it is none.
    """
    return reading.parse(text, _KINDS)


def _sticks(values: Any) -> Sticks:
    if not isinstance(values, list) or len(values) != 4:
        raise reading.Refused(f"Sticks have four deflections, got {reading.shown(values)}.")
    given = [reading.number(value) for value in values]
    kept = tuple(min(max(value, -1.0), 1.0) for value in given)
    return Sticks(kept, clamped=kept != tuple(given))


def _speed(value: Any) -> float:
    speed = reading.number(value)
    if not SLOWEST <= speed <= FASTEST:
        raise reading.Refused(
            f"speed {speed:g} of a replay; expected {SLOWEST:g} to {FASTEST:g} recorded "
            "seconds a second."
        )
    return speed


def _page_or_none(value: Any) -> int | None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
        raise reading.Refused(f"Expected the number of a page, got {reading.shown(value)}.")
    return value


# by type: what it becomes, and how each of its facts is read
_KINDS: reading.Kinds[Message] = {
    "sticks": (lambda values: values, {"values": _sticks}),
    **UNLOCK_KINDS,
    "take": (Take, {}),
    "hand_over": (HandOver, {"to": _page_or_none}),
    "release": (Release, {}),
    "mode": (SetMode, {"mode": reading.text}),
    "start": (Resume, {}),
    "pause": (Pause, {}),
    "reset": (Reset, {}),
    "record": (Record, {"on": reading.truth}),
    "replay": (ShowRecording, {"name": reading.text_or_none}),
    **PLAYBACK_KINDS,
    "replay_speed": (ReplaySpeed, {"speed": _speed}),
    "window": (Window, {"key": reading.text}),
    "camera": (Camera, {"cab": reading.truth}),
    "beat": (Beat, {"sent": reading.number}),
}
