"""Validators of one value: each returns the value, or raises Wrong."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy import ma

Check = Callable[[Any], Any]  # the value as it is wanted, or Wrong

LARGEST_COUNT = 2**62
MOST_AXES = 32  # what every version of NumPy broadcasts


class Wrong(Exception):
    """A value that is not what a check wants."""


def as_number(value: Any) -> Any:
    """One real number, of Python or of NumPy; truth values are none."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if not isinstance(value, Real) or isinstance(value, bool | np.bool_):
        raise Wrong
    try:
        number = float(value)
    except OverflowError:  # a whole number beyond all that a machine computes with
        raise Wrong from None
    return value if isinstance(value, int | float | np.number) else number  # NumPy's or Python's


def as_whole(value: Any) -> Any:
    """A whole number: 2.0 is one, 2.5 is not."""
    value = as_number(value)
    if not isfinite(value) or value != int(value) or abs(value) > LARGEST_COUNT:
        raise Wrong
    return value if isinstance(value, Integral) else int(value)


def as_truth(value: Any) -> Any:
    """True or False."""
    if not isinstance(value, bool | np.bool_):
        raise Wrong
    return value


def is_masked(value: Any) -> bool:
    """Whether an array, or one in a list, has masked entries: NumPy would take what they hide."""
    if isinstance(value, list | tuple):
        nested = (part for part in value if isinstance(part, list | tuple | ma.MaskedArray))
        return any(map(is_masked, nested))
    return bool(ma.is_masked(value))


def as_array(value: Any) -> Any:
    """Anything that NumPy reads as an array of real numbers."""
    try:
        array = np.asarray(value)
    except Exception:  # older versions of CasADi raise no more than that for a symbol
        raise Wrong from None
    wrong_kind = array.dtype.kind not in "iuf" and array.size
    if is_masked(value) or array.ndim > MOST_AXES or wrong_kind:
        raise Wrong
    return value


def as_nothing(value: Any) -> Any:
    """None."""
    if value is not None:
        raise Wrong
    return value


def as_callable(value: Any) -> Any:
    """Anything that can be called."""
    if not callable(value):
        raise Wrong
    return value


def as_anything(value: Any) -> Any:
    """Whatever it is."""
    return value


def instance_of(kind: type) -> Check:
    """A check for objects of a class."""

    def check(value: Any) -> Any:
        if not isinstance(value, kind):
            raise Wrong
        return value

    return check


def with_methods_of(protocol: type) -> Check:
    """A check for objects that have all methods of a protocol."""
    methods = [name for name in vars(protocol) if not name.startswith("_")]

    def check(value: Any) -> Any:
        if isinstance(value, type) or not all(callable(getattr(value, m, None)) for m in methods):
            raise Wrong
        return value

    return check


def one_of(allowed: tuple[Any, ...]) -> Check:
    """A check for one of several texts."""

    def check(value: Any) -> Any:
        if not isinstance(value, str) or value not in allowed:
            raise Wrong
        return value

    return check
