"""Arguments at the door: types are checked against annotations, and a mistake gets an answer.

``@checked`` on a public function, and ``check_fields(self)`` in a dataclass, compare what came with
what the signature says, and raise InvalidInput that names the argument, what came and what was
expected. What cannot be meant is not taken: a number as text is not a number, nor is a truth
value; one string is not a list of names; 2.5 is not a whole number, while 2.0 is. Values (ranges,
shapes, NaN) are the affair of whoever knows what they mean; the functions below help with that.
"""

from __future__ import annotations

import functools
import inspect
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from math import isfinite
from numbers import Integral, Real
from os import PathLike
from typing import Any, Literal, TypeVar, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phalanx.errors import InvalidInput, PhalanxError

F = TypeVar("F", bound=Callable[..., Any])
Check = Callable[[Any], Any]  # the value as it is wanted, or _Wrong

SHOWN = 80  # characters of a value in a message
LARGEST_COUNT = 2**62


class _Wrong(Exception):
    """A value that is not what a check wants."""


# -- at the door -----------------------------------------------------------------------------------


def checked(function: F) -> F:
    """The function, its arguments checked against its annotations before it runs."""
    return checked_but()(function)


def checked_but(*own: str) -> Callable[[F], F]:
    """The same, but for arguments that a function checks itself, and can say more about."""

    def decorate(function: F) -> F:
        signature = inspect.signature(function)
        wanted: dict[str, tuple[Check, str]] = {}

        @functools.wraps(function)
        def door(*args: Any, **keywords: Any) -> Any:
            if not wanted:
                wanted.update(_checks_of(function, signature))
            given = signature.bind(*args, **keywords)
            for name, value in given.arguments.items():
                if name in wanted and name not in own:
                    given.arguments[name] = _examined(*wanted[name], name, value, InvalidInput)
            return function(*given.args, **given.kwargs)

        return typing.cast(F, door)

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
    for name, (check, expected) in _field_checks(kind).items():
        if name in but:
            continue
        value = getattr(instance, name)
        converted = _examined(check, expected, f"{name} of {kind.__name__}", value, error)
        if converted is not value:
            object.__setattr__(instance, name, converted)


def unfit(
    what: str, value: Any, expected: str, error: type[PhalanxError] = InvalidInput
) -> PhalanxError:
    """The error for an argument that is not what was expected."""
    return error(f"{came(what, value)}; expected {expected}.")


def came(what: str, value: Any) -> str:
    """What came, as the caller wrote it where ``what`` is a keyword."""
    return f"{what}={shown(value)}" if what.isidentifier() else f"{what} is {shown(value)}"


def shown(value: Any) -> str:
    """A value as messages show it, not too long; its type where that says more."""
    try:
        text = repr(value)
    except Exception:  # whatever a stranger's repr does, the message is about something else
        text = "<>"
    if len(text) > SHOWN or "\n" in text or text.startswith("<"):
        return f"a {type(value).__name__}"
    return text


# -- values ----------------------------------------------------------------------------------------


def is_number(value: Any) -> bool:
    """Whether a value is one real number, of Python or of NumPy; truth values are none."""
    try:
        _number(value)
    except _Wrong:
        return False
    return True


def time(what: str, value: Any) -> float:
    """A length of time above zero [s]."""
    if not is_number(value) or not 0 < value < np.inf:
        raise InvalidInput(f"the {what} must be a positive time [s], got {shown(value)}.")
    return float(value)


def positive(what: str, value: Any, expected: str = "a positive number") -> float:
    """A finite number above zero."""
    if not is_number(value) or not 0 < value < np.inf:
        raise unfit(what, value, expected)
    return float(value)


def whole(what: str, value: Any, least: int = 1, expected: str = "") -> int:
    """A whole number of at least ``least``."""
    try:
        count: int = _whole(value)
    except _Wrong:
        count = least - 1
    if count < least:
        raise unfit(what, value, expected or f"a whole number of at least {least}")
    return count


def numbers(what: str, value: Any) -> NDArray[np.float64]:
    """An array of real numbers, of any shape; NaN and infinity pass."""
    try:
        return np.asarray(_array(value), dtype=np.float64)
    except _Wrong:
        raise unfit(what, value, "an array of numbers") from None


def finite_numbers(what: str, value: Any, shape: tuple[int, ...] | None = None) -> Any:
    """An array of finite numbers, of a shape if one is given."""
    array = numbers(what, value)
    if shape is not None and array.shape != shape:
        count = " × ".join(map(str, shape)) if shape else "one"
        raise InvalidInput(
            f"{came(what, value)}, of shape {array.shape}; expected {count} finite numbers."
        )
    if not np.isfinite(array).all():
        raise unfit(what, value, "finite numbers")
    return array


# -- from annotations to checks --------------------------------------------------------------------


def _examined(check: Check, expected: str, what: str, value: Any, error: type[PhalanxError]) -> Any:
    try:
        return check(value)
    except _Wrong:
        raise unfit(what, value, expected, error) from None


def _checks_of(
    function: Callable[..., Any], signature: inspect.Signature
) -> dict[str, tuple[Check, str]]:
    hints = typing.get_type_hints(function)
    single = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return {
        name: _check(hints[name])
        for name, parameter in signature.parameters.items()
        if name in hints and parameter.kind not in single
    }


@functools.cache
def _field_checks(kind: Any) -> dict[str, tuple[Check, str]]:
    hints = typing.get_type_hints(kind)
    return {field.name: _check(hints[field.name]) for field in fields(kind) if field.init}


