"""Paths: motions of all joints as functions of time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, final

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from phalanx.base.arguments import check_fields, finite_numbers, positive, time
from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidInput
from phalanx.base.short_repr import short_repr
from phalanx.planning.motions import Trajectory
from phalanx.planning.paths.polynomials import Polynomials
from phalanx.planning.paths.rows import Rows, row_times

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
    motion: Callable[[Array], tuple[Array, Array, Array]] = field(repr=False)
    symbols: Symbols | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
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
        """The motion over symbols, as reference of a control law: ``px.track(path.trajectory)``.

        Raises:
            InvalidInput: When the path is known as numbers only, or is too long for a law.
        """
        symbols = self.symbols
        if symbols is None:
            raise InvalidInput(
                "this path is a function of numbers only, which a compiled law cannot evaluate; "
                "give Path(duration, motion, symbols=...), or a path through its rows: "
                "px.planning.through(rows)."
            )
        return Trajectory(_ClampedPath(symbols, self.duration).symbols)

    def faster(self, speed: float) -> Path:
        """The same path, gone through ``speed`` times as fast (slower below 1)."""
        c = positive("speed", speed)
        sped = _Sped(self, c)
        return Path(self.duration / c, sped.motion, None if self.symbols is None else sped.symbols)

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
        timed = _RetimedPath(self, timing)
        known = self.symbols is not None and timing.symbols is not None
        return Path(timing.duration, timed.motion, timed.symbols if known else None)

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
        steps = np.ceil(min(self.duration / step, MOST_ROWS) - WHOLE).astype(int)
        if not 1 <= steps < MOST_ROWS or step > self.duration * (1 + WHOLE):
            raise InvalidInput(
                f"steps of {step:g} s in a path of {self.duration:g} s; expected at least one and "
                f"fewer than {MOST_ROWS:,}."
            )
        slowed = self.faster(self.duration / (steps * step))
        return Rows(*slowed.motion(row_times(steps + 1, step)), step)


# Motions below are methods of values rather than functions made in place: those have no pickle.


@dataclass(frozen=True, eq=False)
class _Sped:
    """A path, gone through at another speed."""

    path: Path
    speed: float

    def motion(self, times: Array) -> tuple[Array, Array, Array]:
        c = self.speed
        q, v, a = self.path.motion(np.clip(c * times, 0.0, self.path.duration))
        return q, c * v, c * c * a

    def symbols(self, t: Any) -> tuple[Any, Any, Any]:
        c = self.speed
        assert self.path.symbols is not None
        q, v, a = self.path.symbols(ca.fmin(c * t, self.path.duration))
        return q, c * v, c * c * a


@dataclass(frozen=True, eq=False)
class _RetimedPath:
    """A path with another timing."""

    path: Path
    timing: Path

    def motion(self, times: Array) -> tuple[Array, Array, Array]:
        s, ds, dds = self.timing.motion(times)
        q, v, a = self.path.motion(np.clip(s[:, 0], 0.0, self.path.duration))
        return q, v * ds, a * ds**2 + v * dds

    def symbols(self, t: Any) -> tuple[Any, Any, Any]:
        assert self.path.symbols is not None and self.timing.symbols is not None
        s, ds, dds = self.timing.symbols(t)
        q, v, a = self.path.symbols(ca.fmax(ca.fmin(s, self.path.duration), 0.0))
        return q, v * ds, a * ds**2 + v * dds


@dataclass(frozen=True, eq=False)
class _ClampedPath:
    """A motion that stands before its begin and after its end."""

    inner: Symbols
    duration: float

    def symbols(self, t: Any) -> tuple[Any, Any, Any]:
        q, v, a = self.inner(ca.fmax(ca.fmin(t, self.duration), 0.0))
        moves = ca.logic_and(t >= 0, t <= self.duration * (1 + ROUNDING))
        return q, v * moves, a * moves
