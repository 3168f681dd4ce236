"""Plots of recordings: each function returns a figure with units on its axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.simulation.record.difference import difference
from phalanx.simulation.record.energy_balance import SIGNAL, integration_error
from phalanx.simulation.record.lines import (
    LINES,
    POINTS,
    Panel,
    add_legend,
    draw_lines,
    panels_of,
    plain_text,
    some_of,
    stacked,
    thinned,
    title_run,
    with_unit,
)
from phalanx.simulation.record.recording import Recording
from phalanx.simulation.record.signal import Array, Signal

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def trajectories(
    recording: Recording, signal: str = "q", labels: Sequence[str] | None = None
) -> Figure:
    """A signal over time, a line a label; units, and what one panel cannot hold, below each other.

    Args:
        recording: The run.
        signal: Name of the signal.
        labels: Which of its columns; all when not given.

    Raises:
        UnknownName: When there is no such signal or label.
    """
    shown = recording.signal(signal)
    every = range(shown.channel.width)
    places = every if labels is None else [_place(shown, label) for label in labels]
    chosen = [places[k] for k in some_of(len(places))]
    figure = panels(recording, shown, panels_of(shown.channel, chosen))
    if len(chosen) < len(places):
        title_run(figure.axes[0], recording, f"{signal}, {len(chosen)} of {len(places)}")
    return figure


def panels(recording: Recording, signal: Signal, shown: Sequence[Panel]) -> Figure:
    """Panels of a signal below each other, over one time."""
    figure, rows = stacked(len(shown), height=1.0 + 2.6 * len(shown))
    for axes, panel in zip(rows, shown, strict=True):
        names = [signal.labels[k] for k in panel.places] if signal.labels else None
        draw_lines(axes, recording.time, signal, names)
    rows[-1].set_xlabel("time [s]")
    title_run(rows[0], recording, signal.name)
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
    axes.set_xlabel(with_unit(f"q of {joint}", q.unit))
    axes.set_ylabel(with_unit(f"v of {joint}", v.unit))
    title_run(axes, recording, f"phase of {joint}")
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
        add_legend(upper, 3)
    upper.set_ylabel(with_unit("energy", energy.unit))
    lower.plot(*thinned(recording.time, drift), color=LINES[4])
    lower.set_ylabel(with_unit("error" if SIGNAL in recording else "drift", energy.unit))
    lower.set_xlabel("time [s]")
    worst = float(np.abs(drift).max())
    if SIGNAL in recording:
        title_run(upper, recording, f"integration error: {recording.energy_balance().headline}")
        return figure
    scale = float(np.abs(_total(energy)).max())
    relative = f", {worst / scale:.2g} of the largest energy" if scale else ""
    title_run(upper, recording, f"energy: drift at most {worst:.3g} {energy.unit}{relative}")
    return figure


def unaccounted_energy(recording: Recording) -> Array:
    """Energy gained since the beginning that no line of the balance accounts for [J].

    The integration error of a run with an energy balance. Of other recordings, the energy gained
    less ``work`` plus ``loss``; without these, zero is right for a conservative machine alone.

    Raises:
        UnknownName: When the recording has no signal ``energy``.
        InvalidInput: When it has no samples.
    """
    if not len(recording):
        raise InvalidInput("the recording has no samples.")
    if SIGNAL in recording:
        return integration_error(recording)
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
        draw_lines(axes, a.time, x, common)
        draw_lines(axes, b.time, y, common, dashed=True)
        apart = f"at most {row.largest:.3g} {row.unit} apart, {row.column} at {row.time:g} s"
        axes.set_title(plain_text(f"{row.name}: {apart}"), fontsize=9, loc="left")
    rows[-1].set_xlabel("time [s]; A solid, B dashed")
    return figure


def _place(signal: Signal, label: str) -> int:
    signal.column(label)  # says which labels there are
    return signal.labels.index(label)


def _total(signal: Signal) -> Array:
    """One number a sample: a scalar as it is, parts such as kinetic and potential added."""
    return np.asarray(signal.values if not signal.labels else signal.values.sum(axis=1))
