"""Precision study: torque error against word length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from phalanx.base.arguments import checked
from phalanx.hardware.chip.array import ChipArray
from phalanx.hardware.chip.host import run_on_chips
from phalanx.hardware.chip.number_format import TooNarrow

FORMATS = ("double", "single", *(f"fixed:{width}" for width in range(16, 41, 4)))


@dataclass(frozen=True)
class Precision:
    """Joint forces of chips with one number format, and their error.

    Attributes:
        words: The format, with the fraction that it got.
        bits: Of a word.
        error: Largest difference of a joint force from the reference [N or N·m]; None when a value
            does not fit.
        relative: The same over the largest joint force; None when a value does not fit.
        refused: What does not fit and where; None when all does.
    """

    words: str
    bits: int
    error: float | None
    relative: float | None
    refused: str | None = None


@checked
def precision(
    array: ChipArray,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    reference: ArrayLike,
    formats: Sequence[str] = FORMATS,
) -> list[Precision]:
    """Joint forces of chips with words of several kinds, against a reference.

    Args:
        array: The chips.
        q: Joint positions [m or rad], shape (samples, n).
        v: Joint velocities [m/s or rad/s], shape (samples, n).
        a: Joint accelerations [m/s² or rad/s²], shape (samples, n).
        reference: Joint forces as they should be [N or N·m], shape (samples, n).
        formats: Names of number formats.
    """
    values = array.host_values(q, v, a)
    expected = np.asarray(reference, dtype=np.float64)
    largest = float(np.abs(expected).max(initial=0.0)) or 1.0
    rows = []
    for name in formats:
        words = array.number_format(name, values)
        try:
            found = array.joint_forces(run_on_chips(array.board, words, values))
        except TooNarrow as error:
            rows.append(Precision(words.name, words.bits, None, None, str(error)))
            continue
        error_now = float(np.abs(found - expected).max(initial=0.0))
        rows.append(Precision(words.name, words.bits, error_now, error_now / largest))
    return rows
