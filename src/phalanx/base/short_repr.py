"""Short repr: arrays by their shape, long lists by their length.

A dataclass with arrays, lists or machines in it is decorated with :func:`short_repr`::

    @short_repr
    @dataclass(frozen=True)
    class Rows:
        q: Array

What is small looks as Python writes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from itertools import islice
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T", bound=type)

LONGEST = 200  # characters of a line
LONGEST_PART = 80
MOST = 6  # numbers or items that are shown
_SEQUENCES: dict[Any, tuple[str, str]] = {
    tuple: ("(", ")"),
    list: ("[", "]"),
    set: ("{", "}"),
    frozenset: ("{", "}"),
}


def short_repr(kind: T) -> T:
    """The dataclass with a ``repr`` of one short line."""
    kind.__repr__ = _repr  # type: ignore[assignment, method-assign]
    return kind


def short(value: Any) -> str:
    """A value in a few characters."""
    if isinstance(value, np.ndarray):
        return _array(value)
    if type(value).__module__.partition(".")[0] == "casadi":
        return f"<{type(value).__name__}>"  # an expression may be a book
    if isinstance(value, FunctionType | BuiltinFunctionType | MethodType):
        return value.__name__
    if isinstance(value, str):
        return repr(value if len(value) < LONGEST_PART else f"{value[: LONGEST_PART - 1]}…")
    if type(value) in _SEQUENCES:
        begin, end = _SEQUENCES[type(value)]
        comma = "," if type(value) is tuple and len(value) == 1 else ""
        shown = [short(item) for item in islice(value, MOST)]
        return _items(len(value), shown, begin, comma + end, "items")
    if isinstance(value, Mapping):
        shown = [f"{short(key)}: {short(item)}" for key, item in islice(value.items(), MOST)]
        return _items(len(value), shown, "{", "}", "entries")
    text = repr(value)
    return text if len(text) <= LONGEST_PART and "\n" not in text else f"<{type(value).__name__}>"


def _repr(self: Any) -> str:
    parts: list[str] = []
    length = 0
    for field in fields(self):
        if field.repr:
            part = f"{field.name}={short(getattr(self, field.name))}"
            length += len(part) + 2
            if parts and length > LONGEST:
                parts.append("…")
                break
            parts.append(part)
    return f"{type(self).__qualname__}({', '.join(parts)})"


def _array(value: np.ndarray[Any, Any]) -> str:
    if value.ndim == 0:
        return repr(value.item())
    if value.ndim == 1 and value.size <= MOST and value.dtype.kind in "iufb":
        return f"[{', '.join(f'{x:.6g}' for x in value.tolist())}]"
    return f"<{value.dtype} array {value.shape}>"


def _items(count: int, shown: list[str], begin: str, end: str, what: str) -> str:
    """All of them, or how many there are."""
    text = ", ".join(shown)
    if count > MOST or len(text) > LONGEST_PART:
        return f"<{count} {what}>"
    return f"{begin}{text}{end}"
