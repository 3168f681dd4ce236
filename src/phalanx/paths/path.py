"""Paths: a motion of all joints as a function of time, at any time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from phalanx.arguments import check_fields, finite_numbers, positive, time
from phalanx.brief import short_repr
from phalanx.errors import InvalidInput
from phalanx.paths.polynomials import Polynomials
from phalanx.paths.rows import Rows, row_times
from phalanx.simulation.trajectories import Trajectory

Array = NDArray[np.float64]
Symbols = Callable[[Any], tuple[Any, Any, Any]]

MOST_ROWS = 10_000_000
WHOLE = 1e-6  # of a step: a duration that misses a whole number of steps by less has that number
ROUNDING = 1e-12  # of the duration: a time that is later by less is still the end


@short_repr
@final
@dataclass(frozen=True, eq=False)
class Path:
    """A motion that begins at time zero and lasts a while.

    Before it begins and after it ends the machine stands where it begins and ends.

    Attributes:
        duration: How long [s].
        motion: Times within the path [s] of shape (k,) to positions, velocities and accelerations,
            each (k, n).
        symbols: The same of one time over a CasADi symbol; None where it cannot be written so.
    """

    duration: float
    motion: Callable[[Array], tuple[Array, Array, Array]]
    symbols: Symbols | None = None

    def __post_init__(self) -> None:
        """Check the types."""
        check_fields(self)
        time("duration of a path", self.duration)

    @classmethod
    def of(cls, pieces: Polynomials) -> Path:
        """The path of polynomials, one after the other."""
        return cls(pieces.duration, pieces.motion, pieces.symbols)

    def __call__(self, times: ArrayLike) -> tuple[Array, Array, Array]:
        """Positions, velocities and accelerations at times [s] of any shape, each (..., n)."""
        at = finite_numbers("times", times)
        flat = np.asarray(at, dtype=np.float64).ravel()
        q, v, a = self.motion(np.clip(flat, 0.0, self.duration))
        moves = (flat >= 0) & (flat <= self.duration * (1 + ROUNDING))
        if not moves.all():
            v, a = v * moves[:, None], a * moves[:, None]
        shaped = [part.reshape(*at.shape, part.shape[-1]) for part in (q, v, a)]
        return shaped[0], shaped[1], shaped[2]

    @cached_property
    def trajectory(self) -> Trajectory:
        """The motion over symbols, as reference of a control law: ``px.follow(path.trajectory)``.

        Raises:
            InvalidInput: When the path is known as numbers only, or is too long for a law.
        """
        symbols = self.symbols
        if symbols is None:
            raise InvalidInput(
                "this path is a function of numbers only, which a compiled law cannot evaluate; "
                "give Path(duration, motion, symbols=...), or a path through its rows: "
                "px.paths.through(rows)."
            )
        return Trajectory(_held(symbols, self.duration))

    def faster(self, speed: float) -> Path:
        """The same path, gone through ``speed`` times as fast (slower below 1)."""
        c, own = positive("speed", speed), self.symbols

        def motion(times: Array) -> tuple[Array, Array, Array]:
            q, v, a = self.motion(np.clip(c * times, 0.0, self.duration))
            return q, c * v, c * c * a

        def symbols(t: Any) -> tuple[Any, Any, Any]:
            assert own is not None
            q, v, a = own(ca.fmin(c * t, self.duration))
            return q, c * v, c * c * a

        return Path(self.duration / c, motion, None if own is None else symbols)

    def timed(self, timing: Path) -> Path:
        """The same curve with another timing.

        Args:
            timing: A path of one number: when which moment of this path is passed [s].

        Raises:
            InvalidInput: When the timing has several numbers, or leaves this path.
        """
        ends = timing(np.array([0.0, timing.duration]))[0]
        near = ROUNDING * self.duration
        if ends.shape[1] != 1 or ends.min() < -near or ends.max() > self.duration + near:
            raise InvalidInput(
                f"a timing from {ends[0].tolist()} to {ends[1].tolist()}; expected one number "
                f"between 0 and {self.duration:g} s, the duration of the path."
            )
        own, when = self.symbols, timing.symbols

        def motion(times: Array) -> tuple[Array, Array, Array]:
            s, ds, dds = timing.motion(times)
            q, v, a = self.motion(np.clip(s[:, 0], 0.0, self.duration))
            return q, v * ds, a * ds**2 + v * dds

        def symbols(t: Any) -> tuple[Any, Any, Any]:
            assert own is not None and when is not None
            s, ds, dds = when(t)
            q, v, a = own(ca.fmax(ca.fmin(s, self.duration), 0.0))
            return q, v * ds, a * ds**2 + v * dds

        known = own is not None and when is not None
        return Path(timing.duration, motion, symbols if known else None)

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


def _held(symbols: Symbols, duration: float) -> Symbols:
    """A motion that stands before its begin and after its end."""

    def function(t: Any) -> tuple[Any, Any, Any]:
        q, v, a = symbols(ca.fmax(ca.fmin(t, duration), 0.0))
        moves = ca.logic_and(t >= 0, t <= duration * (1 + ROUNDING))
        return q, v * moves, a * moves

    return function
