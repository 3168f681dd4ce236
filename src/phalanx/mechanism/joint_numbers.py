"""Numbers of joints (limits, damping, springs, rotors), checked and frozen."""

from __future__ import annotations

from functools import lru_cache
from numbers import Real
from struct import Struct
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from phalanx.mechanism.joint import Motion


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


def check_isotropic(owner: str, motion: Motion, stiffness: Array) -> None:
    """Rotations that are quaternions have one stiffness (nv,) for all axes.

    Raises:
        InvalidModel: When they have several.
    """
    if motion.nq != motion.nv and not stiffness[-3] == stiffness[-2] == stiffness[-1]:
        raise InvalidModel(
            f"the stiffness of joint '{owner}' is {stiffness.tolist()}; rotations of a "
            f"{motion.kind} joint need one number for all three axes, for forces along a rotation "
            "vector with several have no energy. Use springs between points instead."
        )


def rest_position(owner: str, motion: Motion, given: ArrayLike) -> Array:
    """The position at which a joint's spring is relaxed, read-only, shape (nq,).

    Args:
        owner: Name of the joint.
        motion: What it allows.
        given: ``nq`` numbers, or one for all of a joint without a quaternion.

    Raises:
        InvalidModel: When that is no position.
    """
    what = f"the rest position of joint '{owner}'"
    if motion.nq == motion.nv:
        return frozen_row(given, motion.nq, what)
    rest = frozen_array(given, (motion.nq,), what).copy()
    length = float(np.linalg.norm(rest[-4:]))
    if length < 1e-9:
        raise InvalidModel(f"{what} has an attitude of zeros, which is no quaternion.")
    rest[-4:] /= length
    return frozen_array(rest, (motion.nq,), what)
