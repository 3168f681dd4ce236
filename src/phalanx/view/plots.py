"""Recordings as plots: each function returns a figure with units on its axes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx.errors import InvalidInput, UnknownName
from phalanx.simulation.record.difference import difference
from phalanx.simulation.record.recording import Recording
from phalanx.simulation.record.signal import Array, Signal

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# more points than a page has dots only make files large
POINTS = 4000
# a run that exploded leaves numbers that no axis can hold; they are left out
LARGEST = 1e150
LEGEND_IN_PLOT = 4
LINES = ("#d9731f", "#1f5a8c", "#4a9a5b", "#8b4a9c", "#c23b4e", "#2aa5a5", "#8a7a2e", "#5a5a5a")
STYLES = ("-", "--", ":", "-.")
# how a line looks that says what was wanted, or where a limit is
WANTED: Mapping[str, Any] = {"color": "0.25", "linewidth": 1.0, "linestyle": (0, (3, 3))}


def trajectories(
    recording: Recording, signal: str = "q", labels: Sequence[str] | None = None
) -> Figure:
    """A signal over time, a line a label.

    Args:
        recording: The run.
        signal: Name of the signal.
        labels: Which of its columns; all when not given.

    Raises:
        UnknownName: When there is no such signal or label.
    """
    shown = recording.signal(signal)
    figure, (axes,) = stacked(1)
    _draw_lines(axes, recording.time, shown, labels)
    axes.set_xlabel("time [s]")
    _title(axes, recording, shown.name)
    return figure


def torques(recording: Recording, labels: Sequence[str] | None = None) -> Figure:
    """Joint forces over time: the signal ``tau``."""
    return trajectories(recording, "tau", labels)


def phase(recording: Recording, joint: str) -> Figure:
    """Velocity of a joint over its position, with the beginning and the end marked.

    Raises:
        UnknownName: When ``q`` and ``v`` have no such label in common.
    """
    q, v = recording.signal("q"), recording.signal("v")
    both = [label for label in q.labels if label in v.labels]
    if joint not in both:
        raise UnknownName("the recording", "joint with one position and velocity", joint, both)
    x, y = q.column(joint), v.column(joint)
    step = max(1, len(x) // POINTS)
    figure, (axes,) = stacked(1, height=4.6)
    axes.plot(x[::step], y[::step], color=LINES[1], linewidth=1.0)
    for k, marker, name in ((0, "o", "begin"), (-1, "s", "end")):
        if len(x):
            axes.plot(x[k], y[k], marker, color=LINES[0], label=name)
            axes.legend(frameon=False)
    axes.set_xlabel(_with_unit(f"q of {joint}", q.unit))
    axes.set_ylabel(_with_unit(f"v of {joint}", v.unit))
    _title(axes, recording, f"phase of {joint}")
    return figure


def energy_drift(recording: Recording) -> Figure:
    """Energy over time, and below it the part of its change that nothing accounts for.

    Raises:
        UnknownName: When the recording has no signal ``energy``.
        InvalidInput: When it has no samples.
    """
    energy = recording.signal("energy")
    drift = unaccounted_energy(recording)
    figure, (upper, lower) = stacked(2, height=4.8)
    for k, name in enumerate(("energy", "work", "loss")):
        if name in recording:
            total = _total(recording.signal(name))
            upper.plot(*thinned(recording.time, total), color=LINES[k], label=name)
    if "work" in recording or "loss" in recording:
        upper.legend(frameon=False, fontsize=8)
    upper.set_ylabel(_with_unit("energy", energy.unit))
    lower.plot(*thinned(recording.time, drift), color=LINES[4])
    lower.set_ylabel(_with_unit("drift", energy.unit))
    lower.set_xlabel("time [s]")
    worst = float(np.abs(drift).max())
    scale = float(np.abs(_total(energy)).max())
    relative = f", {worst / scale:.2g} of the largest energy" if scale else ""
    _title(upper, recording, f"energy: drift at most {worst:.3g} {energy.unit}{relative}")
    return figure


def unaccounted_energy(recording: Recording) -> Array:
    """Energy gained since the beginning, less the work done on the machine, plus its losses [J].

    Zero for exact integration; without the signals ``work`` and ``loss``, for a conservative
    machine alone.

    Raises:
        UnknownName: When the recording has no signal ``energy``.
        InvalidInput: When it has no samples.
    """
    if not len(recording):
        raise InvalidInput("the recording has no samples.")
    balance = _total(recording.signal("energy")).copy()
    if "work" in recording:
        balance -= _total(recording.signal("work"))
    if "loss" in recording:
        balance += _total(recording.signal("loss"))
    return np.asarray(balance - balance[0])


def compare(a: Recording, b: Recording, signals: Sequence[str] | None = None) -> Figure:
    """Signals of two recordings, a row each: A solid and B dashed; the largest difference is said.

    Args:
        a: The reference.
        b: The other.
        signals: Names; all that both have when not given.

    Raises:
        UnknownName: When a named signal is in neither.
        InvalidInput: When the recordings have no signal or no time in common.
    """
    found = difference(a, b, signals)
    if not found.signals:
        raise InvalidInput("the recordings have no signal in common.")
    figure, rows = stacked(len(found.signals), height=0.6 + 2.0 * len(found.signals))
    for axes, row in zip(rows, found.signals, strict=True):
        x, y = a.signal(row.name), b.signal(row.name)
        common = [label for label in x.labels if label in y.labels]
        _draw_lines(axes, a.time, x, common)
        _draw_lines(axes, b.time, y, common, dashed=True)
        apart = f"at most {row.largest:.3g} {row.unit} apart, {row.column} at {row.time:g} s"
        axes.set_title(_plain(f"{row.name}: {apart}"), fontsize=9, loc="left")
    rows[-1].set_xlabel("time [s]; A solid, B dashed")
    return figure


def stacked(rows: int, height: float = 3.6) -> tuple[Figure, list[Axes]]:
    """A figure with rows of axes over a common one."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, height), layout="constrained")
    made = figure.subplots(rows, 1, sharex=True, squeeze=False)[:, 0].tolist()
    for axes in made:
        axes.grid(color="0.9", linewidth=0.8)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
    return figure, made