def _check(hint: Any) -> tuple[Check, str]:
    """What checks a value against an annotation, and what to say was expected."""
    if _is_union(hint):
        return _union(hint)
    origin = typing.get_origin(hint) or hint
    given = typing.get_args(hint)
    if origin is Literal:
        return _one_of(given), _either([repr(choice) for choice in given])
    if origin in _PLAIN:
        return _PLAIN[origin]
    if origin is np.ndarray:
        return _array, "an array of numbers"
    if origin is type(None):
        return _nothing, "None"
    if origin in (tuple, Sequence, list, Iterable):
        return _sequence_check(origin, given)
    if origin in (Mapping, dict):
        return _mapping_check(given)
    if origin is Callable:
        return _callable, "a function"
    if origin is PathLike:
        return _instance(PathLike), "a path"
    if getattr(origin, "_is_protocol", False):
        return _with_methods(origin), _a(origin.__name__)
    if isinstance(origin, type):
        return _instance(origin), getattr(origin, "in_words", _a(origin.__name__))
    return _anything, "anything"


def _is_union(hint: Any) -> bool:
    return typing.get_origin(hint) in (Union, types.UnionType)


def _union(hint: Any) -> tuple[Check, str]:
    members = list(typing.get_args(hint))
    array_like = set(typing.get_args(ArrayLike))
    checks: list[tuple[Check, str]] = []
    if array_like <= set(members):
        members = [member for member in members if member not in array_like]
        checks.append((_array, "an array of numbers"))
    checks += [_check(member) for member in members]

    def check(value: Any) -> Any:
        for own, _ in checks:
            try:
                return own(value)
            except _Wrong:
                continue
        raise _Wrong

    words = dict.fromkeys(words for _, words in checks)
    return check, _either(sorted(words, key=lambda text: text == "None"))


def _either(choices: Sequence[str]) -> str:
    return " or ".join(filter(None, [", ".join(choices[:-1]), *choices[-1:]]))


def _sequence_check(origin: Any, given: tuple[Any, ...]) -> tuple[Check, str]:
    fixed = origin is tuple and given and given[-1] is not Ellipsis
    parts = [_check(hint) for hint in given if hint is not Ellipsis]
    item, words = parts[0] if parts else (_anything, "anything")

    def check(value: Any) -> Any:
        if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
            raise _Wrong
        try:
            found = tuple(value)
        except Exception:  # an array without axes, a symbol of CasADi: what it raises is its own
            raise _Wrong from None
        if fixed:
            if len(found) != len(parts):
                raise _Wrong
            return tuple(own(x) for (own, _), x in zip(parts, found, strict=True))
        same = isinstance(value, list) and origin is not tuple
        converted = tuple(item(x) for x in found)
        return value if same and all(map(_is_same, converted, found)) else converted

    if fixed:
        return check, f"{len(parts)} values, each {words}"
    return check, "a list of names" if words == "a text" else f"a list, each item {words}"


def _is_same(one: Any, other: Any) -> bool:
    """Whether two names stand for one thing."""
    return one is other


def _mapping_check(given: tuple[Any, ...]) -> tuple[Check, str]:
    key, value_check = (_check(hint)[0] for hint in (given or (Any, Any)))

    def check(value: Any) -> Any:
        if not isinstance(value, Mapping):
            raise _Wrong
        for name, item in value.items():
            key(name)
            value_check(item)
        return value

    return check, "values by name: {name: value}"


def _instance(kind: type) -> Check:
    def check(value: Any) -> Any:
        if not isinstance(value, kind):
            raise _Wrong
        return value

    return check


def _with_methods(protocol: type) -> Check:
    methods = [name for name in vars(protocol) if not name.startswith("_")]

    def check(value: Any) -> Any:
        if isinstance(value, type) or not all(callable(getattr(value, m, None)) for m in methods):
            raise _Wrong
        return value

    return check


def _one_of(allowed: tuple[Any, ...]) -> Check:
    def check(value: Any) -> Any:
        if not isinstance(value, str) or value not in allowed:
            raise _Wrong
        return value

    return check


def _number(value: Any) -> Any:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if not isinstance(value, Real) or isinstance(value, bool | np.bool_):
        raise _Wrong
    try:
        float(value)
    except OverflowError:  # a whole number beyond all that a machine computes with
        raise _Wrong from None
    return value


def _whole(value: Any) -> Any:
    value = _number(value)
    if not isfinite(value) or value != int(value) or abs(value) > LARGEST_COUNT:
        raise _Wrong
    return value if isinstance(value, Integral) else int(value)


def _truth(value: Any) -> Any:
    if not isinstance(value, bool | np.bool_):
        raise _Wrong
    return value


def _array(value: Any) -> Any:
    try:
        array = np.asarray(value)
    except Exception:  # older versions of CasADi raise no more than that for a symbol
        raise _Wrong from None
    if array.dtype.kind not in "iuf" and array.size:
        raise _Wrong
    return value


def _nothing(value: Any) -> Any:
    if value is not None:
        raise _Wrong
    return value


def _callable(value: Any) -> Any:
    if not callable(value):
        raise _Wrong
    return value


def _anything(value: Any) -> Any:
    return value


def _a(name: str) -> str:
    return f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"


_PLAIN: dict[Any, tuple[Check, str]] = {
    Any: (_anything, "anything"),
    float: (_number, "a number"),
    int: (_whole, "a whole number"),
    bool: (_truth, "True or False"),
    str: (_instance(str), "a text"),
}
