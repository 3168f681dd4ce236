"""HTML report of a run: numbers, plots and settings in one self-contained file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx.simulation.extensions import is_balanced, summary_of
from phalanx.simulation.record.energy_balance import SIGNAL
from phalanx.simulation.record.recording import Recording
from phalanx.simulation.record.signal import Signal
from phalanx.view.plots import plots
from phalanx.view.reports.html_page import figure_image, sections, table, whole_page
from phalanx.view.reports.report_figures import is_zero, standard_figures

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "report.html"
SHOWN = 60  # labels of a signal that are listed


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


def summary(recording: Recording) -> dict[str, str]:
    """The numbers one looks for first, by what they are."""
    numbers = {"samples": str(len(recording))}
    if not len(recording):
        return numbers
    numbers["final time"] = f"{recording.time[-1]:g} s"
    for name, what in (("v", "largest velocity"), ("tau", "largest joint force")):
        if name in recording and recording[name].size:
            numbers[what] = _largest(recording, name)
    numbers |= summary_of(recording)
    if SIGNAL in recording:
        numbers["integration error in energy"] = recording.energy_balance().headline
    elif is_balanced(recording):
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
    return f"{size[row, column]:.4g} {signal.channel.column_units[column]} ({where})"


def page(recording: Recording, figures: Mapping[str, Figure]) -> str:
    """The page as text; whatever comes from the recording is escaped."""
    settings = recording.settings
    title = str(settings.get("scenario") or settings.get("model") or "Recording")
    begun, about = settings.get("begun"), settings.get("description")
    day = f", {str(begun).partition('T')[0]}" if begun else ""
    parts = {
        "Summary": table((name, escape(text)) for name, text in summary(recording).items()),
        **(_balance(recording) if SIGNAL in recording and len(recording) else {}),
        "Run": table((name, escape(text)) for name, text in how(recording).items()),
        "Plots": "".join(figure_image(caption, figure) for caption, figure in figures.items())
        or "<p>none</p>",
        "Signals": table((s.name, escape(_contents(s))) for s in recording.signals.values()),
        "Settings": table(
            (name, escape(value if isinstance(value, str) else _json(value)))
            for name, value in settings.items()
        ),
    }
    return whole_page(
        title + day,
        [
            f"<h1>{escape(title)}</h1>",
            f'<p class="about">{escape(_when(recording))}</p>',
            *([f"<p>{escape(_sentence(about))}</p>"] if about else []),
            *sections(parts),
        ],
    )


def _balance(recording: Recording) -> dict[str, str]:
    """The energy balance as a section; the stored lines are the sum of all others."""
    rows = recording.energy_balance().rows()
    named = (f"{kind}: {name}" if kind else name for kind, name, _ in rows)
    values = (f"{value:.6g} J" for *_, value in rows)
    pairs = zip(named, values, strict=True)
    return {"Energy balance": table((escape(name), escape(value)) for name, value in pairs)}


def how(recording: Recording) -> dict[str, str]:
    """Settings of a run in words, by name."""
    settings = recording.settings
    words: dict[str, str] = {}
    if settings.get("model"):
        about = f": {settings['machine']}" if settings.get("machine") else ""
        words["machine"] = f"{settings['model']}{about}"
    if settings.get("control"):
        words["control"] = str(settings["control"])
    if isinstance(settings.get("step"), int | float):
        words["step"] = (
            f"{settings['step']:g} s, by {settings.get('integrator', 'an unnamed method')}"
        )
    # which forces there were; of recordings that say so, in how many joints they acted
    said = {
        "forces": settings.get("loads", settings.get("forces")),
        "events": settings.get("events"),
    }
    for key, items in said.items():
        if isinstance(items, list | tuple) and items:
            words[key] = "; ".join(map(str, items))
    return words


def _when(recording: Recording) -> str:
    """A line on when it was run, how long it is, and with what."""
    settings = recording.settings
    parts = [f"{recording.duration:g} s in {len(recording):,} samples"]
    if settings.get("begun"):
        parts.insert(0, f"Run on {_date(str(settings['begun']))}")
    if settings.get("phalanx"):
        parts.append(f"Phalanx {settings['phalanx']}")
    return ", ".join(parts)


def _date(text: str) -> str:
    """An ISO date in words; any other text as it is."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return text
    zone = f" {moment.tzname()}" if moment.tzinfo else ""
    return f"{moment.day} {moment:%B %Y, %H:%M}{zone}"


def _contents(signal: Signal) -> str:
    """Units and labels of a signal; of very many labels the first."""
    channel = signal.channel
    if not channel.labels:
        return f"[{channel.unit}]" if channel.unit else "a number"
    groups = []
    for unit in dict.fromkeys(channel.column_units):
        own = [
            label
            for label, its in zip(channel.labels, channel.column_units, strict=True)
            if its == unit
        ]
        more = f" and {len(own) - SHOWN:,} more" if len(own) > SHOWN else ""
        named = ", ".join(own[:SHOWN]) + more
        nothing = " (zero throughout)" if is_zero(signal, unit) else ""
        groups.append((f"[{unit}] " if unit else "") + named + nothing)
    return "; ".join(groups)


def _sentence(words: Any) -> str:
    return f"{str(words).rstrip('.')}."


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
