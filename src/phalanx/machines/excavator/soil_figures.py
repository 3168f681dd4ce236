"""Figures of digging: bucket load over time, and the worked terrain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx.ground import SOILS, Ground, Terrain
from phalanx.ground.terrain_while_digging import DugSurface
from phalanx.machines.excavator.summary_figures import ExcavatorSummary
from phalanx.simulation.record.lines import LINES, WANTED, stacked, thinned
from phalanx.simulation.record.recording import Recording
from phalanx.simulation.record.signal import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAP_EDGE = 1.0  # [m] of untouched ground about what was dug and dumped


def knows_ground(recording: Recording) -> bool:
    """Whether a recording says which ground it dug, and that the ground remembered it."""
    facts = recording.settings.get("excavator")
    return (
        isinstance(facts, Mapping)
        and facts.get("terrain") is True
        and facts.get("ground") in SOILS
        and "soil_load" in recording
    )


def load(trends: ExcavatorSummary) -> Figure:
    """Soil in the bucket over time [kg]."""
    figure, (axes,) = stacked(1, height=2.8)
    soil = trends.recording["soil_load"][:, 0]
    time, values = thinned(trends.recording.time, soil)
    axes.fill_between(time, values, color=LINES[0], alpha=0.25, linewidth=0)
    axes.plot(time, values, color=LINES[0])
    axes.set_ylabel("load [kg]")
    axes.set_xlabel("time [s]")
    return figure


def ground(trends: ExcavatorSummary) -> Figure:
    """What became of level ground: its heights from above, and a cut along the trench [m]."""
    from matplotlib.figure import Figure

    terrain, level = worked_terrain(trends)
    moved = terrain.heights - level
    x, y = (
        start + terrain.cell * np.arange(size)
        for start, size in zip(terrain.corner, moved.shape, strict=True)
    )
    figure = Figure(figsize=(10.0, 4.2), layout="constrained")
    above, cut = figure.subplots(1, 2)
    most = max(float(np.abs(moved).max()), 1e-3)
    look = {"cmap": "BrBG_r", "vmin": -most, "vmax": most}
    picture = above.pcolormesh(x, y, moved.T, rasterized=True, **look)
    figure.colorbar(picture, ax=above, label="height above the first [m]")
    touched = np.argwhere(np.abs(moved) > 0.01 * most)
    if len(touched):
        low, high = touched.min(axis=0), touched.max(axis=0)
        above.set_xlim(min(x[low[0]], 0) - MAP_EDGE, x[high[0]] + MAP_EDGE)
        above.set_ylim(min(y[low[1]], 0) - MAP_EDGE, y[high[1]] + MAP_EDGE)
    above.plot(0, 0, "^", color="0.2", markersize=8)
    above.annotate("machine", (0, 0), (6, 6), textcoords="offset points", fontsize=8)
    row = int(np.minimum(moved, 0.0).sum(axis=0).argmin())
    above.axhline(y[row], **WANTED)
    above.set_aspect("equal")
    cut.plot(x, terrain.heights[:, row], color="#7a5230")
    cut.fill_between(x, terrain.heights[:, row], level - 2 * most, color="#7a5230", alpha=0.25)
    cut.axhline(level, **WANTED)
    cut.set_xlim(above.get_xlim())
    cut.set_ylim(level - 1.5 * most, level + most)
    for axes, name in ((above, "y [m]"), (cut, "height [m]")):
        axes.set_xlabel("x [m]")
        axes.set_ylabel(name)
    cut.set_title(f"at y = {y[row]:.2f} m", fontsize=9, loc="left")
    return figure


def worked_terrain(trends: ExcavatorSummary) -> tuple[Terrain, float]:
    """Level ground after all that was recorded has been dug and dumped, and its first height [m].

    Digs at recorded samples; with those every 20 ms or more often, as the run itself did.
    """
    recording = trends.recording
    facts: Any = recording.settings["excavator"]
    soil = Ground(SOILS[facts["ground"]])
    dug = DugSurface(soil)
    loads = recording["soil_load"][:, 0]
    site = dug.site(trends.mechanism, float(loads[0]))
    every = max(1, round(dug.period / _sampling(recording.time)))
    for q, kg in zip(recording["q"][::every], loads[::every], strict=True):
        site.update(q, float(kg))
    return site.terrain, soil.surface


def _sampling(time: Array) -> float:
    return float(time[-1] - time[0]) / max(1, len(time) - 1) or 1.0
