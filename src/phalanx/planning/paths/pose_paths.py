"""Paths of a frame in space: straight lines and arcs, turning by the shortest rotation.

A pose path is a curve over a share s from 0 to 1, and a timing of that share. Its position is
p(s) = p0 + d s + u (cos θs - 1) + w sin θs, a line where u = w = 0 and an arc where d = 0; its
rotation turns about one axis of the world, R(s) = exp(φ s) R0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, final

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from phalanx.base.arguments import checked, finite_numbers, numbers
from phalanx.base.errors import InvalidInput, InvalidModel
from phalanx.base.short_repr import short_repr
from phalanx.kernel import Kernel, compile
from phalanx.mechanism import Pose
from phalanx.planning.paths.ends import duration_of
from phalanx.planning.paths.path import Path
from phalanx.planning.paths.point_to_point import quintic
from phalanx.planning.paths.trapezoids import trapezoid

Array = NDArray[np.float64]

HALF_TURN = 1e-6  # [rad] of π: both ways round are as short
LEAST = 1e-9  # [m] between points of an arc, as a share of its size


@short_repr
@final
@dataclass(frozen=True, eq=False)
class PosePath:
    """A motion of a frame in the world, which begins at time zero.

    Attributes:
        start: Where it begins.
        way: d [m], shape (3,).
        arc: u and w [m], shape (2, 3).
        angle: θ [rad].
        turn: φ, in axes of the world [rad], shape (3,).
        timing: The share from 0 to 1, a path of one number.
    """

    start: Pose
    way: Array
    arc: Array
    angle: float
    turn: Array
    timing: Path

    @property
    def duration(self) -> float:
        """How long [s]."""
        return self.timing.duration

    @property
    def length(self) -> float:
        """How far the frame's origin goes [m]."""
        return float(np.linalg.norm(self.way) + abs(self.angle) * np.linalg.norm(self.arc[0]))

    def __call__(self, times: ArrayLike) -> tuple[Array, Array, Array]:
        """Poses (..., 4, 4), velocities (..., 6) and accelerations (..., 6) at times [s].

        Velocities and accelerations are (linear, angular) in world axes, at the frame's origin, as
        of ``Dynamics.frame_velocity``.
        """
        s, ds, dds = (part[..., 0] for part in self.timing(times))
        return self.at(s, ds, dds)

    def at(self, s: Any, ds: Any = 1.0, dds: Any = 0.0) -> tuple[Array, Array, Array]:
        """The same at shares ``s``; velocities per share where no rates are given."""
        R, p = self.start.rotation, self.start.translation
        shape = (p, R, self.way, self.arc[0], self.arc[1], self.angle, self.turn)
        X, V, A = _kernel()(s, ds, dds, *shape)
        return X, V, A


@checked
def line(
    start: Pose | ArrayLike,
    end: Pose | ArrayLike,
    duration: float | None = None,
    *,
    velocity_limit: ArrayLike | None = None,
    acceleration_limit: ArrayLike | None = None,
) -> PosePath:
    """A frame that goes straight, and turns by the shortest rotation, from rest to rest.

    Args:
        start: Pose at the begin, a :class:`Pose` or 4×4 matrix in the world.
        end: Pose at the end.
        duration: How long [s], with the timing of a quintic; when not given, a trapezoid within the
            limits.
        velocity_limit: One number [m/s], or two [m/s, rad/s].
        acceleration_limit: One number [m/s²], or two [m/s², rad/s²].

    Raises:
        InvalidInput: When a pose is none, both are the same, the frame turns by half a turn (both
            ways round are as short: go by a pose between), or neither duration nor limits are
            given.
    """
    first, last = _pose("start", start), _pose("end", end)
    way, turn = last.translation - first.translation, _shortest_turn(first, last)
    sizes = np.array([np.linalg.norm(way), np.linalg.norm(turn)])
    timing = _timing(sizes, np.inf, duration, velocity_limit, acceleration_limit)
    return PosePath(first, way, np.zeros((2, 3)), 0.0, turn, timing)


@checked
def arc(
    start: Pose | ArrayLike,
    via: ArrayLike,
    end: Pose | ArrayLike,
    duration: float | None = None,
    *,
    velocity_limit: ArrayLike | None = None,
    acceleration_limit: ArrayLike | None = None,
) -> PosePath:
    """A frame whose origin goes along a circle, turning by the shortest rotation, rest to rest.

    Args:
        start: Pose at the begin, a :class:`Pose` or 4×4 matrix in the world.
        via: A point between on the circle [m], shape (3,).
        end: Pose at the end.
        duration: As of :func:`line`, like the limits; that of acceleration holds for the sum of
            what goes along the arc and what points to its centre.
        velocity_limit: One number [m/s], or two [m/s, rad/s].
        acceleration_limit: One number [m/s²], or two [m/s², rad/s²].

    Raises:
        InvalidInput: As of :func:`line`, and when the three points lie on a line.
    """
    first, last = _pose("start", start), _pose("end", end)
    between = np.asarray(finite_numbers("via", via, (3,)))
    centre, normal = _circle(first.translation, between, last.translation)
    u = first.translation - centre
    w = np.cross(normal, u)
    angle = _angle(last.translation - centre, u, w)
    turn = _shortest_turn(first, last)
    radius = float(np.linalg.norm(u))
    sizes = np.array([radius * angle, np.linalg.norm(turn)])
    timing = _timing(sizes, radius, duration, velocity_limit, acceleration_limit)
    return PosePath(first, np.zeros(3), np.array([u, w]), angle, turn, timing)


