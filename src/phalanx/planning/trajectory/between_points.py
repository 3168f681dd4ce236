"""Torques and velocities of a timing between the points of its grid.

Squared speeds x change linearly over an interval, so that with s = s_i + θ Δ

    x(θ) = x_i + 2 θ Δ u,    tau(θ) = a(s) u + b(s) x(θ) + c(s),

where u is the acceleration along the path. At a given s all of it is linear in x_i and u: limits at
any point of an interval are limits of the solver. What is left between those points is found as
maxima, sampled first and closed in on by golden sections.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from phalanx.dynamics import Dynamics
from phalanx.planning.paths.path import Path
from phalanx.planning.trajectory.limits import Limits

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

SAMPLES = 8  # of an interval, when maxima are looked for
NEAR = 0.5  # of a limit: beside a stop torques change that much within a sample
SECTIONS = 44  # golden sections: each leaves 0.618 of a bracket
BEFORE_END = 1e-9  # of an interval: its last point, which is not yet the next one's first
GOLDEN = (np.sqrt(5) - 1) / 2


def within(begin: Array, ahead: Array, end: Array) -> Array:
    """Points of intervals, before their ends however narrow they are: torques may jump there."""
    return np.minimum(begin + ahead, np.nextafter(end, begin))


class Peaks(NamedTuple):
    """Maxima of one quantity in one direction, each near the limit of its joint or beyond it.

    Attributes:
        quantity: ``"torque"`` or ``"velocity"``.
        sign: 1 for upper limits, -1 for lower ones.
        interval: Of the grid, shape (m,).
        joint: Number of the joint.
        s: Where on the path.
        value: Of sign times the quantity.
        limit: Of that.
    """

    quantity: str
    sign: float
    interval: Indices
    joint: Indices
    s: Array
    value: Array
    limit: Array

    def excess(self, shape: tuple[int, int]) -> Array:
        """How far each joint is beyond its limit in each interval, shape (k, n)."""
        beyond = np.zeros(shape)
        np.maximum.at(beyond, (self.interval, self.joint), self.value - self.limit)
        return beyond


@final
@dataclass(frozen=True, eq=False)
class GridTiming:
    """Squared speeds along a path at points of a grid, and the motion between them.

    Attributes:
        dynamics: Of the machine.
        path: The path over s.
        s: Points of the grid, shape (k + 1,).
        x: Squared speeds there, shape (k + 1,).
    """

    dynamics: Dynamics
    path: Path
    s: Array
    x: Array

    def motion(self, i: Indices, theta: Array) -> tuple[Array, Array, Array]:
        """Positions, velocities and accelerations in intervals, at shares of them, each (m, n)."""
        width, rise = np.diff(self.s)[i], np.diff(self.x)[i]
        q, ds, dds = self.path(within(self.s[i], theta * width, self.s[i + 1]))
        x = np.maximum(self.x[i] + theta * rise, 0.0)[:, None]
        return q, ds * np.sqrt(x), dds * x + ds * (rise / (2 * width))[:, None]

    def torque(self, i: Indices, theta: Array) -> Array:
        """Joint forces there, shape (m, n)."""
        return np.asarray(self.dynamics.inverse_dynamics(*self.motion(i, theta)))

    def peaks(self, limits: Limits) -> tuple[Peaks, ...]:
        """Maxima near limits: of torques above and below, of velocities either way."""
        i, theta = self._samples()
        _, v, _ = self.motion(i.ravel(), theta.ravel())
        torque = self.torque(i.ravel(), theta.ravel())
        return tuple(
            self._near(kind, values.reshape(*i.shape, -1), limit, sign)
            for kind, values, limit, sign in (
                ("torque", torque, limits.torque[:, 1], 1.0),
                ("torque", torque, -limits.torque[:, 0], -1.0),
                ("velocity", v, limits.velocity, 1.0),
                ("velocity", v, limits.velocity, -1.0),
            )
        )

    def speed(self, peaks: tuple[Peaks, ...]) -> float:
        """The highest speed, at most 1, at which all maxima keep their limits; 0 if there is none.

        What is needed beyond gravity shrinks with the square of the speed, and gravity does not.
        """
        speed = 1.0
        for one in peaks:
            over = one.value > one.limit
            value, limit, joint = one.value[over], one.limit[over], one.joint[over]
            if not len(value):
                continue
            if one.quantity == "velocity":
                speed = min(speed, float((limit / value).min()))
                continue
            gravity = one.sign * np.asarray(self.dynamics.gravity(self.path(one.s[over])[0]))
            rest = gravity[np.arange(len(value)), joint]
            squared = (limit - rest) / (value - rest)
            speed = min(speed, float(np.sqrt(np.clip(squared, 0.0, 1.0).min())))
        return speed

    def _samples(self) -> tuple[Indices, Array]:
        """Intervals and shares of them, each (k, SAMPLES + 1)."""
        theta = np.linspace(0.0, 1.0, SAMPLES + 1)
        theta[-1] -= BEFORE_END
        shape = len(self.s) - 1, len(theta)
        intervals = np.arange(shape[0])[:, None]
        return np.broadcast_to(intervals, shape).copy(), np.broadcast_to(theta, shape).copy()

    def _near(self, quantity: str, values: Array, limit: Array, sign: float) -> Peaks:
        """Maxima of sign · values that are near a limit; values (k, SAMPLES + 1, n)."""
        size = sign * values
        padded = np.pad(size, ((0, 0), (1, 1), (0, 0)), constant_values=-np.inf)
        highest = (size >= padded[:, :-2]) & (size >= padded[:, 2:])
        with np.errstate(invalid="ignore"):  # what has no limit is near none
            near = size > limit - NEAR * np.abs(limit)
        i, k, joint = np.nonzero(highest & near)

        def at(theta: Array) -> Array:
            each = self.torque(i, theta) if quantity == "torque" else self.motion(i, theta)[1]
            return np.asarray(sign * each[np.arange(len(i)), joint])

        theta, most = _maxima(at, (k - 1) / SAMPLES, (k + 1) / SAMPLES, k / SAMPLES)
        s = self.s[i] + theta * np.diff(self.s)[i]
        return Peaks(quantity, sign, i, joint, s, most, limit[joint])


def _maxima(
    function: Callable[[Array], Array], low: Array, high: Array, middle: Array
) -> tuple[Array, Array]:
    """Where a function is largest within brackets, and how large; of many brackets at once."""
    most = 1.0 - BEFORE_END
    low, high, best = np.maximum(low, 0.0), np.minimum(high, most), np.minimum(middle, most)
    value = function(best)
    for _ in range(SECTIONS):
        left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        f_left, f_right = function(left), function(right)
        for place, found in ((left, f_left), (right, f_right)):
            best, value = np.where(found > value, place, best), np.maximum(found, value)
        low, high = np.where(f_left < f_right, left, low), np.where(f_left < f_right, high, right)
    return best, value
