"""Validation of the numbers of soils, buckets and grounds."""

from __future__ import annotations

from math import inf, isfinite
from typing import Any

from phalanx.base.errors import InvalidInput


def check_between(
    owner: object, name: str, low: float, high: float = inf, *, low_too: bool = True
) -> None:
    """Refuse a field that is no number from ``low`` (itself allowed or not) to ``high``.

    Raises:
        InvalidInput: With the field, its value and what was expected.
    """
    value: Any = getattr(owner, name)
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = inf
    if isfinite(number) and low <= number <= high and (low_too or number > low):
        return
    start = f"from {low:g}" if low_too else f"above {low:g}"
    end = "" if high == inf else f" to {high:g}"
    kind = type(owner).__name__
    raise InvalidInput(f"{name} of {kind} is {value!r}; expected a finite number {start}{end}.")
