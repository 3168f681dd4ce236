"""What a page may say: JSON, read strictly.

A message that is not exactly what is expected is refused with a reason. Only deflections beyond
the end of a stick are taken for what was meant, the end.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, TypeAlias, final

from phalanx.view.cockpit.authority import Refused

LONGEST = 2048  # bytes of a message; a longer one ends the connection
LONGEST_TEXT = 256  # characters of a name or a token


@final
@dataclass(frozen=True)
class Sticks:
    """Deflections: left x, left y, right x, right y, each within -1 to 1."""

    values: tuple[float, ...]
    clamped: bool = False


@final
@dataclass(frozen=True)
class Unlock:
    """The word that allows driving."""

    token: str


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
class Start:
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
class Replay:
    """Shows a recording; the machine itself, when none is named."""

    name: str | None


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
    | Start
    | Pause
    | Reset
    | Record
    | Replay
    | Beat
)


def parse(text: str | bytes) -> Message:
    """Read a message.

    Raises:
        Refused: When it is none.
    """
    if isinstance(text, bytes):
        raise Refused("Messages are text; this one is binary.")
    try:
        facts = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise Refused(f"Not a message: {error}.") from error
    if not isinstance(facts, dict):
        raise Refused(f"A message is an object with a type, got {_shown(facts)}.")
    kind = facts.pop("type", None)
    known = _KINDS.get(kind) if isinstance(kind, str) else None
    if known is None:
        raise Refused(f"No message has type {_shown(kind)}. Types: {', '.join(_KINDS)}.")
    make, readers = known
    if facts.keys() != readers.keys():
        raise Refused(f"'{kind}' has {_listed(readers)}, got {_listed(facts)}.")
    return make(**{name: read(facts[name]) for name, read in readers.items()})


def _sticks(values: Any) -> Sticks:
    if not isinstance(values, list) or len(values) != 4:
        raise Refused(f"Sticks have four deflections, got {_shown(values)}.")
    given = [_number(value) for value in values]
    kept = tuple(min(max(value, -1.0), 1.0) for value in given)
    return Sticks(kept, clamped=kept != tuple(given))


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Refused(f"Expected a number, got {_shown(value)}.")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise Refused("Expected a finite number.")
    return number


def _text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        raise Refused(f"Expected a text of up to {LONGEST_TEXT} characters, got {_shown(value)}.")
    return value


def _text_or_none(value: Any) -> str | None:
    return None if value is None else _text(value)


def _page_or_none(value: Any) -> int | None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
        raise Refused(f"Expected the number of a page, got {_shown(value)}.")
    return value


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise Refused(f"Expected true or false, got {_shown(value)}.")
    return value


def _no_number(constant: str) -> NoReturn:
    raise Refused(f"{constant} is not a finite number.")


def _shown(value: Any) -> str:
    """The begin of a value, for a message about it."""
    text = repr(value)
    return text if len(text) <= 40 else text[:39] + "…"


def _listed(names: Mapping[str, Any]) -> str:
    return ", ".join(_shown(name) for name in list(names)[:8]) or "nothing else"


# by type: what it becomes, and how each of its facts is read
_KINDS: dict[str, tuple[Callable[..., Message], Mapping[str, Callable[[Any], Any]]]] = {
    "sticks": (lambda values: values, {"values": _sticks}),
    "unlock": (Unlock, {"token": _text}),
    "take": (Take, {}),
    "hand_over": (HandOver, {"to": _page_or_none}),
    "release": (Release, {}),
    "mode": (SetMode, {"mode": _text}),
    "start": (Start, {}),
    "pause": (Pause, {}),
    "reset": (Reset, {}),
    "record": (Record, {"on": _truth}),
    "replay": (Replay, {"name": _text_or_none}),
    "beat": (Beat, {"sent": _number}),
}
