"""Limit violations of a trajectory's rows, found before they are executed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from phalanx.planning.trajectory.limits import Limits

Array = NDArray[np.float64]

QUANTITIES = ("torque", "torque rate", "velocity", "position")
# as a share of the limit: a row that was computed to be at a limit is not beyond it by rounding
ROUNDING = 1e-9


@final
@dataclass(frozen=True)
class LimitViolation:
    """A run of rows in which a joint is beyond one of its limits.

    Attributes:
        quantity: ``"torque"``, ``"torque rate"``, ``"velocity"`` or ``"position"``.
        joint: Name of the joint.
        row: The worst row. A torque rate is that of the step which ends there.
        first, last: The run.
        time: When the worst row is executed [s].
        value: There, in units of the quantity.
        limit: The limit that it passes.
    """

    quantity: str
    joint: str
    row: int
    first: int
    last: int
    time: float
    value: float
    limit: float

    @property
    def excess(self) -> float:
        """By how much, in units of the quantity."""
        return abs(self.value - self.limit)

    def __str__(self) -> str:
        """One line: what, where, by how much."""
        rows = f"row {self.row}"
        if self.first < self.last:
            rows += f", worst of {self.first} to {self.last}"
        side = "above" if self.value > self.limit else "below"
        return (
            f"{self.joint}: {self.quantity} {self.value:.4g} is {self.excess:.3g} {side} "
            f"{self.limit:.4g} at {self.time:.4g} s ({rows})"
        )


def beyond(
    limits: Limits, q: Array, v: Array, torque: Array, step: float, before: Array | None = None
) -> dict[str, tuple[Array, Array]]:
    """Of every quantity the values, and how far each is beyond its limit: 0 where it is not.

    Args:
        limits: Of the joints.
        q: Positions, shape (..., m, n).
        v: Velocities, shape (..., m, n).
        torque: Joint forces, shape (..., m, n).
        step: Time between rows [s].
        before: Joint forces of the row that was executed before the first, if there was one.
    """
    first = (
        torque[..., :1, :] if before is None else np.broadcast_to(before, torque[..., :1, :].shape)
    )
    rate = np.diff(torque, axis=-2, prepend=first) / step
    return {
        "torque": (torque, _outside(torque, limits.torque[:, 0], limits.torque[:, 1])),
        "torque rate": (rate, _outside(rate, -limits.torque_rate, limits.torque_rate)),
        "velocity": (v, _outside(v, -limits.velocity, limits.velocity)),
        "position": (q, _outside(q, limits.position[:, 0], limits.position[:, 1])),
    }


def violations(
    limits: Limits, found: dict[str, tuple[Array, Array]], times: Array
) -> tuple[LimitViolation, ...]:
    """The runs of rows beyond limits, those that are executed first in front.

    Args:
        limits: Of the joints.
        found: As :func:`beyond` finds it, of m rows.
        times: When each row is executed [s], shape (m,).
    """
    both = {
        "torque": limits.torque,
        "torque rate": np.column_stack([-limits.torque_rate, limits.torque_rate]),
        "velocity": np.column_stack([-limits.velocity, limits.velocity]),
        "position": limits.position,
    }
    runs = [
        _violation(
            quantity, limits.joints[j], both[quantity][j], values[:, j], by[:, j], run, times
        )
        for quantity, (values, by) in found.items()
        for j in np.flatnonzero(by.any(axis=0))
        for run in _runs(by[:, j] > 0)
    ]
    return tuple(sorted(runs, key=lambda one: (one.first, QUANTITIES.index(one.quantity))))


def _violation(
    quantity: str,
    joint: str,
    limit: Array,
    values: Array,
    by: Array,
    run: tuple[int, int],
    times: Array,
) -> LimitViolation:
    first, last = run
    row = first + int(np.argmax(by[first : last + 1]))
    passed = limit[1] if values[row] > limit[1] else limit[0]
    place = (row, first, last, float(times[row]))
    return LimitViolation(quantity, joint, *place, float(values[row]), float(passed))


def _outside(values: Array, lower: Array, upper: Array) -> Array:
    """How far values are outside of a range, 0 within it or within rounding of its ends."""
    outside = np.zeros_like(values)
    for j in np.flatnonzero(np.isfinite(lower) | np.isfinite(upper)):
        low, high, column = float(lower[j]), float(upper[j]), values[..., j]
        slack = [ROUNDING * abs(limit) if np.isfinite(limit) else 0.0 for limit in (low, high)]
        if column.max() > high + slack[1] or column.min() < low - slack[0]:
            above, below = column - high, low - column
            outside[..., j] = np.where(above > slack[1], above, 0.0)
            outside[..., j] += np.where(below > slack[0], below, 0.0)
    return outside


def _runs(beyond: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """First and last number of every run of true values."""
    edges = np.flatnonzero(np.diff(beyond.astype(np.int8), prepend=0, append=0))
    for first, after in zip(edges[::2], edges[1::2], strict=True):
        yield int(first), int(after) - 1
