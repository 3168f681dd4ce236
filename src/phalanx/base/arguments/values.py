"""Checked numbers of arguments, and messages that say what came and what was expected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phalanx.base.arguments import kinds
from phalanx.base.errors import InvalidInput, PhalanxError, shown


def unfit(
    what: str, value: Any, expected: str, error: type[PhalanxError] = InvalidInput
) -> PhalanxError:
    """The error for an argument that is not what was expected."""
    return error(f"{came(what, value)}; expected {expected}.")


def came(what: str, value: Any) -> str:
    """Describe what came, as the caller wrote it where ``what`` is a keyword."""
    return f"{what}={shown(value)}" if what.isidentifier() else f"{what} is {shown(value)}"


def either(choices: Sequence[str]) -> str:
    """Choices in one sentence."""
    return " or ".join(filter(None, [", ".join(choices[:-1]), *choices[-1:]]))


def a(name: str) -> str:
    """A name with its article."""
    return f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"


def is_number(value: Any) -> bool:
    """Whether a value is one real number, of Python or of NumPy; truth values are none."""
    try:
        kinds.as_number(value)
    except kinds.Wrong:
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
        count: int = kinds.as_whole(value)
    except kinds.Wrong:
        count = least - 1
    if count < least:
        raise unfit(what, value, expected or f"a whole number of at least {least}")
    return count


def numbers(what: str, value: Any) -> NDArray[np.float64]:
    """An array of real numbers, of any shape; NaN and infinity pass."""
    try:
        return np.asarray(kinds.as_array(value), dtype=np.float64)
    except kinds.Wrong:
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
