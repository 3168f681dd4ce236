"""Smooth paths through waypoints."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phalanx.arguments import check_fields, finite_numbers
from phalanx.brief import short_repr
from phalanx.errors import InvalidInput
from phalanx.trajectory.path import Path

Array = NDArray[np.float64]

KINDS = ("cubic", "quintic")
NEAREST = 1e-9  # [s] between waypoints


@short_repr
@final
@dataclass(frozen=True, eq=False)
class Waypoints:
    """Where all joints are at some times, and the curve between.

    Attributes:
        times: When each is passed [s], growing, shape (k,).
        positions: Where [rad or m], shape (k, n).
        kind: ``"cubic"`` has no steps in velocity and acceleration; ``"quintic"`` none in the two
            derivatives beyond, so that torques have no kinks.
        ends: ``"rest"`` begins and ends with no velocity (and, if quintic, no acceleration);
            ``"free"`` lets the curve choose, for a part of a longer motion.
    """

    times: ArrayLike
    positions: ArrayLike
    kind: Literal["cubic", "quintic"] = "cubic"
    ends: Literal["rest", "free"] = "rest"

    def __post_init__(self) -> None:
        """Check the shapes, and that times grow.

        Raises:
            InvalidInput: When they do not, or there are too few.
        """
        check_fields(self, but=("times", "positions"))
        times, positions = (
            finite_numbers("times", self.times),
            finite_numbers("positions", self.positions),
        )
        least = 2 if self.ends == "rest" or self.kind == "cubic" else 6
        if times.ndim != 1 or len(times) < least:
            raise InvalidInput(
                f"times of shape {times.shape}; expected a row of {least} or more waypoints."
            )
        if positions.ndim != 2 or len(positions) != len(times) or not positions.size:
            raise InvalidInput(
                f"positions of shape {positions.shape}; expected ({len(times)}, joints), one row "
                "for each time."
            )
        late = np.flatnonzero(np.diff(times) < NEAREST)
        if late.size:
            k = int(late[0]) + 1
            raise InvalidInput(
                f"waypoint {k} at {times[k]:g} s does not follow waypoint {k - 1} at "
                f"{times[k - 1]:g} s; times must grow."
            )
        object.__setattr__(self, "times", times.copy())
        object.__setattr__(self, "positions", positions.copy())

    @property
    def points(self) -> tuple[Array, Array]:
        """Times and positions."""
        return np.asarray(self.times), np.asarray(self.positions)

    def __len__(self) -> int:
        """How many."""
        return len(self.points[0])

    def moved(self, waypoint: int, joint: int, position: float) -> Waypoints:
        """The same with one joint of one waypoint elsewhere.

        Raises:
            InvalidInput: When there is no such waypoint or joint.
        """
        _, positions = self.points
        k, n = positions.shape
        if not (0 <= waypoint < k and 0 <= joint < n):
            raise InvalidInput(
                f"there is no joint {joint} of waypoint {waypoint}; joints are 0 to {n - 1}, "
                f"waypoints 0 to {k - 1}."
            )
        changed = positions.copy()
        changed[waypoint, joint] = position
        return replace(self, positions=changed)

    def at(self, times: ArrayLike) -> Waypoints:
        """The same positions, passed at other times [s], shape (k,)."""
        return replace(self, times=times)

    def thinned(self, near: float, most: int) -> tuple[Waypoints, float]:
        """Fewer waypoints with nearly the same curve, and how far it is off [rad or m].

        Args:
            near: How far the curve may be off [rad or m], if that takes no more than ``most``.
            most: How many waypoints there may be.
        """
        times, positions = self.points
        count, off, fewer = 4, 0.0, self
        while len(self) > most or count < len(self):
            kept = np.unique(np.linspace(0, len(self) - 1, min(count, most)).round().astype(int))
            fewer = replace(self, times=times[kept], positions=positions[kept])
            off = float(np.abs(fewer.path()(times - times[0])[0] - positions).max())
            if off <= near or count >= most:
                return fewer, off
            count += 1
        return self, 0.0

    def faster(self, speed: float) -> Waypoints:
        """The same curve, gone through ``speed`` times as fast."""
        return self.at(self.points[0] / speed)

    def path(self) -> Path:
        """The curve, from the first waypoint at time zero to the last."""
        from scipy.interpolate import CubicSpline, make_interp_spline

        times, positions = self.points
        if self.kind == "cubic":
            # of two or three points that are free at their ends, SciPy makes a line or a parabola
            named = "clamped" if self.ends == "rest" else "not-a-knot"
            spline = CubicSpline(times, positions, bc_type=named)
        else:
            still = [(1, np.zeros(positions.shape[1])), (2, np.zeros(positions.shape[1]))]
            ends = (still, still) if self.ends == "rest" else None
            spline = make_interp_spline(times, positions, k=5, bc_type=ends)
        begin = times[0]

        def motion(t: Array) -> tuple[Array, Array, Array]:
            return spline(begin + t), spline(begin + t, 1), spline(begin + t, 2)

        return Path(float(times[-1] - begin), motion)
