"""Plot of the study: a panel for each part that was measured, two for figures 2 and 3 each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from phalanx.studies.sharf.comparison import Reproduction
from phalanx.studies.sharf.parallel_model import ParallelWork
from phalanx.studies.sharf.parallel_time import ParallelTimes
from phalanx.studies.sharf.scaling import Scaled, exponents
from phalanx.studies.sharf.table_2 import Simulated
from phalanx.studies.sharf.tolerance import Tied
from phalanx.studies.sharf.warm_starts import StartRow

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

OURS, PAPER, RECURSION, OTHER = "#1f3a56", "#d9731f", "#222222", "#8aa9c4"
BY_FREEDOMS = {1: OURS, 2: "#6b8e4e"}


def plot_chains(found: Reproduction) -> Figure:
    """Draw what was measured."""
    from matplotlib.figure import Figure

    panels: list[Callable[[Axes], None]] = []
    if found.table2:
        rows = found.table2
        panels.append(lambda axes: _table_2(axes, rows))
    if found.warm_starts:
        starts = found.warm_starts
        panels.append(lambda axes: _starts(axes, starts))
    if found.figure2:
        scaled = found.figure2
        panels.append(lambda axes: _operations(axes, scaled))
        panels.append(lambda axes: _iterations(axes, scaled))
    if found.figure3:
        parallel = found.figure3
        panels.append(lambda axes: _work(axes, parallel.work))
        panels.append(lambda axes: _times(axes, parallel.times))
    if found.tolerance:
        tied = found.tolerance
        panels.append(lambda axes: _tolerance(axes, tied))
    columns = min(len(panels), 3) if len(panels) != 4 else 2
    rows_of = -(-len(panels) // columns)
    figure = Figure(figsize=(4.8 * columns, 4.0 * rows_of), layout="constrained")
    grid = figure.subplots(rows_of, columns, squeeze=False).ravel()
    for panel, axes in zip(panels, grid, strict=False):
        panel(axes)
        axes.grid(color="0.9", linewidth=0.8)
        axes.set_axisbelow(True)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    for axes in grid[len(panels) :]:
        axes.set_axis_off()
    figure.suptitle(
        "Constraint forces by iteration: chains and a substitute arm", x=0.01, ha="left"
    )
    return figure


def _table_2(axes: Axes, rows: Sequence[Simulated]) -> None:
    names = list(dict.fromkeys(row.iteration.name for row in rows))
    by = {(row.iteration.name, row.manoeuvre.name): row for row in rows}
    for y, name in enumerate(names):
        for k, (manoeuvre, alpha) in enumerate((("planar", 0.5), ("spatial", 1.0))):
            row = by[name, manoeuvre]
            at = y - 0.2 + 0.4 * k
            axes.barh(at, row.iterations, 0.34, color=OURS, alpha=alpha)
            axes.plot(row.iteration.printed[k][1], at, "D", color=PAPER, markersize=5)
    axes.plot([], [], "D", color=PAPER, label="the paper's arm, as printed")
    axes.barh([0], [0], color=OURS, label="substitute arm (light: planar)")
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlim(left=1)
    axes.set_xlabel("iterations a solution, average over 10 s")
    axes.set_title("Table 2: another arm, so other numbers", fontsize=10, loc="left")
    axes.legend(fontsize=7, frameon=False, loc="center right")


def _starts(axes: Axes, rows: Sequence[StartRow]) -> None:
    spatial = [row for row in rows if row.manoeuvre.name == "spatial"]
    shades = {"zero": "0.75", "previous": OTHER, "cubic": OURS}
    for y, row in enumerate(spatial):
        for k, (start, colour) in enumerate(shades.items()):
            label = f"from {start}" if y == 0 else None
            axes.barh(y - 0.27 + 0.27 * k, getattr(row, start), 0.25, color=colour, label=label)
    axes.set_yticks(range(len(spatial)), [row.iteration.name for row in spatial])
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlim(left=1)
    axes.set_xlabel("iterations a solution, spatial manoeuvre, 50 ms apart")
    axes.set_title("Where an iteration begins", fontsize=10, loc="left")
    axes.legend(fontsize=8, frameon=False)


def _operations(axes: Axes, rows: Sequence[Scaled]) -> None:
    powers = {fit.freedoms: fit for fit in exponents(rows)}
    for freedoms, fit in powers.items():
        own = [row for row in rows if row.freedoms == freedoms]
        links = [row.links for row in own]
        colour, plural = BY_FREEDOMS[freedoms], "s" if freedoms > 1 else ""
        label = f"J-CG, {freedoms} freedom{plural} a joint: $N^{{{fit.operations:.2f}}}$"
        axes.loglog(links, [row.operations for row in own], "o-", color=colour, label=label, ms=4)
        label = f"recursion, {freedoms}: $N^{{{fit.recursion:.2f}}}$"
        axes.loglog(links, [row.recursion for row in own], "s--", color=colour, label=label, ms=3)
    _plain_numbers(axes, sorted({row.links for row in rows}))
    axes.set_xlabel("bodies N")
    axes.set_ylabel("operations a solution")
    axes.set_title("Figure 2(a), in operations", fontsize=10, loc="left")
    axes.legend(fontsize=8, frameon=False)


def _iterations(axes: Axes, rows: Sequence[Scaled]) -> None:
    for freedoms in sorted({row.freedoms for row in rows}):
        own = [row for row in rows if row.freedoms == freedoms]
        links, colour = [row.links for row in own], BY_FREEDOMS[freedoms]
        taken, most = [row.iterations for row in own], [row.dimension for row in own]
        axes.plot(
            links, taken, "o-", color=colour, ms=4, label=f"J-CG, freedoms a joint: {freedoms}"
        )
        axes.plot(links, most, "--", color=colour, label=f"dim(A), freedoms a joint: {freedoms}")
    axes.set_xticks(sorted({row.links for row in rows}))
    axes.set_xlabel("bodies N")
    axes.set_ylabel("iterations a solution")
    axes.set_title("Figure 2(b)", fontsize=10, loc="left")
    axes.legend(fontsize=8, frameon=False)


def _work(axes: Axes, rows: Sequence[ParallelWork]) -> None:
    for freedoms in sorted({row.freedoms for row in rows}):
        own, colour = [row for row in rows if row.freedoms == freedoms], BY_FREEDOMS[freedoms]
        links = [row.links for row in own]
        lines = (
            ("recursion on one", [row.recursion for row in own], "s--"),
            ("J-CG on N by (21)", [row.real for row in own], "o-"),
            ("J-CG on N by (20)", [row.ideal for row in own], ":"),
        )
        for label, values, style in lines:
            axes.loglog(
                links, values, style, color=colour, ms=4, label=f"{label}, freedoms: {freedoms}"
            )
    _plain_numbers(axes, sorted({row.links for row in rows}))
    axes.set_xlabel("bodies N, a processor for each")
    axes.set_ylabel("operations one after the other")
    axes.set_title("Figure 3, in operations", fontsize=10, loc="left")
    axes.legend(fontsize=7, frameon=False)


def _times(axes: Axes, rows: Sequence[ParallelTimes]) -> None:
    links = [row.links for row in rows]
    threads = rows[0].threads
    lines = (
        ("one thread, measured", [row.cpu for row in rows], OURS, "o-"),
        (f"{threads} threads, measured", [row.measured for row in rows], PAPER, "o-"),
        (f"{threads} threads by (21)", [row.expected for row in rows], PAPER, "--"),
        ("N processors by (21)", [row.real for row in rows], OTHER, "--"),
        ("N processors by (20)", [row.ideal for row in rows], OTHER, ":"),
        ("recursion, measured", [row.recursion for row in rows], RECURSION, "s-"),
    )
    for label, values, colour, style in lines:
        axes.loglog(links, 1e3 * np.array(values), style, color=colour, label=label, ms=4)
    _plain_numbers(axes, links)
    axes.set_xlabel("bodies N, one freedom a joint")
    axes.set_ylabel("time of a solution [ms]")
    axes.set_title("Figure 3: estimates and times", fontsize=10, loc="left")
    axes.legend(fontsize=7, frameon=False)


def _tolerance(axes: Axes, rows: Sequence[Tied]) -> None:
    direct = next(row for row in rows if row.share is None)
    swept = [(row.share, row) for row in rows if row.share is not None]
    axes.loglog([share for share, _ in swept], [r.evaluations for _, r in swept], "o-", color=OURS)
    for share, row in swept:
        if row.departure is None:
            axes.annotate(
                f"stopped\nat {row.reached:.2g} s",
                (share, row.evaluations),
                (0, -8),
                textcoords="offset points",
                fontsize=7,
                va="top",
                ha="center",
            )
    axes.margins(x=0.1)
    axes.axhline(direct.evaluations, color=RECURSION, linestyle="--", label="direct solution")
    axes.set_xlabel("tolerance of the iteration / tolerance of the integrator")
    axes.set_ylabel("evaluations for 2 s")
    axes.set_title("Errors that an integrator sees", fontsize=10, loc="left")
    axes.legend(fontsize=8, frameon=False)


def _plain_numbers(axes: Axes, ticks: Sequence[int]) -> None:
    axes.set_xticks(list(ticks), [str(tick) for tick in ticks], fontsize=8)
    axes.minorticks_off()
