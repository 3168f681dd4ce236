"""Boundary conditions and limits of a path, as arrays of one size."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from phalanx.base.arguments import finite_numbers, numbers, time
from phalanx.base.errors import InvalidInput
from phalanx.planning.paths.polynomials import Polynomials

Array = NDArray[np.float64]

ABOVE = 1e-9  # of a limit: rounding, not speed
SHORTEST, LONGEST = 1e-9, 1e9  # [s]: squares of others are no numbers to compute with
LARGEST = 1e12  # of a limit that is one


def both_ends(start: Any, end: Any) -> tuple[Array, Array]:
    """Positions at both ends, each (n,)."""
    first, last = finite_numbers("start", start), finite_numbers("end", end)
    if first.ndim != 1 or first.shape != last.shape or not first.size:
        raise InvalidInput(
            f"start has shape {first.shape} and end {last.shape}; expected (n,), one a joint."
        )
    return first, last


def points_of(positions: Any) -> Array:
    """Points of a path, shape (k, n), two or more."""
    points = finite_numbers("positions", positions)
    if points.ndim != 2 or len(points) < 2 or not points.size:
        raise InvalidInput(f"positions of shape {points.shape}; expected 2 or more rows (k, n).")
    return np.asarray(points)


def rates_at_ends(what: str, rates: Any, n: int) -> Array:
    """Velocities or accelerations at both ends, shape (2, n); zero where none are given."""
    if rates is None:
        return np.zeros((2, n))
    given = finite_numbers(what, rates)
    if given.shape != (2, n):
        raise InvalidInput(
            f"{what} have shape {given.shape}; expected (2, {n}): at the begin and at the end."
        )
    return np.asarray(given)


def limit_of_joints(what: str, limit: Any, n: int) -> Array:
    """A limit of each joint either way, shape (n,); infinite where none is given.

    Raises:
        InvalidInput: When a limit is zero, negative or no number, or there are too few.
    """
    if limit is None:
        return np.full(n, np.inf)
    given = numbers(what, limit)
    if given.shape not in ((), (n,)):
        raise InvalidInput(
            f"{what} has shape {given.shape}; expected one number, or {n}, one a joint."
        )
    each = np.broadcast_to(given, (n,)).astype(np.float64)
    for joint, value in enumerate(each):
        if not (0 < value <= LARGEST or value == np.inf):
            raise InvalidInput(
                f"{what} of joint {joint} is {value:g}; expected a positive number up to "
                f"{LARGEST:g}, or infinity for none."
            )
    return each


def duration_of(value: Any) -> float:
    """A duration of a path [s]."""
    lasting = time("duration", value)
    if not SHORTEST <= lasting <= LONGEST:
        raise InvalidInput(
            f"a duration of {lasting:g} s; paths last {SHORTEST:g} to {LONGEST:g} s."
        )
    return lasting


def slow_down(pieces: Polynomials, velocity: Array, acceleration: Array) -> tuple[float, int, str]:
    """How many times as long it must last to keep limits; which joint and quantity says so."""
    speed, change = pieces.peaks()
    factors = {"velocity": speed / velocity, "acceleration": np.sqrt(change / acceleration)}
    quantity = max(factors, key=lambda name: float(factors[name].max()))
    joint = int(np.argmax(factors[quantity]))
    return float(factors[quantity][joint]), joint, quantity


def check_limits(pieces: Polynomials, velocity: Array, acceleration: Array, hint: str) -> None:
    """Refuse a motion that is beyond a limit somewhere.

    Args:
        pieces: The motion.
        velocity: Limits [rad/s or m/s], shape (n,).
        acceleration: Limits [rad/s² or m/s²], shape (n,).
        hint: What to do; may hold ``{shortest}``, the shortest duration of the same curve [s].

    Raises:
        InvalidInput: With the joint, what it would do, and its limit.
    """
    factor, joint, quantity = slow_down(pieces, velocity, acceleration)
    if factor <= 1 + ABOVE:
        return
    limits = {"velocity": velocity, "acceleration": acceleration}[quantity]
    reached = limits[joint] * (factor if quantity == "velocity" else factor**2)
    raise InvalidInput(
        f"in {pieces.duration:.6g} s joint {joint} would reach {reached:.4g} of {quantity}, its "
        f"limit is {limits[joint]:.4g}. {hint.format(shortest=f'{pieces.duration * factor:.6g}')}"
    )
