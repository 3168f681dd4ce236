"""Arguments at the door: what came, as what is wanted, or InvalidInput that says what was expected.

Strings that look like numbers are not numbers here, nor are truth values, nor numbers with an
imaginary part; one string is not a list of names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import isfinite
from numbers import Real
from os import PathLike, fspath
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from phalanx.errors import InvalidInput

T = TypeVar("T")

SHOWN = 80  # characters of a value in a message


def shown(value: Any) -> str:
    """A value as messages show it, not too long; its type where that says more."""
    text = repr(value)
    if len(text) > SHOWN or "\n" in text or text.startswith("<"):
        return f"a {type(value).__name__}"
    return text


def unfit(what: str, value: Any, expected: str) -> InvalidInput:
    """The error for an argument that is not what was expected."""
    return InvalidInput(f"{came(what, value)}; expected {expected}.")


def came(what: str, value: Any) -> str:
    """What came, as the caller wrote it where ``what`` is a keyword."""
    return f"{what}={shown(value)}" if what.isidentifier() else f"{what} is {shown(value)}"


def number(what: str, value: Any) -> float:
    """A finite number."""
    if not _is_number(value) or not isfinite(value):
        raise unfit(what, value, "a finite number")
    return float(value)


def positive(what: str, value: Any, expected: str = "a positive number") -> float:
    """A finite number above zero."""
    if not _is_number(value) or not isfinite(value) or not value > 0:
        raise unfit(what, value, expected)
    return float(value)


def time(what: str, value: Any) -> float:
    """A length of time above zero [s]."""
    return positive(what, value, "a positive time [s]")


def not_negative(what: str, value: Any, expected: str = "zero or a positive number") -> float:
    """A finite number of zero or more."""
    if not _is_number(value) or not isfinite(value) or not value >= 0:
        raise unfit(what, value, expected)
    return float(value)


def whole(what: str, value: Any, least: int = 1) -> int:
    """A whole number of at least ``least``; 2.0 is one, 2.5 and True are not."""
    if not _is_number(value) or not isfinite(value) or value != int(value) or value < least:
        raise unfit(what, value, f"a whole number of at least {least}")
    return int(value)


def numbers(what: str, value: Any) -> NDArray[np.float64]:
    """An array of real numbers, of any shape; NaN and infinity pass."""
    try:
        array = np.asarray(value)
    except (TypeError, ValueError) as error:
        raise unfit(what, value, "an array of numbers") from error
    if array.dtype.kind not in "iuf" and array.size:
        raise unfit(what, value, "an array of numbers")
    return array.astype(np.float64, copy=False)


def finite_numbers(what: str, value: Any) -> NDArray[np.float64]:
    """An array of finite numbers, of any shape."""
    array = numbers(what, value)
    if not np.isfinite(array).all():
        raise unfit(what, value, "finite numbers")
    return array


def vector(what: str, value: Any, size: int) -> NDArray[np.float64]:
    """So many finite numbers."""
    array = numbers(what, value)
    if array.shape != (size,):
        raise InvalidInput(
            f"{what} is {shown(value)}, of shape {array.shape}; expected {size} finite numbers."
        )
    if not np.isfinite(array).all():
        raise unfit(what, value, f"{size} finite numbers")
    return array


def instance(what: str, value: Any, kind: type[T], expected: str) -> T:
    """A value of a kind."""
    if not isinstance(value, kind):
        raise unfit(what, value, expected)
    return value


def sequence(what: str, value: Any, kind: type[T], expected: str) -> tuple[T, ...]:
    """Some values of a kind."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise unfit(what, value, expected)
    found = tuple(value)
    for item in found:
        if not isinstance(item, kind):
            raise InvalidInput(f"{what} holds {shown(item)}; expected {expected}.")
    return found


def names(what: str, value: Any) -> tuple[str, ...]:
    """Some names; one string alone is not taken for a list of letters."""
    return sequence(what, value, str, "a list of names")


def mapping(what: str, value: Any) -> dict[str, Any]:
    """Values by name; nothing when None came."""
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise unfit(what, value, "values by name: {name: value}")
    return dict(value)


def callable_or_none(what: str, value: Any, expected: str) -> Callable[..., Any] | None:
    """A function, or nothing."""
    if value is not None and not callable(value):
        raise unfit(what, value, expected)
    return value


def path(what: str, value: Any) -> str:
    """A path as text."""
    if not isinstance(value, str | PathLike):
        raise unfit(what, value, "a path")
    text = fspath(value)
    if not isinstance(text, str) or "\0" in text or not text:
        raise unfit(what, value, "a path")
    return text


def _is_number(value: Any) -> bool:
    """Whether a value is one real number: of Python, of NumPy, or an array of one of them."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)
