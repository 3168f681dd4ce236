"""Linear segments with parabolic blends (LSPB) past via points.

Between points every joint has one velocity. At point k it changes from that of the way before to
that of the way behind within a blend of b seconds, half of it before the point's time and half
behind, at a constant acceleration: the path passes the point at a distance of b |Δv| / 8. Before
the first point and behind the last the velocity is zero, so it begins and ends there exactly, half
a blend earlier and later.

Reference:
    Kunz and Stilman, Turning paths into trajectories using parabolic blends (Georgia Tech, 2011).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phalanx.base.arguments import checked, finite_numbers
from phalanx.base.errors import InvalidInput
from phalanx.planning.paths.ends import limit_of_joints, points_of
from phalanx.planning.paths.path import Path
from phalanx.planning.paths.polynomials import DEGREE, Polynomials
from phalanx.planning.paths.splines import NEAREST

Array = NDArray[np.float64]

ROUNDS = 1000
LIKE = 1e-12  # a part of a way that is shorter is none


@checked
def parabolic_blends(
    positions: ArrayLike,
    times: ArrayLike | None = None,
    *,
    velocity_limit: ArrayLike | None = None,
    acceleration_limit: ArrayLike,
) -> Path:
    """Straight lines in joint space that pass by points, with parabolic blends at them.

    Args:
        positions: Points [rad or m], shape (k, n); first and last are reached, others passed by.
        times: When points are passed [s], growing, shape (k,); when not given, ways are as fast as
            the limits allow, and slower where blends would overlap.
        velocity_limit: Either way [rad/s or m/s], one number or (n,).
        acceleration_limit: Of blends, either way [rad/s² or m/s²], one number or (n,).

    Raises:
        InvalidInput: When times do not grow, points are too few, a limit is no limit, or times are
            so short that blends overlap or a velocity is too high.
    """
    points = points_of(positions)
    n = points.shape[1]
    speed = limit_of_joints("velocity_limit", velocity_limit, n)
    change = limit_of_joints("acceleration_limit", acceleration_limit, n)
    ways = np.diff(points, axis=0)
    if times is None:
        h = _as_fast_as_allowed(ways, speed, change)
    else:
        h = _between(times, len(points))
        _check(ways, h, speed, change)
    blend = _blends(ways / h[:, None], change)
    return Path.of(_pieces(points, ways / h[:, None], h, blend))


def _between(times: ArrayLike, points: int) -> Array:
    at = finite_numbers("times", times, (points,))
    late = np.flatnonzero(np.diff(at) < NEAREST)
    if late.size:
        k = int(late[0]) + 1
        raise InvalidInput(
            f"point {k} at {at[k]:g} s does not follow point {k - 1} at {at[k - 1]:g} s; times "
            "must grow."
        )
    return np.asarray(np.diff(at))


def _blends(v: Array, change: Array) -> Array:
    """How long each point's blend takes [s], shape (k,), at the limit of one joint."""
    still = np.zeros((1, v.shape[1]))
    return (np.abs(np.diff(v, axis=0, prepend=still, append=still)) / change).max(axis=1)


def _overlap(v: Array, h: Array, change: Array) -> Array:
    """Half the blends at both ends of each way, as a share of how long it takes."""
    blend = _blends(v, change)
    return (blend[:-1] + blend[1:]) / 2 / h


def _check(ways: Array, h: Array, speed: Array, change: Array) -> None:
    v = ways / h[:, None]
    fast = np.abs(v) / speed
    k, joint = np.unravel_index(np.argmax(fast), fast.shape)
    if fast[k, joint] > 1 + LIKE:
        raise InvalidInput(
            f"from point {k} to point {k + 1} joint {joint} would need {abs(v[k, joint]):.4g} of "
            f"velocity, its limit is {speed[joint]:.4g}. The shortest time for it is "
            f"{h[k] * fast[k, joint]:.6g} s."
        )
    share = _overlap(v, h, change)
    worst = int(np.argmax(share))
    if share[worst] > 1 + LIKE:
        slower = float(np.sqrt(share[worst]))
        raise InvalidInput(
            f"blends overlap between points {worst} and {worst + 1}, {h[worst]:g} s apart: they "
            f"take {share[worst] * h[worst]:.4g} s there. Times {slower:.4g} times as long "
            "suffice, or a higher acceleration_limit."
        )


def _as_fast_as_allowed(ways: Array, speed: Array, change: Array) -> Array:
    """How long each way takes [s], slowed down where blends would overlap."""
    still = np.flatnonzero(~(np.abs(ways) > 0).any(axis=1))
    if still.size:
        k = int(still[0])
        raise InvalidInput(f"points {k} and {k + 1} are the same; give times, or leave one out.")
    if not np.isfinite(change).all():
        raise InvalidInput("without times, acceleration_limit must be finite.")
    # in less time than this, no joint could even speed up and slow down again
    least = np.sqrt(np.abs(ways) / change).max(axis=1)
    h = np.maximum((np.abs(ways) / speed).max(axis=1), least)
    for _ in range(ROUNDS):
        share = _overlap(ways / h[:, None], h, change)
        if share.max() <= 1:
            return h
        h = np.where(share > 1, h * np.sqrt(share) * (1 + LIKE), h)
    return h * float(np.sqrt(max(share.max(), 1.0)))  # all slower by as much always suffices


def _pieces(points: Array, v: Array, h: Array, blend: Array) -> Polynomials:
    """Parabolas at points and lines between them, in turns."""
    n = points.shape[1]
    at = blend[0] / 2 + np.concatenate([[0.0], np.cumsum(h)])
    still = np.zeros((1, n))
    before, behind = np.concatenate([still, v]), np.concatenate([v, still])
    times, pieces = [0.0], []

    def add(until: float, q: Array, first: Array, last: Array) -> None:
        length = until - times[-1]
        if length <= LIKE * at[-1]:
            return
        c = np.zeros((DEGREE + 1, n))
        c[0], c[1], c[2] = q, first * length, (last - first) * length / 2
        pieces.append(c)
        times.append(until)

    for k, point in enumerate(points):
        add(at[k] + blend[k] / 2, point - before[k] * blend[k] / 2, before[k], behind[k])
        if k < len(v):
            until = at[k + 1] - blend[k + 1] / 2
            add(until, point + v[k] * blend[k] / 2, v[k], v[k])
    return Polynomials(np.array(times), np.array(pieces))
