"""Plots of long chains: digits and evaluation time of each method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

from phalanx.bench.chains.accuracy import Accuracy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROUNDING = 2.0**-53
# methods and other libraries keep their look from picture to picture
LOOKS: Mapping[str, dict[str, Any]] = {
    "serial": {"color": "#d9731f", "marker": "o"},
    "automatic": {"color": "black", "linestyle": ":", "marker": "none", "zorder": 5},
    "segments": {"color": "#a84f0c", "marker": "s"},
    "scan": {"color": "#2a7f62", "marker": "^"},
    "block-tridiagonal": {"color": "#7b5ea7", "marker": "v"},
    "cyclic-reduction": {"color": "#b05b8f", "marker": "D"},
    "constraint-iteration": {"color": "0.45", "marker": "x"},
    "unrolled": {"color": "#f1c089", "marker": "P"},
}
JOINT_TITLES = {
    "revolute": "hinges, alternating",
    "universal": "universal joints",
    "spherical": "ball joints",
}
POSTURE_TITLES = {"random": "random posture", "hanging": "hanging straight"}


def plot_accuracy(found: Sequence[Accuracy]) -> Figure:
    """Errors against the number of bodies: a column a joint, a row a posture, a line a method."""
    from matplotlib.figure import Figure

    joints = list(dict.fromkeys(row.joint for row in found))
    postures = list(dict.fromkeys(row.posture for row in found))
    figure = Figure(
        figsize=(3.3 * len(joints) + 0.6, 2.7 * len(postures) + 0.9), layout="constrained"
    )
    panels = figure.subplots(len(postures), len(joints), sharex=True, sharey=True, squeeze=False)
    for panel_row, posture in zip(panels, postures, strict=True):
        for axes, joint in zip(panel_row, joints, strict=True):
            here = [row for row in found if (row.joint, row.posture) == (joint, posture)]
            for method in dict.fromkeys(row.method for row in here):
                points = [(r.bodies, r.error) for r in here if r.method == method and r.error]
                axes.loglog(*zip(*points, strict=True), label=method, **_look(method))
            axes.axhline(ROUNDING, color="0.6", linewidth=0.8, linestyle=":")
            _tidy(axes)
            axes.set_title(f"{JOINT_TITLES[joint]}, {POSTURE_TITLES[posture]}", fontsize=9)
    for axes in panels[-1]:
        axes.set_xlabel("bodies")
    for panel_row in panels:
        panel_row[0].set_ylabel("error of the accelerations,\nrelative to the largest")
    handles = {
        label: handle
        for axes in panels.flat
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    figure.legend(
        handles.values(),
        handles.keys(),
        loc="outside lower center",
        ncols=min(4, len(handles)),
        frameon=False,
        fontsize=9,
    )
    return figure


@final
@dataclass(frozen=True)
class Curve:
    """Times of one way over the number of bodies.

    Attributes:
        label: What is timed.
        bodies: How many.
        seconds: Of one evaluation.
        look: Keywords of a line.
    """

    label: str
    bodies: tuple[int, ...]
    seconds: tuple[float, ...]
    look: Mapping[str, Any]


def plot_lengths(curves: Sequence[Curve], title: str) -> Figure:
    """Time of one forward dynamics against the number of bodies."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.5, 5.2), layout="constrained")
    axes = figure.add_subplot()
    for curve in curves:
        look = {"linewidth": 1.6, "markersize": 4.5} | dict(curve.look)
        axes.loglog(curve.bodies, curve.seconds, label=curve.label, **look)
    axes.set_xlabel("bodies of the chain")
    axes.set_ylabel("time of one forward dynamics [s]")
    axes.set_title(title, fontsize=9, loc="left")
    _tidy(axes)
    figure.legend(loc="outside right center", frameon=False, fontsize=8)
    return figure


def _look(method: str) -> dict[str, Any]:
    return {"linewidth": 1.3, "markersize": 4} | LOOKS.get(method, {"color": "0.2"})


def _tidy(axes: Any) -> None:
    axes.grid(color="0.92", linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
