"""Joint numbers per degree of freedom: limits, spring, friction, rotor."""

from __future__ import annotations

from functools import lru_cache
from numbers import Real
from struct import Struct
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from phalanx.base.errors import InvalidModel, shown
from phalanx.mechanism.pose import (
    LARGEST,
    SHARED,
    Array,
    check_size,
    frozen_array,
    frozen_number,
)

# their names, and which of them must be finite and not negative
NUMBERS = (
    "lower",
    "upper",
    "velocity_limit",
    "effort_limit",
    "damping",
    "stiffness",
    "friction",
    "rotor_inertia",
    "gear_ratio",
)
NOT_NEGATIVE = slice(NUMBERS.index("velocity_limit"), NUMBERS.index("gear_ratio"))
FINITE = slice(NUMBERS.index("damping"), None)

Rows = tuple[tuple[str, Array], ...]
_PACKED = Struct(f"{len(NUMBERS)}d")


def number_rows(joint: Any, owner: str, nv: int) -> Rows:
    """All numbers by name, each read-only, of shape (nv,) and checked: long chains build fast.

    Args:
        joint: What has them as attributes, each a number or ``nv`` numbers.
        owner: Its name.
        nv: Its degrees of freedom.

    Raises:
        InvalidModel: When one is not a number, or cannot be meant.
    """
    given = [getattr(joint, name) for name in NUMBERS]
    if all(type(number) is float for number in given):
        rows = _sound_rows(_PACKED.pack(*given), nv)
        if rows:
            return rows
    table = np.empty((len(NUMBERS), nv))
    for name, row, number in zip(NUMBERS, table, given, strict=True):
        try:
            row[...] = number
        except Exception as error:  # what a foreign object raises when asked for a number
            raise InvalidModel(
                f"the {_words(name)} of joint '{owner}' must be a number or "
                f"{nv} numbers, got {shown(number)}."
            ) from error
    _check_table(table, owner)
    return _rows(table)


@lru_cache(SHARED)
def _sound_rows(content: bytes, nv: int) -> Rows:
    """The rows of numbers given once for all freedoms; none where a check refuses them."""
    table = np.repeat(np.frombuffer(content)[:, None], nv, axis=1)
    try:
        _check_table(table, "")
    except InvalidModel:
        return ()
    return _rows(table)


def _rows(table: Array) -> Rows:
    table.setflags(write=False)
    return tuple(zip(NUMBERS, table, strict=True))


def _check_table(table: Array, owner: str) -> None:
    wrong = np.isnan(table)
    wrong[FINITE] |= np.isinf(table[FINITE])
    wrong[NOT_NEGATIVE] |= table[NOT_NEGATIVE] < 0
    if wrong.any():
        k = int(np.argmax(wrong.any(axis=1)))
        raise InvalidModel(
            f"the {_words(NUMBERS[k])} of joint '{owner}' is {table[k].tolist()}: a NaN, "
            "an infinity or negative."
        )
    if table[FINITE].max(initial=0.0) > LARGEST or table[FINITE].min(initial=0.0) < -LARGEST:
        for name, row in zip(NUMBERS[FINITE], table[FINITE], strict=True):
            check_size(f"the {_words(name)} of joint '{owner}'", row)
    lower, upper = table[:2]
    if (lower > upper).any():
        raise InvalidModel(
            f"joint '{owner}' has its lower limit {lower} above its upper limit {upper}."
        )


def _words(name: str) -> str:
    return name.replace("_", " ")


def magnitudes(words: str, owner: str, given: ArrayLike, nv: int) -> Array:
    """Numbers of a joint that are finite and not negative, read-only, shape (nv,).

    Raises:
        InvalidModel: When they are something else.
    """
    row = frozen_row(given, nv, f"the {words} of joint '{owner}'")
    if (row < 0).any():
        raise InvalidModel(f"the {words} of joint '{owner}' is negative: {row.tolist()}.")
    return row


def frozen_row(given: ArrayLike, size: int, what: str) -> Array:
    """So many numbers, finite and read-only; one stands for all.

    Raises:
        InvalidModel: When they are something else.
    """
    if isinstance(given, Real) or getattr(given, "shape", None) == ():
        given = np.full(size, frozen_number(given, what))
    return frozen_array(given, (size,), what)
