"""Trajectories: positions, velocities and accelerations as functions of time.

A trajectory is written over symbols, so that a control law that follows it is evaluated wherever an
integrator looks, also within steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import casadi as ca
import numpy as np
from casadi import DM, SX
from numpy.typing import ArrayLike, NDArray

from phalanx.base.arguments import check_fields, checked, finite_numbers
from phalanx.base.errors import InvalidInput
from phalanx.base.pickling import reduced, remembered
from phalanx.base.short_repr import short_repr

Array = NDArray[np.float64]


@short_repr
@final
@dataclass(frozen=True)
class Trajectory:
    """A motion of all joints.

    Attributes:
        function: Time [s] to (q, v, a), over numbers or CasADi symbols.
    """

    function: Callable[[Any], tuple[Any, Any, Any]]

    def __post_init__(self) -> None:
        check_fields(self)

    @checked
    def __call__(self, t: ArrayLike) -> tuple[Array, Array, Array]:
        """Positions, velocities and accelerations at times ``t``, each (..., n)."""
        times = np.asarray(t, dtype=np.float64)
        symbol = SX.sym("t")
        function = ca.Function("trajectory", [symbol], list(self.function(symbol)))
        sizes = [function.numel_out(k) for k in range(3)]
        none = [np.zeros((size, 0)) for size in sizes]
        values = function.map(times.size)(DM(times.reshape(1, -1))) if times.size else none
        q, v, a = (
            np.array(value).T.reshape(*times.shape, size)
            for value, size in zip(values, sizes, strict=True)
        )
        return q, v, a

    def __reduce__(self) -> tuple[Any, ...]:
        """How it was made, where one of ours made it."""
        return reduced(self, self.function)


@remembered
@checked
def cycloid(period: float, start: ArrayLike, end: ArrayLike) -> Trajectory:
    """From rest to rest on a cycloid; the end is held afterwards.

    q = start + (end - start) (wt - sin wt) / 2π with w = 2π / period.

    Args:
        period: Duration of the motion [s].
        start: Positions at its begin [rad or m], shape (n,).
        end: Positions at its end.

    Reference:
        Wong (1991), §4, with start = 0 and end = π.
    """
    begin, goal = finite_numbers("start", start), finite_numbers("end", end)
    if begin.ndim != 1 or begin.shape != goal.shape:
        raise InvalidInput(
            f"start has shape {begin.shape} and end {goal.shape}; expected (n,), one a joint."
        )
    q0, way = DM(begin), DM(goal - begin)
    w = 2 * np.pi / _positive(period)

    def function(t: Any) -> tuple[Any, Any, Any]:
        x = w * ca.fmin(t, period)
        return (
            q0 + way * (x - ca.sin(x)) / (2 * np.pi),
            way * w * (1 - ca.cos(x)) / (2 * np.pi),
            way * w * w * ca.sin(x) / (2 * np.pi),
        )

    return Trajectory(function)


@remembered
@checked
def wave(period: float, middle: ArrayLike, width: ArrayLike, phase: ArrayLike = 0.0) -> Trajectory:
    """Every joint swings for ever: q = middle + width sin(2πt / period + phase).

    Args:
        period: [s].
        middle: [rad or m], shape (n,).
        width: [rad or m], shape (n,) or one number.
        phase: [rad], shape (n,) or one number.
    """
    w = 2 * np.pi / _positive(period)
    parts = {"middle": middle, "width": width, "phase": phase}
    arrays = [finite_numbers(name, part) for name, part in parts.items()]
    if len({part.shape for part in arrays if part.ndim}) > 1 or max(x.ndim for x in arrays) > 1:
        shapes = ", ".join(str(part.shape) for part in arrays)
        raise InvalidInput(
            f"middle, width and phase have shapes {shapes}; expected (n,) or one number each."
        )
    about, reach, shift = (DM(part) for part in np.broadcast_arrays(*arrays))

    def function(t: Any) -> tuple[Any, Any, Any]:
        x = w * t + shift
        return (
            about + reach * ca.sin(x),
            reach * w * ca.cos(x),
            -reach * w * w * ca.sin(x),
        )

    return Trajectory(function)


def quintic(period: float, t: Any) -> tuple[Any, Any, Any]:
    """A share from 0 to 1 and its two rates: rest to rest, without a jump in acceleration."""
    x = ca.fmin(t, period) / _positive(period)
    return (
        x**3 * (10 - 15 * x + 6 * x**2),
        30 * x**2 * (1 - x) ** 2 / period,
        60 * x * (1 - x) * (1 - 2 * x) / period / period,  # the square of a long time overflows
    )


def _positive(period: float) -> float:
    if not 0 < period < np.inf:
        raise InvalidInput(f"period={period}; expected a positive time [s].")
    return period
