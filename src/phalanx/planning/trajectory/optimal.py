"""Time-optimal timing of a path within limits of torque and velocity, by reachability analysis.

The path stays what it is; how fast it is gone through changes along it. ``toppra`` computes speeds
at points of a grid. Limits hold between these points too: maxima of torques and velocities are
found there, limits become tighter in the intervals that go beyond them, and one speed for the
whole path takes care of what is left. The result says how much time that costs.

Reference:
    Pham and Pham, A new approach to time-optimal path parameterization based on reachability
    analysis (IEEE T-RO 34, 2018).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.arguments import checked
from phalanx.base.errors import InvalidInput
from phalanx.base.short_repr import short_repr
from phalanx.dynamics import Dynamics
from phalanx.mechanism import Mechanism
from phalanx.planning.paths.machine import dynamics_of
from phalanx.planning.paths.path import Path
from phalanx.planning.paths.polynomials import DEGREE, Polynomials
from phalanx.planning.paths.rows import Rows
from phalanx.planning.trajectory.between_points import GridTiming
from phalanx.planning.trajectory.limits import Limits
from phalanx.planning.trajectory.reachability import squared_speeds
from phalanx.planning.trajectory.scaling import Infeasible, uniform_scaling

Array = NDArray[np.float64]

GRID = 1000  # intervals of the path
ROUNDS = 3  # in which limits become tighter
MORE = 1.1  # times the excess: tighter limits move the motion a little
KEPT = 5e-10  # of a limit: what rounding may put beyond it
JUMP = 1e-8  # of the largest acceleration: a smaller jump is rounding
BRACKETS = 8  # of an interval, in which jumps are looked for
HALVINGS = 60  # until a bracket has no number between its ends
NARROW = 1e-6  # of the path: what is between two jumps that are nearer is too short to be solved
APART = 0.25  # of an interval: points of the grid that are nearer to a jump leave
SLOWEST = 0.5  # what one speed for the whole path may cost; more means that it is not the way


@short_repr
@final
@dataclass(frozen=True, eq=False)
class OptimalTiming:
    """A path with its fastest timing.

    Attributes:
        path: The path, newly timed.
        rows: Its rows at the step asked for.
        slowdown: How much longer it takes than a timing that keeps limits at the points that the
            solver looks at alone, as a share.
        grid: Times at which the points of the grid are passed [s], and the times in the path as
            given that they had, shape (k, 2).
    """

    path: Path
    rows: Rows
    slowdown: float
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
    s = _grid(quick, intervals)
    loose, timing = _tightened(dynamics, quick, s, limits)
    timed, times = _retimed(quick, s, timing.x)
    rows = timed.sample(step)
    _, shortest = _retimed(quick, s, loose)
    grid = np.column_stack([times, pace * s])
    slowdown = max(float(times[-1] / shortest[-1] - 1), 0.0)  # grids differ by rounding
    return OptimalTiming(timed, rows, slowdown, grid)


def _tightened(
    dynamics: Dynamics, path: Path, s: Array, limits: Limits
) -> tuple[Array, GridTiming]:
    """Squared speeds with limits at points of the grid, and a timing that keeps them all along."""
    loose = squared_speeds(dynamics, path, s, limits)
    shape = len(s) - 1, len(limits.joints)
    above, below = np.zeros(shape), np.zeros(shape)
    timing = GridTiming(dynamics, path, s, loose)
    for _ in range(ROUNDS):
        up, down, *_ = timing.peaks(limits)
        above, below = above + MORE * up.excess(shape), below + MORE * down.excess(shape)
        x = squared_speeds(dynamics, path, s, limits, (above, below))
        timing = GridTiming(dynamics, path, s, x)
    for _ in range(ROUNDS):
        peaks = timing.peaks(limits)
        if all((one.value <= one.limit + KEPT * np.abs(one.limit)).all() for one in peaks):
            return loose, timing
        speed = timing.speed(peaks) * (1 - KEPT / 4)
        if speed < SLOWEST:
            break
        timing = GridTiming(dynamics, path, s, speed**2 * timing.x)
    raise Infeasible(
        "no timing was found that keeps all limits between points of the grid: gravity leaves "
        "next to nothing of a limit. Give more intervals, or scale uniformly."
    )


def _check_limits(limits: Limits, name: str) -> None:
    if np.isfinite(limits.torque_rate).any():
        raise InvalidInput(
            "the fastest torques jump from limit to limit, so none keeps a limit of torque rates. "
            "Leave these limits out, or scale uniformly."
        )
    if not (np.isfinite(limits.torque).any() or np.isfinite(limits.velocity).any()):
        raise InvalidInput(f"'{name}' has no limits of torque or velocity; give some.")


def _grid(path: Path, intervals: int) -> Array:
    """Points of the path, closer together at its ends, where it gathers speed, and at all jumps."""
    share = np.linspace(0.0, 1.0, intervals + 1)
    grid = path.duration * (share + (share - 0.5 * (1 - np.cos(np.pi * share))) * -0.8)
    grid[0], grid[-1] = 0.0, path.duration
    jumps = _jumps(path, grid)
    if not len(jumps):
        return grid
    inner = grid[1:-1]
    near = np.abs(inner[:, None] - jumps).min(axis=1) < APART * np.diff(grid)[1:]
    return np.unique(np.concatenate([grid[:1], inner[~near], jumps, grid[-1:]]))


def _jumps(path: Path, grid: Array) -> Array:
    """Where accelerations jump: the first number behind each jump, shape (m,).

    Brackets are halved; halves are kept in which accelerations are off a straight line, by what
    shrinks with the square of the width where there is no jump.
    """
    share = np.linspace(0.0, 1.0, BRACKETS, endpoint=False)
    begins = (grid[:-1, None] + share * np.diff(grid)[:, None]).ravel()
    low, high = begins, np.append(begins[1:], grid[-1])
    scale = np.abs(path(begins)[2]).max(axis=0)
    scale[scale == 0.0] = 1.0
    for _ in range(HALVINGS):
        at = low[:, None] + np.linspace(0.0, 1.0, 5) * (high - low)[:, None]
        at[:, -1] = high
        a = path(at)[2] / scale
        bent = np.abs(a[:, :-2:2] - 2 * a[:, 1::2] + a[:, 2::2]).max(axis=2)
        kept = bent > JUMP
        if kept.sum() > len(begins):  # numbers that are no smooth function anywhere
            kept &= bent == bent.max(axis=1, keepdims=True)
        low, high = at[:, [0, 2]][kept], at[:, [2, 4]][kept]
    jumps = np.unique(high)
    return jumps[np.diff(jumps, prepend=-np.inf) > NARROW * path.duration]


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
