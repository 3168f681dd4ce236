"""Options in groups: frozen dataclasses whose fields are options.

A command takes what belongs together as one value. :func:`spread` makes of it the function that
typer sees: every field of a group, and of groups within it, is an option of its own where the group
stands. Choices of tables (``OneOf``) become enumerations for typer and names for the command.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import wraps
from typing import Annotated, Any, Optional, get_args, get_origin, get_type_hints

from typer.models import ParameterInfo

from phalanx.cli.choices import OneOf


def spread(command: Callable[..., None]) -> Callable[..., None]:
    """The command as typer takes it: groups are spread out into their options."""
    hints = get_type_hints(command, include_extras=True)
    own = inspect.signature(command).parameters
    options = [
        option
        for name, parameter in own.items()
        for option in _options(name, hints[name], parameter.default)
    ]

    @wraps(command)
    def call(**given: Any) -> None:
        plain = {
            name: value.value if isinstance(value, Enum) else value for name, value in given.items()
        }
        command(**{name: _gathered(name, hints[name], plain) for name in own})

    del call.__wrapped__
    call.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    call.__annotations__ = {option.name: option.annotation for option in options}
    return call


def fields_of(name: str, hint: Any) -> Iterator[tuple[str, Any]]:
    """Name and annotation of each option of a parameter: itself, or the fields of its group."""
    for option, kind, _ in _flat(name, hint, inspect.Parameter.empty):
        yield option, kind


def _flat(name: str, hint: Any, default: Any) -> Iterator[tuple[str, Any, Any]]:
    if not is_dataclass(hint):
        yield name, hint, default
        return
    hints = get_type_hints(hint, include_extras=True)
    for field in fields(hint):
        default = inspect.Parameter.empty if field.default is MISSING else field.default
        yield from _flat(field.name, hints[field.name], default)


def _options(name: str, hint: Any, default: Any) -> Iterator[inspect.Parameter]:
    """A parameter as typer takes it."""
    for option, kind, usual in _flat(name, hint, default):
        annotation, first = _typed(kind, usual)
        yield inspect.Parameter(
            option, inspect.Parameter.KEYWORD_ONLY, default=first, annotation=annotation
        )


def _typed(hint: Any, default: Any) -> tuple[Any, Any]:
    """Annotation and default as typer takes them: names of a table as an enumeration."""
    choice = next((part for part in get_args(hint)[1:] if isinstance(part, OneOf)), None)
    if get_origin(hint) is not Annotated or choice is None:
        return hint, default
    kind, *others = get_args(hint)
    option = next(part for part in others if isinstance(part, ParameterInfo))
    if choice.checked:
        names = choice.kind()
        kind = Optional[names] if type(None) in get_args(kind) else names  # noqa: UP045
        default = names(default) if isinstance(default, str) else default
    return Annotated[kind, choice.explained(option)], default


def _gathered(name: str, hint: Any, given: Mapping[str, Any]) -> Any:
    """The value of a parameter, of the options that typer found."""
    if not is_dataclass(hint):
        return given[name]
    hints = get_type_hints(hint, include_extras=True)
    made: Any = hint
    return made(
        **{field.name: _gathered(field.name, hints[field.name], given) for field in fields(hint)}
    )
