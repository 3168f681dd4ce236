"""Plots of joint loads, for the choice of bearings and drives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from phalanx.base.errors import InvalidInput
from phalanx.dynamics.evaluators.constraint_forces.loads import JointLoads
from phalanx.simulation.record.lines import LINES, stacked

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# joints whose names fit below an axis; beyond, they are numbered
MOST_NAMES = 16


def joint_loads(loads: JointLoads, sample: int = 0) -> Figure:
    """Size of force and moment in every joint: all of it, and what the drive gives of it.

    Args:
        loads: Of one or more samples.
        sample: Which one.

    Raises:
        InvalidInput: There is no such sample.
    """
    count = len(loads.constraint)
    if not 0 <= sample < count:
        raise InvalidInput(f"sample {sample} of joint loads; expected from 0 to {count - 1}.")
    figure, rows = stacked(2, height=4.8)
    numbers = np.arange(1, len(loads.joints) + 1)
    marker = "o" if len(numbers) <= MOST_NAMES else None
    parts = (slice(3), "force [N]"), (slice(3, 6), "moment [N·m]")
    for axes, (part, label) in zip(rows, parts, strict=True):
        whole = (loads.constraint + loads.drive)[sample, :, part]
        drive = loads.drive[sample, :, part]
        for k, (name, vectors) in enumerate((("in the joint", whole), ("of the drive", drive))):
            sizes = np.linalg.norm(vectors, axis=1)
            axes.plot(numbers, sizes, color=LINES[k], marker=marker, markersize=4, label=name)
        axes.set_ylabel(label)
        axes.set_ylim(bottom=0)
    rows[0].legend(frameon=False, fontsize=8)
    if len(numbers) <= MOST_NAMES:
        rows[1].set_xticks(numbers, loads.joints, rotation=30, ha="right", fontsize=8)
    else:
        rows[1].set_xlabel("joint, from the root")
    return figure
