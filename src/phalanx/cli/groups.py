"""Groups of options: frozen dataclasses whose fields are options.

A command takes options that belong together as one value. :func:`spread` returns the function that
typer calls: every field of a group, and of nested groups, becomes an option. A class variable
``panel`` of a group is the heading of its options in the help. Choices (``OneOf``) become
enumerations for typer and names for the command. Output files (``Writes``) are checked before the
command is called.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import wraps
from typing import Annotated, Any, Optional, TypeVar, get_args, get_origin, get_type_hints

from typer.models import OptionInfo, ParameterInfo

from phalanx.cli.choices import OneOf
from phalanx.cli.completion import offering
from phalanx.cli.metavariables import metavariable
from phalanx.cli.outputs import Overwrite, Writes

FORCE, PANEL = "force", "panel"

T = TypeVar("T")


def spread(command: Callable[..., None], *, completing: bool = False) -> Callable[..., None]:
    """Return the function for typer, with the groups of a command spread into options.

    Args:
        command: Function of the command.
        completing: For tab completion: load no tables of the library.
    """
    hints = get_type_hints(command, include_extras=True)
    own = inspect.signature(command).parameters
    flat = [one for name, hint in own.items() for one in _flat(name, hints[name], hint.default)]
    written = {name: part for name, hint, _ in flat for part in _parts(hint, Writes)}
    if written and all(name != FORCE for name, _, _ in flat):
        last = max(k for k, (name, _, _) in enumerate(flat) if name in written)
        flat.insert(last + 1, (FORCE, Overwrite, False))
    options = [_option(*one, completing) for one in flat]

    @wraps(command)
    def call(**given: Any) -> None:
        plain = {
            name: value.value if isinstance(value, Enum) else value for name, value in given.items()
        }
        for name, what in written.items():
            if plain[name] is not None and not what.later:
                what.check(plain[name], force=plain[FORCE])
        command(**{name: _gathered(name, hints[name], plain) for name in own})

    del call.__wrapped__
    call.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    call.__annotations__ = {option.name: option.annotation for option in options}
    return call


def fields_of(name: str, hint: Any) -> Iterator[tuple[str, Any]]:
    """Yield name and annotation of each option of a parameter: itself, or the fields of a group."""
    for option, kind, _ in _flat(name, hint, inspect.Parameter.empty):
        yield option, kind


def _flat(name: str, hint: Any, default: Any) -> Iterator[tuple[str, Any, Any]]:
    if not is_dataclass(hint):
        yield name, hint, default
        return
    hints = get_type_hints(hint, include_extras=True)
    for field in fields(hint):
        default = inspect.Parameter.empty if field.default is MISSING else field.default
        hint_of_field = _in_panel(hints[field.name], getattr(hint, PANEL, None))
        yield from _flat(field.name, hint_of_field, default)


def _in_panel(hint: Any, panel: str | None) -> Any:
    """Return the annotation of an option that is shown in a panel of the help."""
    if panel is None or get_origin(hint) is not Annotated:
        return hint
    kind, *parts = get_args(hint)
    for k, part in enumerate(parts):
        if isinstance(part, ParameterInfo):
            parts[k] = copy(part)
            parts[k].rich_help_panel = panel
    return Annotated[(kind, *parts)]


def _option(name: str, hint: Any, default: Any, completing: bool) -> inspect.Parameter:
    """Return an option as a parameter for typer."""
    annotation, first = _typed(hint, default, completing)
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=first, annotation=annotation)


def _parts(hint: Any, kind: type[T]) -> Iterator[T]:
    """Yield the metadata of one kind in an annotation."""
    if get_origin(hint) is Annotated:
        yield from (part for part in get_args(hint)[1:] if isinstance(part, kind))


def _typed(hint: Any, default: Any, completing: bool) -> tuple[Any, Any]:
    """Return annotation and default for typer: names of a table as an enumeration."""
    option = next(_parts(hint, ParameterInfo), None)
    if option is None:
        return hint, default
    kind = get_args(hint)[0]
    parameter, choice = copy(option), next(_parts(hint, OneOf), None)
    if choice is not None and completing:
        parameter.autocompletion = parameter.autocompletion or offering(choice.offered)
    elif choice is not None:
        parameter = choice.explained(option)
        if choice.checked:
            names = choice.kind()
            kind = Optional[names] if type(None) in get_args(kind) else names  # noqa: UP045
            default = names(default) if isinstance(default, str) else default
    if parameter.metavar is None and isinstance(parameter, OptionInfo):
        parameter.metavar = metavariable(kind, parameter.help or "")
    return Annotated[kind, parameter], default


def _gathered(name: str, hint: Any, given: Mapping[str, Any]) -> Any:
    """Return the value of a parameter from the options that typer parsed."""
    if not is_dataclass(hint):
        return given[name]
    hints = get_type_hints(hint, include_extras=True)
    made: Any = hint
    return made(
        **{field.name: _gathered(field.name, hints[field.name], given) for field in fields(hint)}
    )
