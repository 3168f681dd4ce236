"""A run as one web page: numbers, plots and settings in a file that needs nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from phalanx.simulation.extensions import findings_of, is_balanced, trends_of
from phalanx.simulation.record.recording import Recording
from phalanx.view import plots
from phalanx.view.html_page import figure_image, table, whole_page

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "report.html"


def write_report(
    recording: Recording,
    folder: str | PathLike[str],
    figures: Mapping[str, Figure] | None = None,
) -> Path:
    """Write ``report.html`` into a folder, which is made when it is not there.

    Args:
        recording: The run.
        folder: Where to.
        figures: Plots by caption; those that fit the recording's signals when not given.

    Returns:
        The page's path.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / NAME
    drawn = standard_figures(recording) if figures is None else figures
    path.write_text(page(recording, drawn), encoding="utf-8")
    return path


def standard_figures(recording: Recording) -> dict[str, Figure]:
    """The plots whose signals are there, by caption."""
    if not len(recording):
        return {}
    figures: dict[str, Figure] = {}
    shown = {"energy", "work", "loss"}
    for findings in findings_of(recording):
        if findings.figures is not None:
            figures |= findings.figures(recording)
            shown |= set(findings.shown)
    for name, caption in (("q", "positions"), ("v", "velocities"), ("tau", "joint forces")):
        if name in recording and name not in shown:
            figures[caption] = plots.trajectories(recording, name)
    if is_balanced(recording):
        figures["energy"] = plots.energy_drift(recording)
    shown |= {"q", "v", "tau"}
    others = (name for name in recording.signals if name not in shown)
    return figures | {name: plots.trajectories(recording, name) for name in others}


def summary(recording: Recording) -> dict[str, str]:
    """The numbers one looks for first, by what they are."""
    numbers = {"samples": str(len(recording))}
    if not len(recording):
        return numbers
    numbers["final time"] = f"{recording.time[-1]:g} s"
    for name, what in (("v", "largest velocity"), ("tau", "largest joint force")):
        if name in recording and recording[name].size:
            numbers[what] = _largest(recording, name)
    numbers |= trends_of(recording)
    if is_balanced(recording):
        drift = float(np.abs(plots.unaccounted_energy(recording)).max())
        numbers["energy drift"] = f"{drift:.3g} {recording.signal('energy').unit}"
    for key, unit in (("real_time_factor", "× real time"), ("wall_time", "s")):
        value = recording.settings.get(key)
        if isinstance(value, int | float):
            numbers[key.replace("_", " ")] = f"{value:.4g} {unit}"
    return numbers


def _largest(recording: Recording, name: str) -> str:
    signal = recording.signal(name)
    size = np.abs(np.nan_to_num(signal.table, nan=0.0))
    row, column = np.unravel_index(int(size.argmax()), size.shape)
    where = f"{signal.channel.columns[column]} at {recording.time[row]:g} s"
    return f"{size[row, column]:.4g} {signal.unit} ({where})"


def page(recording: Recording, figures: Mapping[str, Figure]) -> str:
    """The page as text; whatever comes from the recording is escaped."""
    model = str(recording.settings.get("model", "recording"))
    facts = table((name, escape(text)) for name, text in summary(recording).items())
    settings = table(
        (name, escape(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)))
        for name, value in recording.settings.items()
    )
    signals = table(
        (s.name, escape(", ".join([*([f"[{s.unit}]"] if s.unit else []), *s.labels])))
        for s in recording.signals.values()
    )
    parts = [
        f"<h1>{escape(model)}</h1>",
        f'<p class="about">{escape(repr(recording).strip("<>"))}</p>',
        f"<h2>Summary</h2>{facts}",
        *(figure_image(caption, figure) for caption, figure in figures.items()),
        f"<h2>Signals</h2>{signals}",
        f"<h2>Settings</h2>{settings}",
    ]
    return whole_page(model, parts)
