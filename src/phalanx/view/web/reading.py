"""Strict reading of JSON messages from pages.

A message is an object with a type and exactly the facts that its type has; whatever else comes is
refused with a reason.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, TypeAlias, TypeVar

from phalanx.base.errors import PhalanxError

LONGEST = 2048  # bytes of a message; a longer one ends the connection
LONGEST_TEXT = 256  # characters of a name or a token

M = TypeVar("M")
# by type: what a message becomes, and how each of its facts is read
Kinds: TypeAlias = Mapping[str, tuple[Callable[..., M], Mapping[str, Callable[[Any], Any]]]]


class Refused(PhalanxError):
    """A request of a page that is refused, with the reason."""


def parse(text: str | bytes, kinds: Kinds[M]) -> M:
    """Read a message.

    Args:
        text: What came.
        kinds: What may come.

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
        raise Refused(f"A message is an object with a type, got {shown(facts)}.")
    kind = facts.pop("type", None)
    known = kinds.get(kind) if isinstance(kind, str) else None
    if known is None:
        raise Refused(f"No message has type {shown(kind)}. Types: {', '.join(kinds)}.")
    make, readers = known
    if facts.keys() != readers.keys():
        raise Refused(f"'{kind}' has {_listed(readers)}, got {_listed(facts)}.")
    return make(**{name: read(facts[name]) for name, read in readers.items()})


def number(value: Any) -> float:
    """A finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Refused(f"Expected a number, got {shown(value)}.")
    try:
        found = float(value)
    except OverflowError:
        found = math.inf
    if not math.isfinite(found):
        raise Refused("Expected a finite number.")
    return found


def whole(value: Any) -> int:
    """A whole number."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise Refused(f"Expected a whole number, got {shown(value)}.")
    return value


def text(value: Any) -> str:
    """A text that is not too long."""
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        raise Refused(f"Expected a text of up to {LONGEST_TEXT} characters, got {shown(value)}.")
    return value


def text_or_none(value: Any) -> str | None:
    """A text, or nothing."""
    return None if value is None else text(value)


def truth(value: Any) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise Refused(f"Expected true or false, got {shown(value)}.")
    return value


def shown(value: Any) -> str:
    """The begin of a value, for a message about it."""
    said = repr(value)
    return said if len(said) <= 40 else said[:39] + "…"


def _no_number(constant: str) -> NoReturn:
    raise Refused(f"{constant} is not a finite number.")


def _listed(names: Mapping[str, Any]) -> str:
    return ", ".join(shown(name) for name in list(names)[:8]) or "nothing else"
