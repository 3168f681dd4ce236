"""Machine specifications in text: ``chain:10000``, ``chain:500,joint=spherical``.

Numbers without a name come first, in the order of the function's own arguments.
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable
from typing import Any

from phalanx.base.errors import InvalidInput, UnknownName

TRUTHS = {"true": True, "false": False}
READ: dict[Any, Callable[[str], Any]] = {
    int: lambda text: int(text.replace("_", "")),
    float: float,
    bool: lambda text: TRUTHS[text.lower()],
    str: str,
}
WORDS = {int: "a whole number", float: "a number", bool: "true or false", str: "a word"}


def written_arguments(machine: Callable[..., Any], text: str) -> dict[str, Any]:
    """Arguments by name for a function of the library.

    Args:
        machine: The function.
        text: ``value,value,name=value``.

    Raises:
        UnknownName: When it has no argument of that name that can be written so.
        InvalidInput: When a value is none, comes twice, or has no place.
    """
    name = machine.__name__
    hints = typing.get_type_hints(machine)
    parameters = inspect.signature(machine).parameters
    kinds = {p: kind for p in parameters if (kind := _kind(hints[p])) is not None}
    places = [p for p in kinds if parameters[p].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    given: dict[str, Any] = {}
    for place, part in enumerate(text.split(",")):
        key, named, value = part.partition("=")
        if not named:
            if place >= len(places):
                raise InvalidInput(
                    f"'{name}:{text}' has no argument for '{part}'; "
                    f"name it: {', '.join(f'{p}=…' for p in kinds) or 'it has none'}."
                )
            key, value = places[place], part
        key, value = key.strip(), value.strip()
        if key not in kinds:
            raise UnknownName(f"the machine '{name}'", "argument", key, kinds)
        if key in given:
            raise InvalidInput(f"'{name}:{text}' gives {key} twice.")
        try:
            given[key] = READ[kinds[key]](value)
        except (ValueError, KeyError):
            wanted = WORDS[kinds[key]]
            raise InvalidInput(f"{key}='{value}' in '{name}:{text}'; expected {wanted}.") from None
    return given


def _kind(hint: Any) -> Any:
    """What is read for an annotation; None where it is more than one value."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        kinds = [kind for kind in typing.get_args(hint) if kind in READ]
        return kinds[0] if len(kinds) == 1 else None
    return hint if hint in READ else None
