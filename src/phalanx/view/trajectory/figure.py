"""Plot of a trajectory: positions, and torques against their limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from phalanx.planning.paths.machine import is_angle
from phalanx.planning.trajectory.table import TrajectoryTable
from phalanx.simulation.record.lines import LINES, POINTS, WANTED, stacked

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BEYOND = "#c23b4e"


def draw_trajectory(table: TrajectoryTable) -> Figure:
    """Positions of all joints, and the torque of each with its limits; red where it is beyond."""
    limits, times = table.limits, table.times
    every = max(1, len(times) // POINTS)
    n = len(limits.joints)
    figure, axes = stacked(n + 1, height=2.6 + 1.25 * n)
    angles = is_angle(table.mechanism)
    for j, name in enumerate(limits.joints):
        factor = 180 / np.pi if angles[j] else 1.0
        colour = LINES[j % len(LINES)]
        axes[0].plot(
            times[::every], factor * table.q[::every, j], color=colour, label=name, linewidth=1.3
        )
        _torque(table, j, axes[j + 1], colour, every)
        axes[j + 1].set_ylabel(f"{name}\n[{'N·m' if angles[j] else 'N'}]", fontsize=8)
    unit = "deg" if all(angles) else "m" if not any(angles) else "deg or m"
    axes[0].set_ylabel(f"position [{unit}]", fontsize=8)
    axes[0].legend(
        fontsize=8, ncols=6, loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False
    )
    axes[-1].set_xlabel("time [s]")
    figure.align_ylabels()
    return figure


def _torque(table: TrajectoryTable, j: int, axes: Axes, colour: str, every: int) -> None:
    values, times = table.torque[:, j], table.times
    axes.plot(times[::every], values[::every], color=colour, linewidth=1.3)
    lower, upper = table.limits.torque[j]
    reach = np.abs(values).max()
    for limit in (lower, upper):
        if np.isfinite(limit) and abs(limit) < 3 * reach:
            axes.axhline(limit, **WANTED)
    beyond = np.where((values > upper) | (values < lower), values, np.nan)
    if np.isfinite(beyond).any():
        axes.plot(times, beyond, color=BEYOND, linewidth=2.2)
