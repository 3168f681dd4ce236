"""Validation of the numbers of hydraulic parts."""

from __future__ import annotations

from math import isfinite
from numbers import Real
from typing import Any

from phalanx.base.errors import InvalidInput


def check_positive(part: Any, *fields: str) -> None:
    """Raise InvalidInput unless these fields of a part are finite numbers above zero."""
    for field in fields:
        if not check_number(part, field) > 0:
            raise _unfit(part, field, "a positive number")


def check_not_negative(part: Any, *fields: str) -> None:
    """Raise InvalidInput unless these fields of a part are finite numbers of zero or more."""
    for field in fields:
        if not check_number(part, field) >= 0:
            raise _unfit(part, field, "a number that is not negative")


def check_number(part: Any, field: str) -> float:
    """A field of a part; raises InvalidInput unless it is a finite number."""
    value = getattr(part, field)
    if not is_finite_number(value):
        raise _unfit(part, field, "a finite number")
    return float(value)


def is_finite_number(value: Any) -> bool:
    """Whether it is a number, and neither infinite nor nan."""
    return isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)


def check_kind(part: Any, field: str, kind: type) -> None:
    """Raise InvalidInput unless a field of a part is of a kind."""
    value = getattr(part, field)
    if not isinstance(value, kind):
        raise _unfit(part, field, f"a {kind.__name__}")


def _unfit(part: Any, field: str, expected: str) -> InvalidInput:
    came = getattr(part, field)
    return InvalidInput(f"{field} of {type(part).__name__} is {came!r}; expected {expected}.")
