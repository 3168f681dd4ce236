"""Result of a fleet's run, and its summary."""

from __future__ import annotations

from dataclasses import dataclass
from math import radians
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.short_repr import short_repr
from phalanx.dynamics import Dynamics

if TYPE_CHECKING:
    from phalanx.machines.excavator.fleet import Fleet

Array = NDArray[np.floating[Any]]

TIP = "teeth"
SPILT = 1.0  # [kg]; less of a load is not missed
BEYOND = radians(5.0)  # past a limit; control aims for the limit at most, momentum goes on


@short_repr
@final
@dataclass(frozen=True)
class Summary:
    """A fleet's run in a few numbers.

    Attributes:
        machines: How many there were.
        seconds: Time that each of them lived through [s].
        wall_time: Time it took [s].
        lost: Machines whose state left finite numbers; the others are what follows is about.
        beyond_limits: Share whose joints were seen beyond their limits.
        spilled: Share that ended with less in the bucket than it began with; None without ground.
        tip_mean: Where the teeth ended [m], shape (3,).
        tip_spread: Standard deviations of that [m], shape (3,).
    """

    machines: int
    seconds: float
    wall_time: float
    lost: int
    beyond_limits: float
    spilled: float | None
    tip_mean: Array
    tip_spread: Array

    @property
    def ratio(self) -> float:
        """Machine-seconds a second: how many times faster than real time, all machines counted."""
        return self.machines * self.seconds / self.wall_time


@short_repr
@final
@dataclass(frozen=True, eq=False)
class FleetRun:
    """Result of a fleet's run.

    Attributes:
        fleet: The machines.
        seconds: Length of the run [s].
        wall_time: Time it took, without compiling [s].
        time: Of recorded positions [s], shape (T,).
        q: Positions, shape (machines, T, nq).
        final_q: Positions at the end, shape (machines, nq).
        final_v: Velocities at the end, shape (machines, nv).
        load: In the buckets at the end [kg], shape (machines,).
        finite: Which machines kept finite numbers, shape (machines,).
    """

    fleet: Fleet
    seconds: float
    wall_time: float
    time: Array
    q: Array
    final_q: Array
    final_v: Array
    load: Array
    finite: NDArray[np.bool_]

    @property
    def tips(self) -> Array:
        """Where the teeth ended [m], shape (machines, 3); NaN for machines that were lost."""
        tips = np.full((len(self.final_q), 3), np.nan)
        dynamics = Dynamics(self.fleet.excavator.mechanism)
        kept = np.ascontiguousarray(self.final_q[self.finite])
        if len(kept):
            tips[self.finite] = dynamics.forward_kinematics(kept, frame=TIP)[:, :3, 3]
        return tips

    @property
    def beyond_limits(self) -> NDArray[np.bool_]:
        """Which machines were seen with a joint far beyond its limits, shape (machines,)."""
        m = self.fleet.excavator.mechanism
        low, high = m.per_freedom("lower") - BEYOND, m.per_freedom("upper") + BEYOND
        out = (self.q < low) | (self.q > high)
        return np.asarray(out.any(axis=(1, 2)))

    def summary(self) -> Summary:
        """The run in a few numbers."""
        good = self.finite
        kept, some = self.tips[good], bool(good.any())
        dug = self.fleet.excavator.ground is not None
        spilled = self.load < self.fleet.payloads - SPILT
        return Summary(
            machines=len(good),
            seconds=self.seconds,
            wall_time=self.wall_time,
            lost=int(np.count_nonzero(~good)),
            beyond_limits=float(self.beyond_limits[good].mean()) if some else 0.0,
            spilled=(float(spilled[good].mean()) if some else 0.0) if dug else None,
            tip_mean=kept.mean(axis=0) if some else np.full(3, np.nan),
            tip_spread=kept.std(axis=0) if some else np.full(3, np.nan),
        )