def _draw_lines(
    axes: Axes,
    time: Array,
    signal: Signal,
    labels: Iterable[str] | None = None,
    *,
    dashed: bool = False,
) -> None:
    """Lines of a signal, with a legend that does not cover them when there are many."""
    names = list(signal.labels if labels is None else labels)
    columns = [signal.column(name) for name in names] if signal.labels else [signal.values]
    for k, column in enumerate(columns):
        look: dict[str, Any] = {"color": LINES[k % len(LINES)], "linewidth": 1.3}
        look["linestyle"] = STYLES[k // len(LINES) % len(STYLES)]
        if dashed:
            look |= {"color": "0.15", "linestyle": (0, (2, 3)), "linewidth": 1.0}
        elif signal.labels:
            look["label"] = _plain(names[k])
        axes.plot(*thinned(time, column), **look)
    axes.set_ylabel(_with_unit(signal.name, signal.unit))
    if signal.labels and not dashed:
        beside = len(columns) > LEGEND_IN_PLOT
        axes.legend(
            frameon=False,
            fontsize=8 if len(columns) <= 16 else 6,
            loc="center left" if beside else "best",
            bbox_to_anchor=(1.0, 0.5) if beside else None,
            ncols=1 + len(columns) // 24,
        )


def thinned(time: Array, values: Array) -> tuple[Array, Array]:
    """Fewer points with the same outline: the least and the greatest of each stretch."""
    values = np.where(np.abs(values) < LARGEST, values, np.nan)
    stretch = -(-len(time) // (POINTS // 2))
    if stretch <= 2:
        return time, values
    whole = len(time) // stretch * stretch
    parts = values[:whole].reshape(-1, stretch)
    starts = np.arange(0, whole, stretch)
    missing = np.isnan(parts)
    least = starts + np.where(missing, np.inf, parts).argmin(axis=1)
    greatest = starts + np.where(missing, -np.inf, parts).argmax(axis=1)
    kept = np.unique(np.concatenate([[0], least, greatest, np.arange(whole - 1, len(time))]))
    return time[kept], values[kept]


def _total(signal: Signal) -> Array:
    """One number a sample: a scalar as it is, parts such as kinetic and potential added."""
    return np.asarray(signal.values if not signal.labels else signal.values.sum(axis=1))


def _with_unit(name: str, unit: str) -> str:
    return _plain(f"{name} [{unit}]" if unit else name)


def _plain(text: str) -> str:
    """Text that Matplotlib takes as it is: no formulas, no names hidden by an underscore."""
    text = text.replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def _title(axes: Axes, recording: Recording, what: str) -> None:
    model = recording.settings.get("model")
    axes.set_title(_plain(f"{model}: {what}" if model else what), fontsize=10, loc="left")
