"""Trapezoidal velocity profiles, as fast as limits of velocity and acceleration allow."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phalanx.base.arguments import checked
from phalanx.base.errors import InvalidInput
from phalanx.planning.paths.ends import both_ends, duration_of, limit_of_joints
from phalanx.planning.paths.path import Path
from phalanx.planning.paths.point_to_point import chosen_duration
from phalanx.planning.paths.polynomials import DEGREE, Polynomials

Array = NDArray[np.float64]

TIMINGS = ("together", "straight", "each")
SAME = 1e-12  # of the duration: corners of two joints that are as near are one


@checked
def trapezoid(
    start: ArrayLike,
    end: ArrayLike,
    *,
    velocity_limit: ArrayLike,
    acceleration_limit: ArrayLike,
    duration: float | None = None,
    timing: Literal["together", "straight", "each"] = "together",
) -> Path:
    """From rest to rest: speed up, cruise, slow down; a triangle where the way is short.

    Alone, a joint needs d/v + v/a for a way d of at least v²/a, and 2 √(d/a) for a shorter one.
    The slowest joint says how long all take.

    Args:
        start: Positions at the begin [rad or m], shape (n,).
        end: Positions at the end, shape (n,).
        velocity_limit: Either way [rad/s or m/s], one number or (n,).
        acceleration_limit: Either way [rad/s² or m/s²], one number or (n,); finite.
        duration: How long [s]; the shortest when not given.
        timing: ``"together"``: all begin and end at the same times, each with its own
            acceleration and a cruise that fits. ``"straight"``: all have one profile, so that the
            way is a straight line between both postures; it may take longer. ``"each"``: every
            joint is as fast as it can and stands when it is there.

    Raises:
        InvalidInput: When a limit is zero or not finite, or the duration is too short (the message
            says the shortest).
    """
    first, last = both_ends(start, end)
    n, way = len(first), np.asarray(last - first)
    v = limit_of_joints("velocity_limit", velocity_limit, n)
    a = limit_of_joints("acceleration_limit", acceleration_limit, n)
    if not np.isfinite(a).all():
        raise InvalidInput(
            f"acceleration_limit of joint {int(np.argmin(np.isfinite(a)))} is infinite; a "
            "trapezoid needs a finite one."
        )
    if timing == "straight":
        with np.errstate(divide="ignore"):
            share = np.abs(way)
            v, a = (np.full(n, np.min(limit / share)) * share for limit in (v, a))
    alone = shortest_times(np.abs(way), v, a)
    least = float(alone.max())
    whole = chosen_duration(least) if duration is None else duration_of(duration)
    if whole < least * (1 - SAME):
        raise InvalidInput(
            f"a duration of {whole:g} s is too short for joint {int(np.argmax(alone))}; the "
            f"shortest is {least:.6g} s."
        )
    whole = max(whole, least)
    if timing == "each" and duration is None:
        lasting = np.where(alone > 0, alone, whole)
    elif timing == "each":
        raise InvalidInput("with timing='each' every joint has its own duration; leave it out.")
    else:
        lasting = np.full(n, whole)
    return Path.of(_profiles(np.asarray(first), way, a, lasting))


def shortest_times(way: Array, velocity: Array, acceleration: Array) -> Array:
    """How long each joint needs alone, from rest to rest [s], shape (n,).

    Args:
        way: How far [rad or m], not negative, shape (n,).
        velocity: Limits, shape (n,).
        acceleration: Limits, shape (n,).
    """
    still = way == 0
    a = np.where(still, 1.0, acceleration)
    v = np.minimum(np.where(still, 1.0, velocity), np.sqrt(a * way))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(still, 0.0, way / v + v / a)


def _profiles(start: Array, way: Array, limit: Array, lasting: Array) -> Polynomials:
    """Motions of all joints, cut where any of them begins or ends to accelerate.

    With the limit of acceleration a and a duration T, the cruise that covers a way d is the smaller
    root of v² - a T v + a d = 0; speeding up takes v/a.
    """
    still = way == 0
    a = np.where(still, 1.0, limit)
    root = np.sqrt(np.maximum((a * lasting) ** 2 - 4 * a * np.abs(way), 0.0))
    cruise = 2 * a * np.abs(way) / (a * lasting + root)  # without the difference of near numbers
    ramp = cruise / a
    corners = np.concatenate([[0.0, lasting.max()], ramp, lasting - ramp, lasting])
    times = np.unique(np.clip(corners, 0.0, lasting.max()))
    whole = times[-1]
    near = np.diff(times, prepend=-np.inf) > SAME * whole
    times = times[near]
    times[-1] = whole
    begin, h = times[:-1, None], np.diff(times)[:, None]
    middle = begin + h / 2
    up, down = middle < ramp, (middle > lasting - ramp) & (middle < lasting)
    sign = np.sign(way)
    change = np.where(up, a, np.where(down, -a, 0.0)) * sign
    left = np.maximum(lasting - begin, 0.0)  # until it is there
    speed = np.minimum(np.minimum(a * begin, cruise), a * left) * sign
    gone = np.where(
        begin <= ramp,
        a * begin**2 / 2,
        np.where(
            begin <= lasting - ramp,
            cruise * (begin - ramp / 2),
            np.abs(way) - a * left**2 / 2,
        ),
    )
    c = np.zeros((len(h), DEGREE + 1, len(way)))
    c[:, 0] = start + gone * sign
    c[:, 1] = h * speed
    c[:, 2] = h * h * np.where(still, 0.0, change) / 2
    return Polynomials(times, c)
