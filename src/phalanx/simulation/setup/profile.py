"""Profiles: joint forces (or wrenches) as a table over time, held or interpolated."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import Any, Literal, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phalanx.base.arguments import check_fields, checked
from phalanx.base.errors import InvalidInput, ReadError
from phalanx.base.files import home_path
from phalanx.base.short_repr import short_repr
from phalanx.base.table_file import read_table

Array = NDArray[np.float64]


@short_repr
@final
@dataclass(frozen=True, eq=False)
class Profile:
    """Values at times, held or interpolated in between; the ends are held beyond the table.

    Attributes:
        time: Increasing [s], shape (T,).
        values: Shape (T, n).
        between: "hold" keeps each value until the next; "linear" joins them by lines. As control,
            a run follows the line from the beginning of each step to its end.
    """

    time: Array
    values: Array
    between: Literal["hold", "linear"] = "hold"

    def __post_init__(self) -> None:
        check_fields(self)
        time = np.asarray(self.time, dtype=np.float64)
        values = np.asarray(self.values, dtype=np.float64)
        if time.ndim != 1 or len(time) == 0 or values.shape[:1] != time.shape or values.ndim != 2:
            raise InvalidInput(
                f"a profile has times (T,) and values (T, n), got {time.shape} and {values.shape}."
            )
        if not (np.isfinite(time).all() and np.isfinite(values).all()):
            raise InvalidInput("a profile holds a NaN or an infinity.")
        if (np.diff(time) <= 0).any():
            raise InvalidInput("the times of a profile must increase.")
        if self.between not in ("hold", "linear"):
            raise InvalidInput(f"between={self.between!r}; expected 'hold' or 'linear'.")
        object.__setattr__(self, "time", time)
        object.__setattr__(self, "values", values)

    @staticmethod
    def from_recording(
        recording: Any, signal: str = "tau", between: Literal["hold", "linear"] = "hold"
    ) -> Profile:
        """A recorded signal as a profile: replay the torques of an earlier run."""
        return Profile(recording.time, recording[signal], between)

    @staticmethod
    def from_csv(path: str | PathLike[str], between: Literal["hold", "linear"] = "hold") -> Profile:
        """A text table: time in the first column, values in the others, one header line or none.

        Raises:
            InvalidInput: When the file is not such a table.
        """
        try:
            table = read_table(home_path(path))
        except ReadError as error:
            raise InvalidInput(f"{path}: {error}") from error
        if table.shape[0] == 0 or table.shape[1] < 2:
            raise InvalidInput(f"{path} needs a column of times and at least one of values.")
        return Profile(table[:, 0], table[:, 1:], between)

    @checked
    def __call__(self, t: ArrayLike) -> Array:
        """Values at times ``t``, shape (..., n)."""
        t = np.asarray(t, dtype=np.float64)
        if self.between == "hold":
            # a step is not missed because k·h is a rounding error below the table's time
            index = np.searchsorted(self.time, t + 1e-9 * (1 + np.abs(t)), side="right") - 1
            return np.asarray(self.values[np.clip(index, 0, len(self.time) - 1)])
        columns = [np.interp(t, self.time, column) for column in self.values.T]
        return np.stack(columns, axis=-1)
