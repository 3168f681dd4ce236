"""Interface of cases: values by case number, the same however they are divided into chunks.

Policy. The values of case i come from the study's seed and i alone. So a worker draws the cases of
its chunk itself, nothing but numbers travels, and a chunk that is done again has the same bits.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.errors import InvalidInput, shown
from phalanx.base.short_repr import short

Array = NDArray[Any]
# names become folders of a store and words of its attributes
_NAME = re.compile(r"[^\s/\\.\x00-\x1f\x7f][^\s/\\\x00-\x1f\x7f]*")


@final
@dataclass(frozen=True)
class ColumnType:
    """What one name is in every case.

    Attributes:
        shape: Of one value: () or (n,).
        dtype: Of its numbers; of words, that of their places among the labels.
        labels: The words that it may be; none for numbers.
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    labels: tuple[str, ...] = ()


class Cases(ABC):
    """Cases, each a value for every name."""

    @abstractmethod
    def __len__(self) -> int:
        """How many."""

    @property
    @abstractmethod
    def columns(self) -> Mapping[str, ColumnType]:
        """What each name is."""

    @abstractmethod
    def values(self, first: int, count: int, seed: int) -> dict[str, Array]:
        """Of cases ``first`` to ``first + count``: name to an array of shape (count, ...)."""

    @abstractmethod
    def to_data(self) -> dict[str, Any]:
        """As plain data."""

    @property
    def names(self) -> tuple[str, ...]:
        """What is varied."""
        return tuple(self.columns)

    def __repr__(self) -> str:
        """How many cases, and what differs."""
        return f"<{type(self).__name__}: {len(self):,} cases of {short(self.names)}>"


def is_name(name: Any) -> bool:
    """Whether something can be the name of an array in a store, which is a folder there."""
    if not isinstance(name, str) or not _NAME.fullmatch(name) or len(name) > 200:
        return False
    return not any("\ud800" <= letter <= "\udfff" for letter in name)  # no text can hold these


def check_names(names: Sequence[Any]) -> None:
    """That names can be those of arrays in a store.

    Raises:
        InvalidInput: When one cannot.
    """
    for name in names:
        if not is_name(name):
            raise InvalidInput(
                f"a sweep cannot vary or keep {shown(name)}: a name is text without blanks, "
                "slashes and control characters that does not begin with a dot."
            )


def column_of(name: str, values: Any) -> tuple[Array, ColumnType]:
    """A list of values of one name as an array, one row a case, and what it is.

    Raises:
        InvalidInput: When they are not all numbers, vectors of one length, or words; or when one
            is not finite.
    """
    try:
        array = np.array(values)
    except ValueError:
        array = np.array(None)
    if array.dtype.kind in "US" and all(isinstance(value, str) for value in values):
        if any("\0" in value for value in values):
            raise InvalidInput(f"a word of '{name}' holds a NUL, which no list of words keeps.")
        return array, ColumnType((), np.dtype(np.int32), tuple(sorted(set(map(str, values)))))
    if array.dtype.kind not in "biuf" or array.ndim not in (1, 2):
        raise InvalidInput(
            f"values of '{name}' are {shown(values)}; expected a list of numbers, of lists of "
            "numbers of one length, or of words."
        )
    if not np.isfinite(array).all():
        worst = int(np.argmin(np.isfinite(array.reshape(len(array), -1)).all(axis=1)))
        raise InvalidInput(
            f"value {worst} of '{name}' is {shown(array[worst].tolist())}; cases must be finite."
        )
    array.flags.writeable = False
    return array, ColumnType(array.shape[1:], array.dtype)
