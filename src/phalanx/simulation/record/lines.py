"""Line plots over time, with panels by unit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, final

import numpy as np

from phalanx.simulation.record.inline import picture_of
from phalanx.simulation.record.signal import Array, Channel, Signal

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from phalanx.simulation.record.recording import Recording

# more points than a page has dots only make files large
POINTS = 4000
# a run that exploded leaves numbers that no axis can hold; they are left out
LARGEST = 1e150
MOST_IN_PANEL = 10  # lines above each other that one can still follow
LINES = ("#d9731f", "#1f5a8c", "#4a9a5b", "#8b4a9c", "#c23b4e", "#2aa5a5", "#8a7a2e", "#5a5a5a")
STYLES = ("-", "--", ":", "-.")
MOST_LINES, SOME = 64, len(LINES)  # of a signal with more columns, so many are drawn
MANY = "viridis"  # the colours of more lines than those and their styles tell apart
# how a line looks that says what was wanted, or where a limit is
WANTED: Mapping[str, Any] = {"color": "0.25", "linewidth": 1.0, "linestyle": (0, (3, 3))}


def stacked(rows: int, height: float = 3.6) -> tuple[Figure, list[Axes]]:
    """A figure with rows of axes over a common one."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, height), layout="constrained")
    # notebooks draw figures by themselves only after pyplot was imported
    figure._repr_png_ = partial(picture_of, figure)  # type: ignore[attr-defined]
    made = figure.subplots(rows, 1, sharex=True, squeeze=False)[:, 0].tolist()
    for axes in made:
        axes.grid(color="0.9", linewidth=0.8)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
    return figure, made


@final
@dataclass(frozen=True)
class Panel:
    """Columns of a signal that are drawn above each other.

    Attributes:
        unit: That all of them have.
        places: Of the columns in the signal.
    """

    unit: str
    places: tuple[int, ...]


def panels_of(channel: Channel, places: Sequence[int] | None = None) -> list[Panel]:
    """Columns in panels: a unit has its own, and each has as many lines as one can follow.

    Args:
        channel: The signal.
        places: Which of its columns; all when not given.
    """
    wanted = range(channel.width) if places is None else places
    units: dict[str, list[int]] = {}
    for k in wanted:
        units.setdefault(channel.column_units[k], []).append(k)
    made: list[Panel] = []
    for unit, columns in units.items():
        count = -(-len(columns) // MOST_IN_PANEL)
        parts = np.array_split(columns, count)
        made += [Panel(unit, tuple(part.tolist())) for part in parts]
    return made


def draw_lines(
    axes: Axes,
    time: Array,
    signal: Signal,
    labels: Iterable[str] | None = None,
    *,
    dashed: bool = False,
) -> None:
    """Lines of a signal, with a legend beside them."""
    names = list(signal.labels if labels is None else labels)
    unit = signal.unit
    if signal.units and names:
        own = {signal.units[signal.labels.index(name)] for name in names if name in signal.labels}
        unit = own.pop() if len(own) == 1 else unit
    columns = [signal.column(name) for name in names] if signal.labels else [signal.values]
    for k, column in enumerate(columns):
        look = line_look(k, len(columns))
        if dashed:
            look |= {"color": "0.15", "linestyle": (0, (2, 3)), "linewidth": 1.0}
        elif signal.labels:
            look["label"] = plain_text(names[k])
        axes.plot(*thinned(time, column), **look)
    axes.set_ylabel(with_unit(signal.name, unit))
    if signal.labels and not dashed:
        add_legend(axes, len(columns))


def line_look(k: int, count: int) -> dict[str, Any]:
    """Colour, width and style of a line among so many."""
    if count > len(LINES) * len(STYLES):
        from matplotlib import colormaps

        return {"color": colormaps[MANY](k / count), "linewidth": 1.0, "linestyle": "-"}
    style = STYLES[k // len(LINES) % len(STYLES)]
    return {"color": LINES[k % len(LINES)], "linewidth": 1.3, "linestyle": style}


def some_of(count: int) -> list[int]:
    """Which of so many lines are drawn: all, or as many as can be told apart, evenly spread."""
    if count <= MOST_LINES:
        return list(range(count))
    return np.linspace(0, count - 1, SOME).round().astype(int).tolist()


def add_legend(axes: Axes, count: int, title: str | None = None) -> None:
    """A legend beside the plot, where it covers no line."""
    axes.legend(
        frameon=False,
        fontsize=8 if count <= 16 else 6,
        loc="center left",
        bbox_to_anchor=(1.0, 0.5),
        ncols=1 + count // 24,
        title=title,
        title_fontsize=8,
    )


def thinned(time: Array, values: Array) -> tuple[Array, Array]:
    """Fewer points with the same outline: the least and the greatest of each segment."""
    values = np.where(np.abs(values) < LARGEST, values, np.nan)
    width = -(-len(time) // (POINTS // 2))
    if width <= 2:
        return time, values
    whole = len(time) // width * width
    parts = values[:whole].reshape(-1, width)
    starts = np.arange(0, whole, width)
    missing = np.isnan(parts)
    least = starts + np.where(missing, np.inf, parts).argmin(axis=1)
    greatest = starts + np.where(missing, -np.inf, parts).argmax(axis=1)
    kept = np.unique(np.concatenate([[0], least, greatest, np.arange(whole - 1, len(time))]))
    return time[kept], values[kept]


def with_unit(name: str, unit: str) -> str:
    """Label of an axis with its unit."""
    return plain_text(f"{name} [{unit}]" if unit else name)


def plain_text(text: str) -> str:
    """Text that Matplotlib takes as it is: no formulas, no names hidden by an underscore."""
    text = text.replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def title_run(axes: Axes, recording: Recording, what: str) -> None:
    """Say above a plot which machine it is of, and what it shows."""
    model = recording.settings.get("model")
    axes.set_title(plain_text(f"{model}: {what}" if model else what), fontsize=10, loc="left")
