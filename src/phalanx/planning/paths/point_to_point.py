"""Point-to-point motion by a quintic polynomial."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from phalanx.base.arguments import checked
from phalanx.base.errors import InvalidInput
from phalanx.planning.paths.ends import (
    both_ends,
    check_limits,
    duration_of,
    limit_of_joints,
    rates_at_ends,
)
from phalanx.planning.paths.path import Path
from phalanx.planning.paths.polynomials import Polynomials, between

# of a motion by one in one second, from rest to rest
PEAK_VELOCITY = 15 / 8
PEAK_ACCELERATION = 10 / np.sqrt(3)


@checked
def quintic(
    start: ArrayLike,
    end: ArrayLike,
    duration: float | None = None,
    *,
    velocities: ArrayLike | None = None,
    accelerations: ArrayLike | None = None,
    velocity_limit: ArrayLike | None = None,
    acceleration_limit: ArrayLike | None = None,
) -> Path:
    """A polynomial of the fifth degree: position, velocity and acceleration given at both ends.

    >>> path = px.planning.quintic([0, 0], [1.0, -0.5], 2.0)
    >>> q, v, a = path(np.linspace(0, 2, 5))

    Args:
        start: Positions at the begin [rad or m], shape (n,).
        end: Positions at the end, shape (n,).
        duration: How long [s]; when not given, the shortest that keeps the limits, from rest to
            rest.
        velocities: At the begin and at the end [rad/s or m/s], shape (2, n); none by default.
        accelerations: Likewise [rad/s² or m/s²].
        velocity_limit: Either way [rad/s or m/s], one number or (n,).
        acceleration_limit: Either way [rad/s² or m/s²], one number or (n,).

    Raises:
        InvalidInput: When a limit is no limit, the duration is too short for them (the message
            says the shortest), or none is given and nothing says what it is.
    """
    first, last = both_ends(start, end)
    n = len(first)
    v = rates_at_ends("velocities", velocities, n)
    a = rates_at_ends("accelerations", accelerations, n)
    speed = limit_of_joints("velocity_limit", velocity_limit, n)
    change = limit_of_joints("acceleration_limit", acceleration_limit, n)
    at_rest = not (v.any() or a.any())
    if duration is None:
        if not at_rest:
            raise InvalidInput(
                "only a motion from rest to rest has a shortest duration here; give a duration [s]."
            )
        way = np.abs(last - first)
        shortest = np.maximum(
            PEAK_VELOCITY * way / speed, np.sqrt(PEAK_ACCELERATION * way / change)
        )
        duration = chosen_duration(float(shortest.max()))
    h = duration_of(duration)
    c = between(np.full((1, 1), h), (first, v[:1], a[:1]), (last, v[1:], a[1:]))
    pieces = Polynomials(np.array([0.0, h]), c)
    hint = "The shortest duration is {shortest} s." if at_rest else "Give it another duration."
    check_limits(pieces, speed, change, hint)
    return Path.of(pieces)


def chosen_duration(shortest: float) -> float:
    """A duration that limits say, where they say one.

    Raises:
        InvalidInput: When nothing moves, or nothing limits it.
    """
    if not shortest > 0:
        raise InvalidInput(
            "nothing says how long this takes: no joint with a limit moves. Give a duration [s], "
            "or velocity_limit and acceleration_limit."
        )
    return shortest
