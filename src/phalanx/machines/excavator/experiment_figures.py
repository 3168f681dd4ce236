"""Figures of the source's experiments: joint rates, and the tip's radius, height and bucket angle.

Reference:
    Wong (1991), figures 5.6 and 5.9.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from phalanx.machines.excavator.summary_figures import NAMES, ExcavatorSummary
from phalanx.simulation.record.lines import LINES, WANTED, stacked, thinned
from phalanx.simulation.record.signal import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def rates(trends: ExcavatorSummary) -> Figure:
    """Figure 5.6: rates of the four joints [deg/s], the wanted ones dashed."""
    time = trends.recording.time
    v = trends.recording.signal("v")
    figure, rows = stacked(4, height=7.0)
    wanted = np.degrees(wanted_rates(trends))
    for k, (axes, name) in enumerate(zip(rows, NAMES, strict=True)):
        axes.plot(*thinned(time, np.degrees(v.column(f"{name}_hinge"))), color=LINES[k])
        axes.plot(*thinned(time, wanted[:, k]), **WANTED)
        axes.set_ylabel(f"{name} [deg/s]")
    rows[-1].set_xlabel("time [s]")
    return figure


def resolved(trends: ExcavatorSummary) -> Figure:
    """Figure 5.9: radius, cab rotation, height, bucket against the ground; wanted ones dashed."""
    time = trends.recording.time
    figure, rows = stacked(4, height=7.0)
    labels = "radius [m]", "cab rotation [deg]", "height [m]", "bucket to ground [deg]"
    found = resolved_motion(trends.tip, trends.angles)
    wanted = resolved_motion(trends.wanted_tip, trends.desired)
    for k, (axes, label) in enumerate(zip(rows, labels, strict=True)):
        axes.plot(*thinned(time, found[:, k]), color=LINES[k])
        axes.plot(*thinned(time, wanted[:, k]), **WANTED)
        axes.set_ylabel(label)
    rows[-1].set_xlabel("time [s]")
    return figure


def wanted_rates(trends: ExcavatorSummary) -> Array:
    """Rates that control aims at [rad/s], shape (T, 4): how its wanted angles change."""
    rate: Array = np.gradient(trends.desired, trends.recording.time, axis=0)
    return rate


def resolved_motion(tip: Array, angles: Array) -> Array:
    """Radius [m], cab rotation [deg], height [m] and bucket against the ground [deg], (T, 4)."""
    bucket = np.degrees(angles[:, 1:].sum(axis=1))
    return np.stack([tip[:, 0], np.degrees(angles[:, 0]), tip[:, 1], bucket], axis=1)
