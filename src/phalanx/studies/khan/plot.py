"""Plot of the comparison."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from phalanx.studies.khan.bench import bench
from phalanx.studies.khan.comparison import Measured

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#d9731f", "#8a1c1c", "#4c6f94", "#8aa9c4", "#1f3a56", "#6b8e4e", "#222222")
SMALLEST = 1e-13  # what rounding leaves; logarithmic axes end there


def plot_comparison(measured: Sequence[Measured]) -> Figure:
    """Torques of the motion, corrections, departures without feedback, and evaluations."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 8), layout="constrained")
    axes = figure.subplots(2, 2)
    _torques(axes[0, 0])
    _corrections(axes[0, 1], measured)
    _departures(axes[1, 0], measured)
    _evaluations(axes[1, 1], measured)
    for each in axes.ravel():
        each.grid(color="0.9", linewidth=0.8)
        each.set_axisbelow(True)
        for side in ("top", "right"):
            each.spines[side].set_visible(False)
    figure.suptitle("Planar 3-RRR, three seconds of Khan's motion", x=0.01, ha="left", fontsize=11)
    return figure


def _torques(axes: Axes) -> None:
    motion = bench()
    for k in range(motion.tau.shape[1]):
        axes.plot(motion.t, motion.tau[:, k], color=COLOURS[2 * k], label=f"drive {k + 1}")
    axes.set_xlabel("time [s]")
    axes.set_ylabel("torque [N·m]")
    axes.set_title("What the motion needs", fontsize=10, loc="left")
    axes.legend(fontsize=8, frameon=False)


def _corrections(axes: Axes, measured: Sequence[Measured]) -> None:
    for m, colour in zip(measured, COLOURS, strict=False):
        worst = np.maximum(m.correction.max(axis=1), SMALLEST)
        axes.semilogy(m.followed.t, worst, color=colour, label=m.contestant.name, linewidth=1)
    axes.set_xlabel("time [s]")
    axes.set_ylabel("correction [% of peak torque]")
    axes.set_title("What feedback adds, steps of 1 ms", fontsize=10, loc="left")
    axes.legend(fontsize=8, frameon=False, ncols=2)


def _departures(axes: Axes, measured: Sequence[Measured]) -> None:
    motion = bench()
    for m, colour in zip(measured, COLOURS, strict=False):
        error = np.abs(motion.position_error(m.fine.t, m.fine.q)).max(axis=1)
        axes.semilogy(m.fine.t, np.maximum(error, SMALLEST), color=colour, linewidth=1)
    axes.set_xlabel("time [s]")
    axes.set_ylabel("largest departure of a drive [rad]")
    axes.set_title("Torques replayed, tolerance 1e-6: the machine falls", fontsize=10, loc="left")


def _evaluations(axes: Axes, measured: Sequence[Measured]) -> None:
    rows = list(reversed(list(zip(measured, COLOURS, strict=False))))
    for y, (m, colour) in enumerate(rows):
        for shift, history, alpha in ((0.2, m.coarse, 0.5), (-0.2, m.fine, 1.0)):
            axes.barh(y + shift, history.evaluations, 0.36, color=colour, alpha=alpha)
            more = " or more" if history.stopped else ""
            axes.annotate(
                f" {history.evaluations:,}{more}",
                (history.evaluations, y + shift),
                va="center",
                fontsize=7,
                color="0.3",
            )
    axes.set_yticks(range(len(rows)), [m.contestant.name for m, _ in rows])
    axes.set_xscale("log")
    axes.set_xlim(right=6 * max(m.fine.evaluations for m in measured))
    axes.set_xlabel("evaluations for three seconds, tolerance 1e-3 (light) and 1e-6")
    axes.set_title("Work of an adaptive integrator", fontsize=10, loc="left")
