"""Results of a chunk of cases, and metadata of their arrays (dimensions, units)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.short_repr import short_repr

Array = NDArray[Any]


@final
@dataclass(frozen=True)
class Variable:
    """Something that is kept of every case.

    Attributes:
        dims: Names of its axes after that of the cases.
        shape: Lengths of these axes.
        dtype: Of its numbers.
        unit: What they are measured in; nothing for numbers without one.
        about: What it is, in words.
    """

    dims: tuple[str, ...] = ()
    shape: tuple[int, ...] = ()
    dtype: np.dtype[Any] = np.dtype(np.float64)  # noqa: RUF009 - a dtype does not change
    unit: str = ""
    about: str = ""

    @property
    def size(self) -> int:
        """Bytes a case."""
        return math.prod(self.shape) * self.dtype.itemsize

    @property
    def absent(self) -> Any:
        """What stands where there is no result: not a number, or 0 among whole numbers."""
        return np.nan if self.dtype.kind == "f" else 0


@final
@dataclass(frozen=True)
class Axis:
    """Where the numbers along a dimension belong: names, or a place on a scale.

    Attributes:
        values: Numbers or words, one an entry.
        unit: What numbers are measured in.
    """

    values: Sequence[Any]
    unit: str = ""


@short_repr
@final
@dataclass(frozen=True, eq=False)
class Chunk:
    """Results of some cases that follow each other.

    Attributes:
        results: Name to values, shape (cases, ...); rows of cases that failed are undefined.
        failures: Number of a case in the study to the reason why it failed.
    """

    results: Mapping[str, Array]
    failures: Mapping[int, str] = field(default_factory=dict)


def joined(parts: Sequence[Chunk]) -> Chunk:
    """Chunks that follow each other as one."""
    if len(parts) == 1:
        return parts[0]
    results = {
        name: np.concatenate([part.results[name] for part in parts]) for name in parts[0].results
    }
    return Chunk(results, {k: why for part in parts for k, why in part.failures.items()})


def nothing(variables: Mapping[str, Variable], failures: Mapping[int, str]) -> Chunk:
    """Of cases that all failed."""
    count = len(failures)
    return Chunk(
        {k: np.full((count, *v.shape), v.absent, v.dtype) for k, v in variables.items()}, failures
    )
