"""Frozen dataclasses with arrays: equality, hash and pickling by content.

A pickle has the fields and nothing that was found out from them. What comes back is set as it was,
not checked and scaled anew: a unit vector that is scaled once more may differ in its last digit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from typing import Any

import numpy as np


class Frozen:
    """Base of frozen dataclasses that hold arrays; they are declared with ``eq=False``."""

    def __eq__(self, other: object) -> bool:
        """Whether both are of one class and hold the same names and numbers."""
        if self is other:
            return True
        if type(self) is not type(other):
            return NotImplemented
        return all(_same(getattr(self, n), getattr(other, n)) for n in self._compared())

    def __hash__(self) -> int:
        return hash((type(self), *(_key(getattr(self, n)) for n in self._compared())))

    def __reduce__(self) -> tuple[Any, ...]:
        """Its class and its fields."""
        return _restored, (type(self), {n: getattr(self, n) for n in self._names()})

    def __copy__(self) -> Any:
        """Itself: it is immutable."""
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        """Itself: it is immutable, and so is what it holds."""
        return self

    def _names(self) -> tuple[str, ...]:
        kind: Any = type(self)
        return _field_names(kind)

    def _compared(self) -> tuple[str, ...]:
        """The fields that tell one from another."""
        kind: Any = type(self)
        return _compared_names(kind)


@cache
def _field_names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


@cache
def _compared_names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if field.compare)


def _same(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(_same, a, b))
    return bool(a == b)


def _key(value: Any) -> Any:
    """Something with a hash that is equal for equal values: numbers, not bytes, as -0.0 is 0.0."""
    if isinstance(value, np.ndarray):
        return tuple(value.ravel().tolist())
    return tuple(map(_key, value)) if isinstance(value, tuple) else value


def _restored(kind: type[Frozen], held: Mapping[str, Any]) -> Frozen:
    """What was pickled, with read-only arrays."""
    made = object.__new__(kind)
    for name, value in held.items():
        if isinstance(value, np.ndarray):
            value = np.frombuffer(value.tobytes(), value.dtype).reshape(value.shape)
        object.__setattr__(made, name, value)
    return made
