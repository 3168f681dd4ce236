"""Plots of a sweep's cases: each function returns a figure with units on its axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from phalanx.base.errors import InvalidInput
from phalanx.distribute.sweeps.columns import (
    TIME,
    Array,
    Column,
    column,
    is_varying,
    named,
    results,
    signals,
    varied,
)
from phalanx.simulation.record.lines import LINES, stacked

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from xarray import Dataset

POINTS = 5000  # more dots on a page only hide each other
CURVES = 400  # of parallel coordinates
BINS = 40  # a side of a heat map at most, where values are no grid
CASES_A_BIN = 10  # so that few fields stay empty
BANDS = ((0.0, 1.0, 0.14), (0.05, 0.95, 0.28), (0.25, 0.75, 0.5))  # of quantiles, and how dark
COLOURS = "viridis"
POWERS = (-3, 4)  # of ten, beyond which ticks are written with one
MOST_SIGNALS = 6  # that a page shows


def scatter(data: Dataset, x: str, y: str, colour: str | None = None) -> Figure:
    """A dot a case.

    Args:
        data: The sweep; of more than a few thousand cases, evenly chosen ones are drawn.
        x: Name of the column across.
        y: Name of the column upwards.
        colour: Name of the column that colours the dots; one colour when not given.

    Raises:
        UnknownName: When there is no such column.
        InvalidInput: When no case has finite numbers.
    """
    chosen = [column(data, name) for name in (x, y, *([colour] if colour else []))]
    rows = _thinned(_finite(chosen), POINTS)
    figure, (axes,) = stacked(1, height=4.4)
    across, up = chosen[0].values[rows], chosen[1].values[rows]
    look: dict[str, Any] = {
        "s": 60 / max(1.0, np.log10(len(rows))) ** 2,
        "linewidths": 0,
        "rasterized": True,
    }
    if colour and chosen[2].labels:
        for k, label in enumerate(chosen[2].labels):
            own = chosen[2].values[rows] == k
            shade = LINES[k % len(LINES)]
            axes.scatter(across[own], up[own], color=shade, alpha=0.6, label=label, **look)
        axes.legend(frameon=False, fontsize=8)
    elif colour:
        dots = axes.scatter(across, up, c=chosen[2].values[rows], cmap=COLOURS, **look)
        _bar(figure, axes, dots, chosen[2])
    else:
        axes.scatter(across, up, color=LINES[1], alpha=0.6, **look)
    _name_axes(axes, chosen[0], chosen[1])
    return figure


def heat_map(data: Dataset, x: str, y: str, z: str) -> Figure:
    """Mean of ``z`` over ``x`` and ``y``: a field a pair of values of a grid, else bins.

    Raises:
        UnknownName: When there is no such column.
        InvalidInput: When no case has finite numbers.
    """
    chosen = [column(data, name) for name in (x, y, z)]
    rows = _finite(chosen)
    across, up, height = (c.values[rows] for c in chosen)
    edges = [_edges(across), _edges(up)]
    total, *_ = np.histogram2d(across, up, bins=edges, weights=height)
    count, *_ = np.histogram2d(across, up, bins=edges)
    mean = np.divide(total, count, out=np.full_like(total, np.nan), where=count > 0)
    figure, (axes,) = stacked(1, height=4.8)
    axes.grid(visible=False)
    field = axes.pcolormesh(*edges, mean.T, cmap=COLOURS, rasterized=True)
    _bar(figure, axes, field, chosen[2])
    _name_axes(axes, chosen[0], chosen[1])
    return figure


def parallel_coordinates(data: Dataset, colour: str, names: Sequence[str] | None = None) -> Figure:
    """A line a case through an axis for every column, coloured by the last axis.

    Args:
        data: The sweep; of more than a few hundred cases, evenly chosen ones are drawn, the
            highest on top.
        colour: Name of the column that colours lines and stands as the last axis.
        names: The other columns; all that were varied when not given.

    Raises:
        UnknownName: When there is no such column.
        InvalidInput: When no case has finite numbers, or no column is left to draw.
    """
    from matplotlib import colormaps
    from matplotlib.collections import LineCollection

    wanted = [name for name in (varied(data) if names is None else names) if name != colour]
    if not wanted:
        raise InvalidInput("parallel coordinates need a column beside the one that colours them.")
    chosen = [column(data, name) for name in (*wanted, colour)]
    rows = _thinned(_finite(chosen), CURVES)
    spans = [(float(c.values[rows].min()), float(c.values[rows].max())) for c in chosen]
    heights = np.stack(
        [_unit(c.values[rows], span) for c, span in zip(chosen, spans, strict=True)], axis=1
    )
    order = np.argsort(heights[:, -1], kind="stable")
    figure, (axes,) = stacked(1, height=4.2)
    axes.grid(visible=False)
    places = np.arange(len(chosen), dtype=np.float64)
    curves = [np.column_stack([places, row]) for row in heights[order]]
    shades = colormaps[COLOURS](heights[order, -1])
    axes.add_collection(LineCollection(curves, colors=shades, linewidths=0.9, alpha=0.6))
    for place, (least, most) in zip(places, spans, strict=True):
        axes.axvline(place, color="0.3", linewidth=0.8)
        labels = chosen[int(place)].labels
        for height, value in ((-0.02, least), (1.02, most)):
            edge = "top" if height < 0 else "bottom"
            text = labels[int(value)] if labels else f"{value:.4g}"
            axes.text(place, height, text, ha="center", va=edge, fontsize=8)
    axes.set_xticks(places, [c.title.replace(" [", "\n[") for c in chosen], fontsize=8)
    axes.tick_params(length=0, pad=14)
    axes.set_yticks([])
    axes.spines[:].set_visible(False)
    axes.set_xlim(-0.35, len(chosen) - 0.65)
    axes.set_ylim(-0.03, 1.08)
    return figure


def quantiles(data: Dataset, signal: str, by: str | None = None) -> Figure:
    """How a signal spreads over time: median, and bands that hold half, 90 % and all cases.

    Args:
        data: The sweep.
        signal: Name of the signal.
        by: Name of a varied word, such as the control: cases of each have a median and a band of
            90 % of their own.

    Raises:
        UnknownName: When no such signal was kept, or no such word varied.
        InvalidInput: When no case has finite numbers.
    """
    unit, values = named(signals(data), signal, "signal")
    good = np.isfinite(values).all(axis=1)
    if not good.any():
        raise InvalidInput(f"no case has finite numbers of {signal}.")
    time = np.asarray(data.coords[TIME].values, dtype=np.float64)
    figure, (axes,) = stacked(1)
    if by is None:
        for low, high, shade in BANDS:
            band = np.quantile(values[good], (low, high), axis=0)
            label = "all" if low == 0 else f"{100 * low:g}–{100 * high:g} %"
            axes.fill_between(time, *band, color=LINES[0], alpha=shade, linewidth=0, label=label)
        axes.plot(time, np.median(values[good], axis=0), color="0.2", linewidth=1.2, label="median")
    else:
        word = column(data, by)
        for k, label in enumerate(word.labels):
            rows = values[good & (word.values == k)]
            if len(rows):
                colour = LINES[k % len(LINES)]
                low, high = np.quantile(rows, (0.05, 0.95), axis=0)
                axes.fill_between(time, low, high, color=colour, alpha=0.3, linewidth=0)
                axes.plot(time, np.median(rows, axis=0), color=colour, label=f"{label}, 5–95 %")
    axes.set_xlabel("time [s]")
    axes.set_ylabel(f"{signal} [{unit}]" if unit else signal)
    axes.set_xlim(time[0], time[-1])
    axes.legend(frameon=False, fontsize=8)
    return figure


def bars(shares: dict[str, tuple[float, float]], of: str) -> Figure:
    """Sobol indices as bars: what each varied number does alone, and with all others.

    Args:
        shares: First-order and total index by name.
        of: What was measured.
    """
    figure, (axes,) = stacked(1, height=1.2 + 0.45 * len(shares))
    places = np.arange(len(shares))[::-1]
    first, total = (np.array([pair[k] for pair in shares.values()]) for k in (0, 1))
    axes.barh(places + 0.19, first, 0.36, color=LINES[1], label="alone")
    axes.barh(places - 0.19, total, 0.36, color=LINES[0], label="with all others")
    axes.set_yticks(places, list(shares))
    axes.set_xlabel(f"share of the variance of {of}")
    axes.legend(frameon=False, fontsize=8, loc="lower right")
    return figure


def standard_figures(data: Dataset, objective: str | None = None) -> dict[str, Figure]:
    """The pictures that fit a sweep, by caption.

    Args:
        data: The sweep.
        objective: The result that matters; the first that varies when not given.
    """
    known = varied(data)
    inputs = [name for name, c in known.items() if is_varying(c.values)]
    # words tell lines and dots apart; numbers make axes
    word = next((name for name in inputs if known[name].labels), None)
    found: dict[str, Figure] = {}
    measure = objective or main_result(data)
    if measure is not None and is_varying(column(data, measure).values):
        others = [name for name in inputs if name != measure]
        numbers = [name for name in others if not known[name].labels]
        ranked = sorted(numbers, key=lambda name: -_association(data, name, measure))[:2]
        if ranked:
            found[f"{measure} over {ranked[0]}"] = scatter(
                data, ranked[0], measure, word or (ranked[1] if len(ranked) > 1 else None)
            )
        if len(ranked) == 2:
            found[f"mean {measure}"] = heat_map(data, ranked[0], ranked[1], measure)
            found["all that was varied"] = parallel_coordinates(data, measure, others[:8])
    for name, (_, values) in list(signals(data).items())[:MOST_SIGNALS]:
        if np.isfinite(values).all(axis=1).any():
            found[f"{name} over time"] = quantiles(data, name, word)
    return found


def main_result(data: Dataset) -> str | None:
    """The result to judge cases by: ``cost`` if kept, else the first that varies."""
    known = results(data)
    if "cost" in known:
        return "cost"
    return next((name for name, c in known.items() if is_varying(c.values)), None)


def _association(data: Dataset, x: str, y: str) -> float:
    """How much of ``y`` the value of ``x`` explains: means over tenths of the cases, 0 to 1."""
    a, b = column(data, x), column(data, y)
    rows = _finite([a, b])
    tenths = np.array_split(b.values[rows][np.argsort(a.values[rows], kind="stable")], 10)
    whole = b.values[rows].var()
    means = np.concatenate([np.full(len(part), part.mean()) for part in tenths if len(part)])
    return float(means.var() / whole) if whole > 0 else 0.0


def _finite(columns: Sequence[Column]) -> NDArray[np.intp]:
    """Numbers of the cases in which all columns are finite.

    Raises:
        InvalidInput: When there is none.
    """
    rows = np.flatnonzero(np.all([np.isfinite(c.values) for c in columns], axis=0))
    if not len(rows):
        names = ", ".join(c.name for c in columns)
        raise InvalidInput(f"no case has finite numbers of {names}: all failed, or none is done.")
    return rows


def _thinned(rows: NDArray[np.intp], most: int) -> NDArray[np.intp]:
    return rows if len(rows) <= most else rows[np.linspace(0, len(rows) - 1, most).astype(int)]


def _edges(values: Array) -> Array:
    """Borders between the values of a grid; even ones where there are too many values."""
    known = np.unique(values)
    if len(known) == 1:
        half = 0.5 * abs(known[0]) or 0.5
        return np.array([known[0] - half, known[0] + half])
    if len(known) > BINS:
        bins = int(np.clip(np.sqrt(len(values) / CASES_A_BIN), 4, BINS))
        return np.linspace(known[0], known[-1], bins + 1)
    inner = (known[1:] + known[:-1]) / 2
    return np.concatenate([[2 * known[0] - inner[0]], inner, [2 * known[-1] - inner[-1]]])


def _unit(values: Array, span: tuple[float, float]) -> Array:
    """From 0 to 1 over a span; in the middle where it has no length."""
    least, most = span
    return (values - least) / (most - least) if most > least else np.full_like(values, 0.5)


def _name_axes(axes: Axes, x: Column, y: Column) -> None:
    axes.ticklabel_format(scilimits=POWERS, useMathText=True)
    axes.set_xlabel(x.title)
    axes.set_ylabel(y.title)
    if x.labels:
        axes.set_xticks(range(len(x.labels)), x.labels)
    if y.labels:
        axes.set_yticks(range(len(y.labels)), y.labels)


def _bar(figure: Figure, axes: Axes, shown: Any, scale: Column) -> None:
    bar = figure.colorbar(shown, ax=axes, pad=0.02)
    bar.set_label(scale.title)
    bar.outline.set_visible(False)
    bar.ax.ticklabel_format(scilimits=POWERS, useMathText=True)
    if scale.labels:
        bar.set_ticks(range(len(scale.labels)), labels=scale.labels)
