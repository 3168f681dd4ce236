"""Time-optimal timing of a path within limits of torque and velocity, by reachability analysis.

The path stays what it is; how fast it is gone through changes along it. The timing is computed by
``toppra`` at points of a grid. Between them nobody promises anything, so the rows that come out are
evaluated with our own torques, and the result says by how much they exceed the limits.

Reference:
    Pham and Pham, A new approach to time-optimal path parameterization based on reachability
    analysis (IEEE T-RO 34, 2018).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from phalanx.arguments import checked
from phalanx.brief import short_repr
from phalanx.dynamics import Dynamics
from phalanx.errors import InvalidInput
from phalanx.mechanism import Mechanism
from phalanx.paths.machine import dynamics_of
from phalanx.paths.path import Path
from phalanx.paths.polynomials import DEGREE, Polynomials
from phalanx.paths.rows import Rows
from phalanx.trajectory.limits import Limits
from phalanx.trajectory.reachability import squared_speeds
from phalanx.trajectory.scaling import Infeasible, uniform_scaling

Array = NDArray[np.float64]

GRID = 1000  # intervals of the path


@short_repr
@final
@dataclass(frozen=True, eq=False)
class OptimalTiming:
    """A path with its fastest timing.

    Attributes:
        path: The path, newly timed.
        rows: Its rows at the step asked for.
        excess: How far these rows go beyond a limit at most, as a share of it; 0 where they keep
            all. Between points of the grid the limits are not promised.
        joint: Whose limit that is; empty where all are kept.
        quantity: ``"torque"`` or ``"velocity"``; empty where all are kept.
        grid: Times at which the points of the grid are passed [s], and the times in the path as
            given that they had, shape (k, 2).
    """

    path: Path
    rows: Rows
    excess: float
    joint: str
    quantity: str
    grid: Array

    def when(self, times: Array) -> Array:
        """When the moments of the path as given are passed now [s]."""
        return np.asarray(np.interp(times, self.grid[:, 1], self.grid[:, 0]))


@checked
def time_optimal(
    machine: Mechanism | Dynamics,
    path: Path,
    step: float,
    limits: Limits | None = None,
    *,
    intervals: int = GRID,
) -> OptimalTiming:
    """The fastest timing of a path from rest to rest.

    Args:
        machine: A mechanism, or its dynamics.
        path: The path.
        step: Time between the rows that are checked [s].
        limits: Of torques and velocities; the machine's own when not given.
        intervals: How fine the grid is.

    Raises:
        MissingExtra: When ``toppra`` is not installed.
        Infeasible: When gravity alone is more than a joint can hold, or no timing was found.
        InvalidInput: When nothing is limited, or the change of torques is: fastest torques jump.
    """
    dynamics = dynamics_of(machine)
    limits = limits or Limits.of(dynamics.mechanism)
    _check_limits(limits, dynamics.mechanism.name)
    if not 10 <= intervals <= 100_000:
        raise InvalidInput(f"intervals={intervals}; expected 10 to 100,000 intervals of the path.")
    _check_gravity(dynamics, path, limits, intervals)
    # the numbers of the solver are near 1 when the path is gone through as fast as one speed can
    pace = uniform_scaling(dynamics, path.sample(path.duration / intervals), limits).fastest
    if not np.isfinite(pace):
        raise InvalidInput(f"'{dynamics.mechanism.name}' does not move on this path.")
    quick = path.faster(pace)
    s = _grid(quick.duration, intervals)
    timed, times = _retimed(quick, s, squared_speeds(dynamics, quick, s, limits))
    rows = timed.sample(step)
    torque = np.asarray(dynamics.inverse_dynamics(*rows.parts))
    speed = np.column_stack([-limits.velocity, limits.velocity])
    excess, joint, quantity = max(
        (*_excess(torque, limits.torque), "torque"),
        (*_excess(rows.parts[1], speed), "velocity"),
    )
    grid = np.column_stack([times, pace * s])
    if not excess > 0:
        return OptimalTiming(timed, rows, 0.0, "", "", grid)
    return OptimalTiming(timed, rows, excess, limits.joints[joint], quantity, grid)


def _check_limits(limits: Limits, name: str) -> None:
    if np.isfinite(limits.torque_rate).any():
        raise InvalidInput(
            "the fastest torques jump from limit to limit, so none keeps a limit of torque rates. "
            "Leave these limits out, or scale uniformly."
        )
    if not (np.isfinite(limits.torque).any() or np.isfinite(limits.velocity).any()):
        raise InvalidInput(f"'{name}' has no limits of torque or velocity; give some.")


def _grid(duration: float, intervals: int) -> Array:
    """Points of the path, closer together at its ends, where it gathers speed."""
    share = np.linspace(0.0, 1.0, intervals + 1)
    grid = duration * (share + (share - 0.5 * (1 - np.cos(np.pi * share))) * -0.8)
    grid[0], grid[-1] = 0.0, duration
    return grid


def _check_gravity(dynamics: Dynamics, path: Path, limits: Limits, intervals: int) -> None:
    rows = path.sample(path.duration / intervals)
    gravity = np.asarray(dynamics.gravity(rows.parts[0]))
    beyond = np.maximum(gravity - limits.torque[:, 1], limits.torque[:, 0] - gravity)
    row, joint = np.unravel_index(np.argmax(beyond), beyond.shape)
    if beyond[row, joint] > 0:
        lower, upper = limits.torque[joint]
        raise Infeasible(
            f"gravity alone needs {gravity[row, joint]:.4g} of joint '{limits.joints[joint]}' at "
            f"{rows.times[row]:.4g} s of the path, which is allowed {lower:.4g} to {upper:.4g}."
        )


def _retimed(path: Path, s: Array, x: Array) -> tuple[Path, Array]:
    """The path with squared speeds that change linearly between points, and when it passes them."""
    speed = np.sqrt(np.maximum(x, 0.0))
    both = speed[:-1] + speed[1:]
    if not (both > 0).all():
        raise Infeasible("toppra found a timing that stands still on the way.")
    times = np.concatenate([[0.0], np.cumsum(2 * np.diff(s) / both)])
    # over a piece's own time, the share grows by the mean of both speeds and gains their difference
    c = np.zeros((len(both), DEGREE + 1, 1))
    h = np.diff(times)
    c[:, 0, 0], c[:, 1, 0], c[:, 2, 0] = s[:-1], h * speed[:-1], h * np.diff(speed) / 2
    return path.timed(Path.of(Polynomials(times, c))), times


def _excess(values: Array, limits: Array) -> tuple[float, int]:
    """The largest excess beyond lower and upper limits (n, 2), as a share of them; and whose."""
    lower, upper = limits[:, 0], limits[:, 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        over = np.maximum((values - upper) / np.abs(upper), (lower - values) / np.abs(lower))
    over = np.where(np.isfinite(over), over, -np.inf).max(axis=0)
    joint = int(np.argmax(over))
    return float(over[joint]), joint
