"""Argument validation: arguments and dataclass fields checked against their annotations."""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any, TypeVar

from phalanx.base.arguments.annotations import check_of
from phalanx.base.arguments.kinds import Check, Wrong
from phalanx.base.arguments.values import unfit
from phalanx.base.errors import InvalidInput, PhalanxError

F = TypeVar("F", bound=Callable[..., Any])


def checked(function: F) -> F:
    """The function, its arguments checked against its annotations before it runs."""
    return checked_but()(function)


def checked_but(*own: str) -> Callable[[F], F]:
    """The same, but for arguments that a function checks itself, and can say more about."""

    def decorate(function: F) -> F:
        signature = inspect.signature(function)
        wanted: dict[str, tuple[Check, str]] = {}

        @functools.wraps(function)
        def checked_call(*args: Any, **keywords: Any) -> Any:
            if not wanted:
                wanted.update(_checks_of(function, signature))
            try:
                given = signature.bind(*args, **keywords)
            except TypeError as error:  # which does not say of what
                raise TypeError(f"{function.__qualname__}(): {error}") from None
            for name, value in given.arguments.items():
                if name in wanted and name not in own:
                    given.arguments[name] = _examined(*wanted[name], name, value, InvalidInput)
            return function(*given.args, **given.kwargs)

        return typing.cast(F, checked_call)

    return decorate


def check_call(function: Callable[..., Any], given: Mapping[str, Any]) -> None:
    """Check arguments by name, for a function whose caller must be one frame away: it warns."""
    for name, (check, expected) in _checks_of(function, inspect.signature(function)).items():
        _examined(check, expected, name, given[name], InvalidInput)


def check_fields(
    instance: Any, error: type[PhalanxError] = InvalidInput, *, but: Sequence[str] = ()
) -> None:
    """Check the fields of a frozen dataclass against their annotations, and set what is converted.

    Args:
        instance: The dataclass.
        error: What to raise.
        but: Fields that it checks itself, and can say more about.

    Raises:
        PhalanxError: Of the given class, when a field is not what it should be.
    """
    kind: Any = type(instance)
    for name, (check, expected) in _field_checks(kind, tuple(but)).items():
        value = getattr(instance, name)
        try:
            converted = check(value)
        except Wrong:
            raise unfit(f"{name} of {kind.__name__}", value, expected, error) from None
        if converted is not value:
            object.__setattr__(instance, name, converted)


def _examined(check: Check, expected: str, what: str, value: Any, error: type[PhalanxError]) -> Any:
    try:
        return check(value)
    except Wrong:
        if _holds(value, what, check):
            expected += f". What you gave has one: pass its .{what}"
        raise unfit(what, value, expected, error) from None


def _holds(value: Any, name: str, check: Check) -> bool:
    """Whether an attribute of that name would have been right."""
    try:
        held = getattr(value, name, None)
        check(held)
    except (Wrong, PhalanxError):
        return False
    return held is not None


def _checks_of(
    function: Callable[..., Any], signature: inspect.Signature
) -> dict[str, tuple[Check, str]]:
    hints = typing.get_type_hints(function)
    single = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return {
        name: check_of(hints[name])
        for name, parameter in signature.parameters.items()
        if name in hints and parameter.kind not in single
    }


@functools.cache
def _field_checks(kind: Any, but: tuple[str, ...]) -> dict[str, tuple[Check, str]]:
    hints = typing.get_type_hints(kind)
    wanted = [field.name for field in fields(kind) if field.init and field.name not in but]
    return {name: check_of(hints[name]) for name in wanted}
