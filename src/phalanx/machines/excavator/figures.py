"""Figures of a recorded excavator: posture, angles, spools, pressures, tip path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx.machines.excavator.control import JOINTS
from phalanx.machines.excavator.soil_figures import ground, knows_ground, load
from phalanx.machines.excavator.summary_figures import NAMES, ExcavatorSummary
from phalanx.simulation.record.lines import LINES, WANTED, stacked, thinned
from phalanx.simulation.record.recording import Recording
from phalanx.simulation.record.signal import Array
from phalanx.view.plots.draw import draw

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MEGAPASCAL = 1e6


def excavator_figures(recording: Recording) -> dict[str, Figure]:
    """All figures whose signals are there, by caption.

    Raises:
        InvalidInput: When the recording is not of an excavator.
    """
    trends = ExcavatorSummary(recording)
    figures = {
        "The machine on its way.": machine(trends),
        "Angles of the joints [deg], wanted ones dashed, and how far they are off.": angles(trends),
        "Way of the stick's end [m], the wanted one dashed.": tip_path(trends),
        "Drive voltages and spools; within the shaded deadband a spool stays shut.": spools(trends),
    }
    if "pressure" in recording or "pressure_in" in recording:
        figures["Pressures on both sides of the cylinders over time."] = pressures(trends)
    if "soil_load" in recording:
        figures["Soil in the bucket over time."] = load(trends)
        if knows_ground(recording):
            figures["Ground at the end [m], seen from above and cut along the trench."] = ground(
                trends
            )
    return figures


def machine(trends: ExcavatorSummary) -> Figure:
    """The machine at the begin and at the end; with soil, also as it digs and as it dumps."""
    from matplotlib.figure import Figure

    q, time = trends.recording["q"], trends.recording.time
    samples = _moments(trends)
    figure = Figure(figsize=(4.6 * len(samples), 4.2))
    for column, k in enumerate(samples, 1):
        axes = figure.add_subplot(1, len(samples), column, projection="3d")
        draw(trends.mechanism, q[k], axes)
        axes.set_title(f"{time[k]:.4g} s", fontsize=10, y=0.97)
    figure.subplots_adjust(left=0.0, right=0.97, bottom=0.02, top=1.0, wspace=0.05)
    return figure


def _moments(trends: ExcavatorSummary) -> list[int]:
    """Samples worth a picture: the first, those with half the largest load, the last."""
    last = len(trends.recording) - 1
    if "soil_load" not in trends.recording:
        return [0, last]
    soil = trends.recording["soil_load"][:, 0]
    half = np.flatnonzero(soil > soil.max() / 2)
    return [0, int(half[0]), int(half[-1]), last] if len(half) else [0, last]


def angles(trends: ExcavatorSummary) -> Figure:
    """Angles of the four joints, actual and wanted, and their differences [deg]."""
    time = trends.recording.time
    figure, (upper, lower) = stacked(2, height=5.6)
    for k, name in enumerate(NAMES):
        upper.plot(*thinned(time, np.degrees(trends.angles[:, k])), color=LINES[k], label=name)
        upper.plot(*thinned(time, np.degrees(trends.desired[:, k])), **WANTED)
        lower.plot(*thinned(time, np.degrees(trends.error[:, k])), color=LINES[k])
    upper.set_ylabel("angle [deg]")
    lower.set_ylabel("wanted less actual [deg]")
    return _finished(figure, upper, lower)


def spools(trends: ExcavatorSummary) -> Figure:
    """Drive voltages [V] and openings of the spools, with deadband and limits where known."""
    recording = trends.recording
    figure, (upper, lower) = stacked(2, height=5.0)
    for k, name in enumerate(NAMES):
        upper.plot(*thinned(recording.time, recording["voltage"][:, k]), color=LINES[k], label=name)
        lower.plot(*thinned(recording.time, recording["spool"][:, k]), color=LINES[k])
    unit = recording.signal("spool").unit
    upper.set_ylabel("voltage [V]")
    lower.set_ylabel(f"spool [{unit}]" if unit else "spool [share of wide open]")
    facts: Any = recording.settings.get("excavator")
    spool = facts.get("spool") if isinstance(facts, dict) else None
    if isinstance(spool, dict):
        slope, deadband, limit = (float(spool[key]) for key in ("slope", "deadband", "limit"))
        if deadband:
            upper.axhspan(-deadband / slope, deadband / slope, color="0.88", zorder=0)
        if np.abs(recording["spool"]).max() > limit / 2:
            for side in (-limit, limit):
                lower.axhline(side, **WANTED)
    return _finished(figure, upper, lower)


def pressures(trends: ExcavatorSummary) -> Figure:
    """Pressures, a row an actuator; those of cylinders with the pump's."""
    recording = trends.recording
    lines: list[tuple[str, list[tuple[str, Array]]]]
    if "pressure" in recording:
        signal, unit = recording.signal("pressure"), "MPa"
        groups: dict[str, list[tuple[str, Array]]] = {}
        for label in signal.labels:
            name, _, port = label.partition(".")
            groups.setdefault(name, []).append((port or name, signal.column(label) / MEGAPASCAL))
        pump = groups.pop("pump", [])
        lines = [(name, [*ports, *pump]) for name, ports in groups.items()]
    else:
        into, out = (recording.signal(f"pressure_{side}") for side in ("in", "out"))
        unit = into.unit
        lines = [
            (name, [("in", into.column(joint)), ("out", out.column(joint))])
            for name, joint in zip(NAMES, JOINTS, strict=True)
        ]
    figure, rows = stacked(len(lines), height=0.8 + 1.6 * len(lines))
    for axes, (name, ports) in zip(rows, lines, strict=True):
        for k, (port, values) in enumerate(ports):
            colour = "0.65" if port == "pump" else LINES[k]
            axes.plot(*thinned(recording.time, values), color=colour, linewidth=1.2, label=port)
        axes.set_ylabel(f"{name} [{unit}]")
        axes.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
    rows[-1].set_xlabel("time [s]")
    return figure


def tip_path(trends: ExcavatorSummary) -> Figure:
    """The stick's end from the side and from above [m], and its height over time."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.0, 3.8), layout="constrained")
    side, above, over_time = figure.subplots(1, 3)
    for tip, turned, look in (
        (trends.wanted_tip, trends.desired[:, 0], WANTED),
        (trends.tip, trends.angles[:, 0], {"color": LINES[1], "linewidth": 1.5}),
    ):
        radius, height = tip.T
        side.plot(radius, height, **look)
        above.plot(radius * np.cos(turned), radius * np.sin(turned), **look)
        over_time.plot(*thinned(trends.recording.time, height), **look)
    side.plot(*trends.tip[0], "o", color=LINES[0], label="begin")
    side.plot(*trends.tip[-1], "s", color=LINES[0], label="end")
    side.legend(frameon=False, fontsize=8)
    for axes, x, y in (
        (side, "radius [m]", "height [m]"),
        (above, "x [m]", "y [m]"),
        (over_time, "time [s]", "height [m]"),
    ):
        axes.set_xlabel(x)
        axes.set_ylabel(y)
        axes.grid(color="0.9", linewidth=0.8)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
    above.set_aspect("equal", adjustable="datalim")
    return figure


def _finished(figure: Figure, upper: Axes, lower: Axes) -> Figure:
    """With a legend beside the upper axes and time below."""
    upper.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
    lower.set_xlabel("time [s]")
    return figure