def _pose(what: str, given: Any) -> Pose:
    if isinstance(given, Pose):
        return given
    X = finite_numbers(what, given, (4, 4))
    try:
        if not np.array_equal(X[3], [0, 0, 0, 1]):
            raise InvalidModel(f"its last row is {X[3].tolist()}, expected [0, 0, 0, 1].")
        return Pose(X[:3, :3], X[:3, 3])
    except InvalidModel as error:
        raise InvalidInput(f"{what} is no pose: {error}") from error


def _shortest_turn(first: Pose, last: Pose) -> Array:
    """The rotation from one pose to another as a vector in the world [rad]."""
    from scipy.spatial.transform import Rotation

    turn = Rotation.from_matrix(last.rotation @ first.rotation.T).as_rotvec()
    if np.linalg.norm(turn) > np.pi - HALF_TURN:
        raise InvalidInput(
            "the frame turns by half a turn, and both ways round are as short; go by a pose "
            "between."
        )
    return np.asarray(turn)


def _circle(a: Array, b: Array, c: Array) -> tuple[Array, Array]:
    """Centre and unit normal of the circle on which a, b and c follow each other."""
    ab, ac = b - a, c - a
    normal = np.cross(ab, ac)
    square, size = float(normal @ normal), max(float(ab @ ab), float(ac @ ac))
    if not square > (LEAST * size) ** 2:
        raise InvalidInput(
            f"start, via {b.tolist()} and end lie on a line or on each other, so that no circle "
            "goes through them; use line."
        )
    centre = a + (np.cross(normal, ab) * (ac @ ac) + np.cross(ac, normal) * (ab @ ab)) / 2 / square
    return centre, normal / np.sqrt(square)


def _angle(at: Array, u: Array, w: Array) -> float:
    """How far round from u a point of the circle is, the way of w [rad]."""
    return float(np.arctan2(at @ w, at @ u) % (2 * np.pi))


def _timing(sizes: Array, radius: float, duration: Any, velocity: Any, acceleration: Any) -> Path:
    """The share from 0 to 1 within a duration or limits, of lengths [m, rad] on a circle."""
    if not sizes.any():
        raise InvalidInput("start and end are the same pose; a path of a frame moves it.")
    v, a = _limits("velocity_limit", velocity), _limits("acceleration_limit", acceleration)
    if duration is not None and np.isinf(v).all() and np.isinf(a).all():
        return quintic([0.0], [1.0], duration_of(duration))
    if np.isfinite(radius):
        # half of the square for speeding up, half for going round
        a[0] /= np.sqrt(2)
        v[0] = min(v[0], np.sqrt(a[0] * radius))
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = [np.min(np.where(sizes > 0, limit / sizes, np.inf)) for limit in (v, a)]
    if not np.isfinite(shares[1]):
        raise InvalidInput(
            "nothing says how long this takes: give a duration [s], or velocity_limit and "
            "acceleration_limit of what moves, one number for the way [m] or two for way and turn "
            "[m, rad]."
        )
    return trapezoid(
        [0.0], [1.0], velocity_limit=shares[0], acceleration_limit=shares[1], duration=duration
    )


def _limits(what: str, given: Any) -> Array:
    if given is None:
        return np.full(2, np.inf)
    limits = numbers(what, given)
    if limits.shape not in ((), (1,), (2,)) or not (limits > 0).all():
        raise InvalidInput(
            f"{what}={np.asarray(given).tolist()}; expected a positive number per metre, or two: "
            "of the way [m] and of the turn [rad]."
        )
    both = np.append(np.atleast_1d(limits), np.inf)[:2]
    return both.astype(np.float64)


@cache
def _kernel() -> Kernel:
    """Pose, velocity and acceleration of any pose path at any share."""
    s, ds, dds, angle = (ca.SX.sym(name) for name in ("s", "ds", "dds", "angle"))
    p0, d, u, w, turn = (ca.SX.sym(name, 3) for name in ("p", "d", "u", "w", "turn"))
    R0 = ca.SX.sym("R", 3, 3)
    p = p0 + d * s + u * (ca.cos(angle * s) - 1) + w * ca.sin(angle * s)
    dp, ddp = ca.jacobian(p, s), ca.jacobian(ca.jacobian(p, s), s)
    K = ca.skew(turn)
    square = ca.sumsqr(turn)
    size = ca.sqrt(square)
    x = size * s
    # sin(x)/|φ| and (1 - cos x)/|φ|², by their limits where nothing turns
    turns = size > 1e-9
    safe = ca.if_else(turns, size, 1.0)
    b = ca.if_else(turns, ca.sin(x) / safe, s)
    c = ca.if_else(turns, 2 * (ca.sin(x / 2) / safe) ** 2, s * s / 2)
    R = (ca.SX.eye(3) + b * K + c * ca.mtimes(K, K)) @ R0
    X = ca.vertcat(ca.horzcat(R, p), ca.SX([[0, 0, 0, 1]]))
    V = ca.vertcat(dp * ds, turn * ds)
    A = ca.vertcat(ddp * ds**2 + dp * dds, turn * dds)
    function = ca.Function(
        "pose_path",
        [s, ds, dds, p0, R0, d, u, w, angle, turn],
        [X, V, A],
        ["s", "ds", "dds", "p", "R", "d", "u", "w", "angle", "turn"],
        ["X", "V", "A"],
    )
    shapes: dict[str, tuple[int, ...]] = {name: () for name in ("s", "ds", "dds", "angle")}
    shapes |= {"R": (3, 3), "X": (4, 4)}
    return compile(function, shapes=shapes, threads=1)
