"""Paths: a motion of all joints as a function of time, at any time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phalanx.arguments import check_fields, finite_numbers, positive, time
from phalanx.brief import short_repr
from phalanx.errors import InvalidInput
from phalanx.trajectory.rows import Rows, row_times

Array = NDArray[np.float64]

MOST_ROWS = 10_000_000
WHOLE = 1e-6  # of a step: a duration that misses a whole number of steps by less has that number


@short_repr
@final
@dataclass(frozen=True, eq=False)
class Path:
    """A motion that begins at time zero and lasts a while.

    Attributes:
        duration: How long [s].
        motion: Times [s] of shape (k,) to positions, velocities and accelerations, each (k, n).
    """

    duration: float
    motion: Callable[[Array], tuple[Array, Array, Array]]

    def __post_init__(self) -> None:
        """Check the types."""
        check_fields(self)
        time("duration of a path", self.duration)

    def __call__(self, times: ArrayLike) -> tuple[Array, Array, Array]:
        """Positions, velocities and accelerations, each (k, n), at times within the path [s]."""
        at = finite_numbers("times", times)
        if at.ndim != 1:
            raise InvalidInput(f"times have shape {at.shape}; expected a row of them, (k,).")
        return self.motion(np.clip(at, 0.0, self.duration))

    def faster(self, speed: float) -> Path:
        """The same path, gone through ``speed`` times as fast (slower below 1)."""
        c = positive("speed", speed)

        def motion(times: Array) -> tuple[Array, Array, Array]:
            q, v, a = self.motion(np.clip(c * times, 0.0, self.duration))
            return q, c * v, c * c * a

        return Path(self.duration / c, motion)

    def sample(self, step: float) -> Rows:
        """Rows from the begin to the end of the path.

        A path that does not last a whole number of steps is slowed down until it does, by less
        than one step in all; what its joints need beyond gravity shrinks with the square of that.

        Args:
            step: Time between rows [s].

        Raises:
            InvalidInput: When the step is longer than the path, or rows would be too many.
        """
        step = time("step of rows", step)
        steps = int(np.ceil(self.duration / step - WHOLE))
        if not 1 <= steps < MOST_ROWS or step > self.duration * (1 + WHOLE):
            raise InvalidInput(
                f"steps of {step:g} s in a path of {self.duration:g} s; expected at least one and "
                f"fewer than {MOST_ROWS:,}."
            )
        slowed = self.faster(self.duration / (steps * step))
        return Rows(*slowed.motion(row_times(steps + 1, step)), step)
