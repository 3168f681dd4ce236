"""The solver behind time-optimal timing: reachability analysis along a path, by ``toppra``."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from phalanx.dynamics import Dynamics
from phalanx.errors import MissingExtra
from phalanx.paths.path import Path
from phalanx.trajectory.limits import Limits
from phalanx.trajectory.scaling import Infeasible

Array = NDArray[np.float64]

FASTEST = 20.0  # times the highest speed that is possible all along: at ends nothing limits it
BELOW = 0.999  # of the highest squared speed at an end, which rounding would put out of reach
STANDING = 1e-9  # of the highest speed along the path


def has_optimal() -> bool:
    """Whether ``toppra`` is installed; loads it, which takes a moment the first time."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import toppra  # noqa: F401
    except ImportError:
        return False
    return True


def squared_speeds(dynamics: Dynamics, path: Path, s: Array, limits: Limits) -> Array:
    """The squared speed along the path at every point of the grid, as a multiple of that given."""
    if not has_optimal():
        raise MissingExtra("a time-optimal trajectory", "trajectory")
    import toppra
    from toppra.constraint.linear_constraint import (
        LinearConstraint,
        canlinear_colloc_to_interpolate,
    )

    q, ds, dds = path(s)
    still = np.zeros_like(q)
    c = np.asarray(dynamics.inverse_dynamics(q, still, still))
    a = np.asarray(dynamics.inverse_dynamics(q, still, ds)) - c
    b = np.asarray(dynamics.inverse_dynamics(q, ds, dds)) - c
    speeds = np.abs(ds)
    with np.errstate(divide="ignore", invalid="ignore"):
        most = np.where(speeds > 0, limits.velocity / speeds, np.inf).min(axis=1)
    squares = np.column_stack([np.zeros(len(s)), np.minimum(most, FASTEST) ** 2])
    bound = np.isfinite(limits.torque).any(axis=1)
    some = np.where(np.isfinite(limits.torque), limits.torque, np.sign(limits.torque) * 1e9)[bound]

    class Torques(LinearConstraint):
        """a(s) s'' + b(s) s'² + c(s) within limits."""

        def compute_constraint_params(self, path: Any, gridpoints: Array) -> Any:
            F = np.vstack([np.eye(len(some)), -np.eye(len(some))])
            g = np.concatenate([some[:, 1], -some[:, 0]])
            parts = (a[:, bound], b[:, bound], c[:, bound], F, g)
            return canlinear_colloc_to_interpolate(*parts, None, squares, gridpoints, True)

    class Speeds(LinearConstraint):
        """Limits of velocity alone."""

        def compute_constraint_params(self, path: Any, gridpoints: Array) -> Any:
            return None, None, None, None, None, None, squares

    constraint = (Torques if bound.any() else Speeds)()
    constraint.identical = True
    shape = _Shape(path, q.shape[1])
    standing = speeds.max(axis=1) <= STANDING * speeds.max()
    with _silent():
        solver = toppra.algorithm.TOPPRA([constraint], shape, s, solver_wrapper="seidel")
        speed = _speeds(solver, bool(standing[0]), bool(standing[-1]))
    if speed is None:
        raise Infeasible(
            f"toppra found no timing of this path: {solver.problem_data.return_code.value}. "
            "Try other limits, or scale uniformly."
        )
    return speed**2


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
