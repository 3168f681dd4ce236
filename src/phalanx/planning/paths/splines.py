"""Spline paths through waypoints."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phalanx.base.arguments import check_fields, checked, finite_numbers
from phalanx.base.errors import InvalidInput
from phalanx.base.short_repr import short_repr
from phalanx.planning.paths.ends import (
    check_limits,
    limit_of_joints,
    points_of,
    rates_at_ends,
    slow_down,
)
from phalanx.planning.paths.path import Path
from phalanx.planning.paths.polynomials import Polynomials, between

Array = NDArray[np.float64]

KINDS = ("cubic", "quintic")
NEAREST = 1e-9  # [s] between waypoints


@short_repr
@final
@dataclass(frozen=True, eq=False)
class Waypoints:
    """Waypoints: positions of all joints at some times, and the spline between.

    Attributes:
        times: When each is passed [s], growing, shape (k,).
        positions: Where [rad or m], shape (k, n).
        kind: ``"cubic"`` has no steps in velocity and acceleration; ``"quintic"`` none in the two
            derivatives beyond, so that torques have no kinks.
        ends: ``"rest"`` begins and ends with no velocity (and, if quintic, no acceleration), or
            with those given; ``"natural"`` with no acceleration (if quintic, without the two
            derivatives beyond it); ``"free"`` lets the curve choose, for a part of a longer motion.
        velocities: Where ends are clamped, at the begin and at the end [rad/s or m/s], (2, n).
        accelerations: Likewise, of a quintic curve [rad/s² or m/s²], (2, n).
    """

    times: ArrayLike
    positions: ArrayLike
    kind: Literal["cubic", "quintic"] = "cubic"
    ends: Literal["rest", "natural", "free"] = "rest"
    velocities: ArrayLike | None = None
    accelerations: ArrayLike | None = None

    def __post_init__(self) -> None:
        """Check the shapes, and that times grow.

        Raises:
            InvalidInput: When they do not, or there are too few.
        """
        check_fields(self, but=("times", "positions", "velocities", "accelerations"))
        times, positions = (
            finite_numbers("times", self.times),
            finite_numbers("positions", self.positions),
        )
        least = 6 if self.ends == "free" and self.kind == "quintic" else 2
        least = 3 if self.ends == "natural" and self.kind == "quintic" else least
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
        for name in ("velocities", "accelerations"):
            rates = getattr(self, name)
            if rates is None:
                continue
            if self.ends != "rest" or (name == "accelerations" and self.kind == "cubic"):
                raise InvalidInput(
                    f"{name} at the ends of a {self.kind} curve with ends='{self.ends}'; a curve "
                    "takes them with ends='rest', and accelerations only if it is quintic."
                )
            rates = rates_at_ends(name, rates, positions.shape[1]).copy()
            object.__setattr__(self, name, rates)
        object.__setattr__(self, "times", times.copy())
        object.__setattr__(self, "positions", positions.copy())

    @property
    def points(self) -> tuple[Array, Array]:
        """Times and positions."""
        return np.asarray(self.times), np.asarray(self.positions)

    def __len__(self) -> int:
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
        return Path.of(self.pieces())

    def pieces(self) -> Polynomials:
        """Its polynomials, one between each two waypoints or fewer."""
        from scipy.interpolate import CubicSpline, make_interp_spline

        times, positions = self.points
        n = positions.shape[1]
        since = times - times[0]
        v, a = (rates_at_ends("rates", rates, n) for rates in (self.velocities, self.accelerations))
        if self.kind == "cubic":
            # of two or three points that are free at their ends, SciPy makes a line or a parabola
            named = {"natural": "natural", "free": "not-a-knot", "rest": ((1, v[0]), (1, v[1]))}
            curve = CubicSpline(since, positions, bc_type=named[self.ends])
            knots = curve.x
        else:
            none = [(3, np.zeros(n)), (4, np.zeros(n))]
            clamped = ([(1, v[0]), (2, a[0])], [(1, v[1]), (2, a[1])])
            ends = {"natural": (none, none), "free": None, "rest": clamped}[self.ends]
            curve = make_interp_spline(since, positions, k=5, bc_type=ends)
            knots = np.unique(curve.t)
        # both have two continuous derivatives, so that states at knots say all of a piece
        q, v, a = (np.asarray(curve(knots, order)) for order in range(3))
        h = np.diff(knots)[:, None]
        c = between(h, (q[:-1], v[:-1], a[:-1]), (q[1:], v[1:], a[1:]))
        if self.kind == "cubic":
            c[:, 4:] = 0.0  # but for rounding
        return Polynomials(knots, c)


@checked
def spline(
    positions: ArrayLike,
    times: ArrayLike | None = None,
    *,
    kind: Literal["cubic", "quintic"] = "cubic",
    ends: Literal["rest", "natural", "free"] = "rest",
    velocities: ArrayLike | None = None,
    accelerations: ArrayLike | None = None,
    velocity_limit: ArrayLike | None = None,
    acceleration_limit: ArrayLike | None = None,
) -> Path:
    """A smooth curve through points, at given times or as fast as limits allow.

    Without times, each point follows the one before in proportion to how long its slowest joint
    needs at its limit of velocity; then the whole curve is slowed down or quickened until a limit
    of velocity or acceleration is just reached somewhere, exactly.

    Args:
        positions: Where [rad or m], shape (k, n).
        times: When each point is passed [s], growing, shape (k,); chosen when not given.
        kind: As of :class:`Waypoints`, like the next three.
        ends: ``"rest"``, ``"natural"`` or ``"free"``.
        velocities: At both ends, shape (2, n).
        accelerations: At both ends, shape (2, n).
        velocity_limit: Either way [rad/s or m/s], one number or (n,).
        acceleration_limit: Either way [rad/s² or m/s²], one number or (n,).

    Raises:
        InvalidInput: When times do not grow, points are too few, or a limit is no limit or not
            kept in the times given (the message says the shortest duration).
    """
    points = points_of(positions)
    n = points.shape[1]
    speed = limit_of_joints("velocity_limit", velocity_limit, n)
    change = limit_of_joints("acceleration_limit", acceleration_limit, n)
    given: dict[str, Any] = {
        "kind": kind,
        "ends": ends,
        "velocities": velocities,
        "accelerations": accelerations,
    }
    if times is not None:
        pieces = Waypoints(times, points, **given).pieces()
        hint = "The shortest duration of this curve is {shortest} s."
        check_limits(pieces, speed, change, hint)
        return Path.of(pieces)
    if velocities is not None or accelerations is not None:
        raise InvalidInput("velocities or accelerations at the ends belong to times; give times.")
    if not (np.isfinite(speed).any() or np.isfinite(change).any()):
        raise InvalidInput("a curve needs times, or velocity_limit or acceleration_limit.")
    pieces = Waypoints(_chosen_times(points, speed), points, **given).pieces()
    return Path.of(pieces.slower(slow_down(pieces, speed, change)[0]))


def _chosen_times(points: Array, speed: Array) -> Array:
    """When points are passed if each joint has its highest speed all the way."""
    usual = np.where(np.isfinite(speed), speed, 1.0)
    way = (np.abs(np.diff(points, axis=0)) / usual).max(axis=1)
    same = np.flatnonzero(way == 0)
    if same.size:
        k = int(same[0])
        raise InvalidInput(
            f"points {k} and {k + 1} are the same, so that nothing says how long to stay; give "
            "times, or leave one out."
        )
    return np.concatenate([[0.0], np.cumsum(way)])
