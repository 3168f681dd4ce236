"""Rows of a trajectory: positions, velocities and accelerations at equal steps of time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phalanx.base.arguments import finite_numbers, time
from phalanx.base.errors import InvalidInput
from phalanx.base.short_repr import short_repr

Array = NDArray[np.float64]


@short_repr
@final
@dataclass(frozen=True, eq=False)
class Row:
    """One row of a motion: a machine's state at one time.

    Attributes:
        q: Positions [rad or m], shape (n,).
        v: Velocities [rad/s or m/s], shape (n,).
        a: Accelerations [rad/s² or m/s²], shape (n,).
        torque: Joint forces [N·m or N], shape (n,); None where they were not computed.
        time: When it is executed [s]; None where that is not known.
    """

    q: Array
    v: Array
    a: Array
    torque: Array | None = None
    time: float | None = None


@short_repr
@final
@dataclass(frozen=True, eq=False)
class Rows:
    """A motion at equal steps of time, the first row at time zero.

    Attributes:
        q: Positions [rad or m], shape (m, n).
        v: Velocities [rad/s or m/s], shape (m, n).
        a: Accelerations [rad/s² or m/s²], shape (m, n).
        step: Time between rows [s].
    """

    q: ArrayLike
    v: ArrayLike
    a: ArrayLike
    step: float

    def __post_init__(self) -> None:
        """Bring all to arrays of one shape.

        Raises:
            InvalidInput: When they have another, or hold what is no number.
        """
        object.__setattr__(self, "step", time("step of rows", self.step))
        q = finite_numbers("q", self.q)
        if q.ndim != 2 or not q.size:
            raise InvalidInput(f"q has shape {q.shape}; expected (rows, joints).")
        for name in ("q", "v", "a"):
            part = np.ascontiguousarray(finite_numbers(name, getattr(self, name), q.shape))
            object.__setattr__(self, name, part)

    def __len__(self) -> int:
        return len(np.asarray(self.q))

    def __getitem__(self, row: int) -> Row:
        """One row."""
        q, v, a = self.parts
        return Row(q[row], v[row], a[row], time=range(len(self))[row] * self.step)

    @property
    def parts(self) -> tuple[Array, Array, Array]:
        """q, v and a, each (m, n)."""
        return np.asarray(self.q), np.asarray(self.v), np.asarray(self.a)

    @property
    def times(self) -> Array:
        """When each row is due [s], shape (m,)."""
        return row_times(len(self), self.step)

    @property
    def duration(self) -> float:
        """From the first row to the last [s]."""
        return (len(self) - 1) * self.step


def row_times(rows: int, step: float, passed: int = 0) -> Array:
    """Times of rows [s], after a number of others have passed."""
    return step * np.arange(passed, passed + rows, dtype=np.float64)
