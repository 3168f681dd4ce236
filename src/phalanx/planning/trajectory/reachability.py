"""The solver behind time-optimal timing: reachability analysis along a path, by ``toppra``."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.errors import MissingExtra
from phalanx.dynamics import Dynamics
from phalanx.planning.paths.path import Path
from phalanx.planning.trajectory.between_points import BEFORE_END, within
from phalanx.planning.trajectory.limits import Limits
from phalanx.planning.trajectory.scaling import Infeasible

Array = NDArray[np.float64]
Tighter: TypeAlias = tuple[Array, Array]

FASTEST = 20.0  # times the highest speed that is possible all along: at ends nothing limits it
BELOW = 0.999  # of the highest squared speed at an end, which rounding would put out of reach
STANDING = 1e-9  # of the highest speed along the path
WITHIN = (0.0, 0.25, 0.5, 0.75, 1.0 - BEFORE_END)  # points of each interval that keep all limits
KEPT = 0.5  # of what gravity leaves of a limit: it is never made tighter than that


def has_optimal() -> bool:
    """Whether ``toppra`` is installed; loads it, which takes a moment the first time."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import toppra  # noqa: F401
    except ImportError:
        return False
    return True


def squared_speeds(
    dynamics: Dynamics, path: Path, s: Array, limits: Limits, tighter: Tighter | None = None
) -> Array:
    """The squared speed along the path at every point of the grid, as a multiple of that given.

    Limits are kept at the ends of every interval and at points between them; see
    :mod:`between_points`.

    Args:
        dynamics: Of the machine.
        path: The path.
        s: Points of the grid, shape (k + 1,).
        limits: Of torques and velocities.
        tighter: By how much less than its upper limit, and more than its lower one, each joint is
            allowed in each interval, each (k, n).
    """
    if not has_optimal():
        raise MissingExtra("a time-optimal trajectory", "trajectory")
    import toppra
    from toppra.constraint.linear_constraint import LinearConstraint

    _, ds, _ = path(s)
    squares = np.column_stack([np.zeros(len(s)), np.minimum(_most(ds, limits), FASTEST) ** 2])
    rows = [_rows(dynamics, path, s, limits, theta, tighter) for theta in WITHIN]
    a, b, c = (np.hstack(parts) for parts in zip(*rows, strict=True))

    class Within(LinearConstraint):
        """a u + b x + c <= 0 in the interval that begins at each point."""

        def compute_constraint_params(self, path: Any, gridpoints: Array) -> Any:
            count = a.shape[1]
            return a, b, c, np.eye(count), np.zeros(count), None, squares

    constraint = Within()
    constraint.identical = True
    shape = _Shape(path, ds.shape[1])
    speeds = np.abs(ds).max(axis=1)
    standing = speeds <= STANDING * speeds.max()
    with _silent():
        solver = toppra.algorithm.TOPPRA([constraint], shape, s, solver_wrapper="seidel")
        speed = _speeds(solver, bool(standing[0]), bool(standing[-1]))
    if speed is None:
        raise Infeasible(
            f"toppra found no timing of this path: {solver.problem_data.return_code.value}. "
            "Try other limits, or scale uniformly."
        )
    return speed**2


def _most(ds: Array, limits: Limits) -> Array:
    """The highest speed along the path that limits of velocity allow, shape (k,)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.where(ds != 0, limits.velocity / np.abs(ds), np.inf)
    return np.asarray(each.min(axis=1))


def _rows(
    dynamics: Dynamics,
    path: Path,
    s: Array,
    limits: Limits,
    theta: float,
    tighter: Tighter | None,
) -> tuple[Array, Array, Array]:
    """Limits at a share of every interval as a u + b x + c <= 0, each (k + 1, rows)."""
    # no interval begins at the last point, which counts as one without width
    width = np.append(np.diff(s), 0.0)[:, None]
    q, ds, dds = path(within(s, theta * width[:, 0], np.append(s[1:], s[-1])))
    still = np.zeros_like(q)
    c = np.asarray(dynamics.inverse_dynamics(q, still, still))
    a = np.asarray(dynamics.inverse_dynamics(q, still, ds)) - c
    b = np.asarray(dynamics.inverse_dynamics(q, ds, dds)) - c
    a = a + 2 * theta * width * b
    low, high = limits.torque.T
    less, more = [np.vstack([part, part[-1:]]) for part in tighter] if tighter else (still, still)
    # a joint holds its gravity, however tight
    less, more = np.minimum(less, KEPT * (high - c)), np.minimum(more, KEPT * (c - low))
    up, down = np.isfinite(high), np.isfinite(low)
    with np.errstate(invalid="ignore"):
        parts = [
            (a[:, up], b[:, up], (c - high + less)[:, up]),
            (-a[:, down], -b[:, down], (low - c + more)[:, down]),
        ]
    speed = np.minimum(_most(ds, limits), FASTEST)[:, None]
    parts.append((2 * theta * width, np.ones_like(speed), -(speed**2)))
    one, two, three = (np.hstack(columns) for columns in zip(*parts, strict=True))
    return one, two, three


def _speeds(solver: Any, first_stands: bool, last_stands: bool) -> Array | None:
    """Speeds along the path from rest to rest; None where there are none.

    Where the path as given stands still, any speed along it is rest, and a high one is best. Where
    it does not even accelerate, no speed is too high; then a usual one is taken.
    """
    most = solver.compute_feasible_sets()[:, 1]
    for cap in (np.inf, float(np.median(most)), 0.0):
        last = BELOW * min(most[-1], cap) if last_stands else 0.0
        ahead = solver.compute_controllable_sets(np.sqrt(last), np.sqrt(last))
        first = BELOW * min(ahead[0, 1], cap) if first_stands else 0.0
        _, speed, _ = solver.compute_parameterization(np.sqrt(first), np.sqrt(last))
        if speed is not None and np.isfinite(speed).all():
            return np.asarray(speed)
    return None


@final
class _Shape:
    """A path as toppra looks at it."""

    def __init__(self, path: Path, dof: int) -> None:
        self._path, self.dof = path, dof
        self.path_interval = np.array([0.0, path.duration])
        self.duration = path.duration

    def __call__(self, s: Any, order: int = 0) -> Array:
        return self._path.motion(np.atleast_1d(np.asarray(s, dtype=np.float64)))[order]


@contextmanager
def _silent() -> Iterator[None]:
    """Keep a library's remarks to itself: what matters is in the result, or raised."""
    log = logging.getLogger("toppra")
    before = log.disabled
    log.disabled = True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        log.disabled = before
