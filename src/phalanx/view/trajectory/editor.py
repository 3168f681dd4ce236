"""Trajectory editor: waypoints, their torques, undo.

Every change makes a new draft; drafts before and after are kept for undo and redo. Changes of one
gesture (all moves of one drag) are one step back.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np

from phalanx.base.errors import InvalidInput
from phalanx.dynamics import Dynamics
from phalanx.mechanism import Mechanism
from phalanx.planning.paths.machine import dynamics_of
from phalanx.planning.paths.path import Path
from phalanx.planning.paths.splines import Waypoints
from phalanx.planning.trajectory.limits import Limits
from phalanx.planning.trajectory.optimal import OptimalTiming, time_optimal
from phalanx.planning.trajectory.scaling import fitted
from phalanx.planning.trajectory.table import TrajectoryTable

KEPT = 200  # drafts to go back to
NEAREST = 0.02  # [s] between waypoints
MOST_ROWS = 50_000  # that are computed at every move of the mouse
LONGEST = 3600.0  # [s]


@final
@dataclass(frozen=True, eq=False)
class Draft:
    """A trajectory as it stands.

    Attributes:
        waypoints: What it passes.
        timing: When, if that is not what the waypoints say.
    """

    waypoints: Waypoints
    timing: OptimalTiming | None = None

    @property
    def path(self) -> Path:
        """The curve."""
        return self.waypoints.path() if self.timing is None else self.timing.path

    @property
    def passed(self) -> Waypoints:
        """The waypoints at the times at which they are passed."""
        if self.timing is None:
            return self.waypoints
        times = self.waypoints.points[0]
        return self.waypoints.at(self.timing.when(times - times[0]))


@final
class Editor:
    """A trajectory that is being edited."""

    def __init__(
        self,
        machine: Mechanism | Dynamics,
        waypoints: Waypoints,
        step: float,
        limits: Limits | None = None,
    ) -> None:
        """Compute the torques of the trajectory as it comes.

        Args:
            machine: A mechanism, or its dynamics.
            waypoints: To begin with.
            step: Time between rows [s].
            limits: Of the joints; the machine's own when not given.

        Raises:
            InvalidInput: When waypoints are not of this machine, or rows would be too many.
        """
        self.dynamics = dynamics_of(machine)
        self.limits = limits or Limits.of(self.dynamics.mechanism)
        n, given = self.dynamics.mechanism.nv, waypoints.points[1].shape[1]
        if given != n:
            raise InvalidInput(
                f"waypoints of {given} joints; '{self.dynamics.mechanism.name}' has {n}."
            )
        self.step = step
        times, positions = waypoints.points
        self._first = Draft(replace(waypoints, times=times - times[0], positions=positions))
        self.draft = self._first
        self._before: list[Draft] = []
        self._after: list[Draft] = []
        self._gesture: int | None = None
        self.table = self._filled(self.draft)

    @property
    def mechanism(self) -> Mechanism:
        """The machine."""
        return self.dynamics.mechanism

    @property
    def can_undo(self) -> bool:
        """Whether there is a draft before this one."""
        return bool(self._before)

    @property
    def can_redo(self) -> bool:
        """Whether there is a draft after this one."""
        return bool(self._after)

    # -- changes ---------------------------------------------------------------------------------

    def move(
        self, waypoint: int, joint: int, position: float, time: float | None, gesture: int
    ) -> str:
        """Move a waypoint; what is worth saying about it, if anything.

        Args:
            waypoint: Its number.
            joint: Of which joint.
            position: Where to [rad or m].
            time: When to pass it [s], or None to leave that; kept between its neighbours.
            gesture: Moves with one number are undone together.

        Raises:
            InvalidInput: When there is no such waypoint or joint.
        """
        passed, timed = self.draft.passed, self.draft.timing is not None
        moved = passed.moved(waypoint, joint, position)
        times = moved.points[0].copy()
        if time is not None and waypoint > 0:
            last = waypoint + 1 == len(times)
            latest = LONGEST if last else times[waypoint + 1] - NEAREST
            times[waypoint] = min(max(time, times[waypoint - 1] + NEAREST), latest)
        self._become(Draft(moved.at(times)), gesture)
        return (
            "Points keep their times; between them the timing is a spline again." if timed else ""
        )

    def insert(self, time: float) -> None:
        """Add a waypoint on the curve, where it leaves the curve almost as it is."""
        passed = self.draft.passed
        times, positions = passed.points
        k = int(np.searchsorted(times, time))
        if not 0 < k < len(times) or min(time - times[k - 1], times[k] - time) < NEAREST:
            raise InvalidInput(
                f"no room for a waypoint at {time:.3g} s: it must lie between others, {NEAREST:g} "
                "s from each."
            )
        q, _, _ = self.draft.path(np.array([time]))
        new = np.insert(times, k, time), np.insert(positions, k, q[0], axis=0)
        self._become(Draft(replace(passed, times=new[0], positions=new[1])))

    def remove(self, waypoint: int) -> None:
        """Take a waypoint away, but not the first or the last."""
        passed = self.draft.passed
        times, positions = passed.points
        if not 0 < waypoint < len(times) - 1:
            raise InvalidInput("the first and the last waypoint stay: the path is between them.")
        kept = np.arange(len(times)) != waypoint
        self._become(Draft(replace(passed, times=times[kept], positions=positions[kept])))

    def scale(self) -> str:
        """Go through the path at the highest speed that keeps all limits; which that is, in words.

        Raises:
            Infeasible: When there is none.
            InvalidInput: When nothing limits the speed.
        """
        # a time-optimal path is at its limits between rows, which rows alone do not show
        faster = self.draft.timing is None
        path, speed = fitted(self.dynamics, self.draft.path, self.step, self.limits, faster=faster)
        if self.draft.timing is None:
            self._become(Draft(self.draft.waypoints.faster(speed)))
        else:
            timing = self.draft.timing
            grid = timing.grid / np.array([speed, 1.0])
            self._become(replace(self.draft, timing=replace(timing, path=path, grid=grid)))
        way = f"{speed - 1:.1%} faster" if speed >= 1 else f"{1 / speed - 1:.1%} longer"
        return f"Scaled by {speed:.4g}: {way}, {path.duration:.3f} s in all."

    def optimise(self) -> str:
        """Time the path as fast as its limits allow; how that went, in words.

        Raises:
            MissingExtra: When ``toppra`` is not installed.
            Infeasible: When there is no timing.
        """
        # of the curve as drawn: the timing of a timing would only add what is lost between points
        waypoints = self.draft.waypoints
        timing = time_optimal(self.dynamics, waypoints.path(), self.step, self.limits)
        before = self.draft.path.duration
        self._become(Draft(waypoints, timing))
        return (
            f"Time-optimal: {timing.path.duration:.3f} s instead of {before:.3f} s, all limits "
            f"kept; between grid points that costs {timing.slowdown:.2%}."
        )

    def undo(self) -> None:
        """Go back to the draft before."""
        self._go(self._before, self._after)

    def redo(self) -> None:
        """Go on to the draft after."""
        self._go(self._after, self._before)

    def reset(self) -> None:
        """Go back to the first draft, as a change that can be undone."""
        self._become(self._first)

    # -- inside ----------------------------------------------------------------------------------

    def _become(self, draft: Draft, gesture: int | None = None) -> None:
        table = self._filled(draft)  # may refuse
        if gesture is None or gesture != self._gesture:
            self._before = [*self._before[-KEPT + 1 :], self.draft]
            self._after = []
        self.draft, self.table, self._gesture = draft, table, gesture

    def _go(self, source: list[Draft], target: list[Draft]) -> None:
        if source:
            target.append(self.draft)
            self.draft = source.pop()
            self.table = self._filled(self.draft)
            self._gesture = None

    def _filled(self, draft: Draft) -> TrajectoryTable:
        path = draft.path
        if path.duration / self.step > MOST_ROWS:
            raise InvalidInput(
                f"{path.duration:g} s in steps of {self.step:g} s are more than {MOST_ROWS:,} "
                "rows, too many to follow the mouse; take a longer step."
            )
        rows = path.sample(self.step)
        options: dict[str, Any] = {
            "torque_limits": self.limits.torque,
            "rate_limits": self.limits.torque_rate,
        }
        make: Callable[..., TrajectoryTable] = TrajectoryTable.of
        return make(self.dynamics, rows, **options)
