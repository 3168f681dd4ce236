"""Figures of a run's report, with captions.

Numbers of one unit stand in one figure: lengths and angles of a floating base have nothing to say
to each other on one axis. A figure has several panels where one could not hold all lines.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from phalanx.simulation.extensions import findings_of, is_balanced
from phalanx.simulation.record.energy_balance import SIGNAL
from phalanx.simulation.record.lines import panels_of, some_of
from phalanx.simulation.record.recording import Recording
from phalanx.simulation.record.signal import Signal
from phalanx.view.plots import plots

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIRST = ("q", "v", "tau", "a")
# what numbers of a signal are, by their unit
MEANING = {
    ("q", "rad"): "Angles of joints",
    ("q", "m"): "Positions along joints",
    ("q", ""): "Attitudes, as quaternions (x, y, z, w)",
    ("v", "rad/s"): "Angular velocities of joints",
    ("v", "m/s"): "Velocities along joints",
    ("tau", "N·m"): "Torques in joints",
    ("tau", "N"): "Forces along joints",
    ("a", "rad/s²"): "Angular accelerations of joints",
    ("a", "m/s²"): "Accelerations along joints",
}
ENERGY = (
    "Energy of the machine, work of its drives and losses [J] over time; below, the error of the "
    "integration: what of the energy's change no line of the balance accounts for."
)
NAMED = 3  # joints that a caption calls by their names


def standard_figures(recording: Recording) -> dict[str, Figure]:
    """The plots whose signals are there, by caption."""
    if not len(recording):
        return {}
    figures: dict[str, Figure] = {}
    shown = {"energy", "work", "loss", SIGNAL}
    for findings in findings_of(recording):
        if findings.figures is not None:
            figures |= findings.figures(recording)
            shown |= set(findings.shown)
    first = [name for name in FIRST if name in recording]
    others = [name for name in recording.signals if name not in FIRST]
    for name in first:
        if name not in shown:
            figures |= signal_figures(recording, name)
    if SIGNAL in recording or is_balanced(recording):
        figures[ENERGY] = plots.energy_drift(recording)
    for name in others:
        if name not in shown:
            figures |= signal_figures(recording, name)
    return figures


def signal_figures(recording: Recording, name: str) -> dict[str, Figure]:
    """A signal over time, a figure a unit, by caption."""
    signal = recording.signal(name)
    places = some_of(signal.channel.width)
    figures = {}
    for unit, group in groupby(panels_of(signal.channel, places), key=lambda panel: panel.unit):
        panels = list(group)
        if name != "q" and is_zero(signal, unit):
            continue  # the list of signals says so
        drawn = [k for panel in panels for k in panel.places]
        every = signal.channel.column_units.count(unit)
        figures[_caption(signal, unit, drawn, every)] = plots.panels(recording, signal, panels)
    return figures


def is_zero(signal: Signal, unit: str) -> bool:
    """Whether all columns of a unit are zero all the time, as forces are where no drive is."""
    own = [k for k, its in enumerate(signal.channel.column_units) if its == unit]
    return bool(signal.labels) and not signal.table[:, own].any()


def _caption(signal: Signal, unit: str, drawn: list[int], every: int) -> str:
    what = MEANING.get((signal.name, unit))
    said = f"{what}, {signal.name}" if what else signal.name.replace("_", " ").capitalize()
    of_whom = "".join(_of_whom(signal, drawn, every))
    return f"{said}{f' [{unit}]' if unit else ''}, over time{of_whom}."


def _of_whom(signal: Signal, drawn: list[int], every: int) -> Iterator[str]:
    if not signal.labels:
        return
    names = [signal.labels[k] for k in drawn]
    if len(drawn) < every:
        yield f": {len(drawn)} of {every:,}, evenly spread"
    elif len(names) <= NAMED:
        yield f": {', '.join(names)}"
    else:
        yield f": {names[0]} to {names[-1]}, {len(names)} lines"
