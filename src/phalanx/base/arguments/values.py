"""Validation of times, counts and numeric arrays, for functions that check by themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from phalanx.base.arguments import kinds
from phalanx.base.arguments.messages import came, unfit
from phalanx.base.errors import InvalidInput, shown


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
