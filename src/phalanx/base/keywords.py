"""Keyword arguments that several functions share, with their types and defaults.

A ``TypedDict`` lists them, and a function takes them as one::

    class Kept(TypedDict, total=False):
        every: Annotated[int, Default(1)]

    @spelled_out
    def run(duration: float, **kept: Unpack[Kept]) -> None:
        kept["every"]

For whoever calls or asks for help, each stands in the signature by its name; the function finds all
of them in its table, with defaults where nothing was given.
"""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, final

F = TypeVar("F", bound=Callable[..., Any])


@final
@dataclass(frozen=True)
class Default:
    """What a keyword is when it is not given."""

    value: Any


def spelled_out(function: F) -> F:
    """The function with the keywords of its ``**table: Unpack[...]`` in its signature."""
    signature = inspect.signature(function)
    *named, table = signature.parameters.values()
    assert table.kind is inspect.Parameter.VAR_KEYWORD
    # only this one is needed now: the others may name what the module has yet to define
    known = inspect.unwrap(function).__globals__
    (keywords,) = typing.get_args(eval(table.annotation, known))
    shared = _parameters(keywords)
    whole = signature.replace(parameters=[*named, *shared.values()])
    defaults = defaults_of(keywords)

    @functools.wraps(function)
    def call(*args: Any, **given: Any) -> Any:
        for name in given:
            if name not in whole.parameters:
                raise TypeError(f"got an unexpected keyword argument '{name}'")
        return function(*args, **(defaults | given))

    own = {name: hint for name, hint in function.__annotations__.items() if name != table.name}
    call.__annotations__ = own | {name: hint for name, (hint, _) in _entries(keywords).items()}
    call.__signature__ = whole  # type: ignore[attr-defined]
    return typing.cast(F, call)


def defaults_of(keywords: type) -> dict[str, Any]:
    """Defaults of the keywords that have one."""
    return {name: default.value for name, (_, default) in _entries(keywords).items() if default}


def chosen(keywords: type, given: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the given keywords that a table lists."""
    return {name: given[name] for name in keywords.__annotations__ if name in given}


@functools.cache
def _entries(keywords: type) -> dict[str, tuple[Any, Default | None]]:
    """Type and default of each keyword."""
    entries: dict[str, tuple[Any, Default | None]] = {}
    for name, hint in typing.get_type_hints(keywords, include_extras=True).items():
        kind, *notes = typing.get_args(hint) if _is_annotated(hint) else (hint,)
        entries[name] = kind, next((note for note in notes if isinstance(note, Default)), None)
    return entries


def _parameters(keywords: type) -> dict[str, inspect.Parameter]:
    """The keywords as parameters, their types as the table has them written."""
    entries = _entries(keywords)
    written = {name: ref.__forward_arg__ for name, ref in keywords.__annotations__.items()}
    return {
        name: inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=default.value if default else inspect.Parameter.empty,
            annotation=_bare(written[name]),
        )
        for name, (_, default) in entries.items()
    }


def _bare(annotation: str) -> str:
    """``int`` of ``Annotated[int, Default(1)]``."""
    start, end = "Annotated[", ", Default("
    if not annotation.startswith(start):
        return annotation
    return annotation[len(start) : annotation.rindex(end)]


def _is_annotated(hint: Any) -> bool:
    return typing.get_origin(hint) is typing.Annotated
