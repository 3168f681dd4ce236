"""Peak torques of each joint beside their limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from phalanx.base.arguments import checked
from phalanx.planning.trajectory.table import TrajectoryTable


@final
@dataclass(frozen=True)
class Peak:
    """The row in which a joint is nearest to a limit of its torque, or furthest beyond.

    Attributes:
        joint: Name of the joint.
        torque: Its joint force there [N·m or N].
        limit: The limit on that side; infinite where there is none.
        time: When it is executed [s].
        velocity: The largest speed of the joint, at any time [rad/s or m/s].
        velocity_limit: The limit of that.
    """

    joint: str
    torque: float
    limit: float
    time: float
    velocity: float
    velocity_limit: float

    @property
    def share(self) -> float:
        """The torque as a share of its limit: above 1 where it is beyond."""
        return abs(self.torque / self.limit) if np.isfinite(self.limit) and self.limit else 0.0


@checked
def joint_peaks(table: TrajectoryTable) -> tuple[Peak, ...]:
    """The peak of every joint."""
    torque, times, limits = table.torque, table.times, table.limits
    found = []
    for j, joint in enumerate(limits.joints):
        lower, upper = limits.torque[j]
        # by what is left to the limit; where there is none, by size
        bound = np.isfinite(lower) or np.isfinite(upper)
        left = np.minimum(upper - torque[:, j], torque[:, j] - lower)
        row = int(np.argmin(left) if bound else np.argmax(np.abs(torque[:, j])))
        value = float(torque[row, j])
        limit = upper if upper - value <= value - lower else lower
        if not bound:
            limit = np.inf
        speed = float(np.abs(table.v[:, j]).max())
        found.append(
            Peak(joint, value, float(limit), float(times[row]), speed, float(limits.velocity[j]))
        )
    return tuple(found)
