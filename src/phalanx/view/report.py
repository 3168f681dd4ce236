"""A run as one web page: numbers, plots and settings in a file that needs nothing else."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from html import escape
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from phalanx.simulation.extensions import findings_of, is_balanced, trends_of
from phalanx.simulation.record.recording import Recording
from phalanx.view import plots

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "report.html"

STYLE = """
:root { color-scheme: light; }
body { font: 15px/1.5 system-ui, sans-serif; color: #1d2733; max-width: 62rem; margin: 2rem auto;
       padding: 0 1.2rem; }
h1 { font-size: 1.6rem; margin-bottom: 0.2rem; }
h2 { font-size: 1.1rem; margin-top: 2rem; }
p.about { color: #5c6a79; margin-top: 0; }
table { border-collapse: collapse; }
td, th { text-align: left; padding: 0.2rem 1.2rem 0.2rem 0; border-bottom: 1px solid #e4e9ee;
         vertical-align: top; overflow-wrap: anywhere; }
td.number { font-variant-numeric: tabular-nums; }
figure { margin: 1rem 0; }
img { max-width: 100%; height: auto; }
figcaption { color: #5c6a79; font-size: 0.85rem; }
"""


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
    facts = _table((name, escape(text)) for name, text in summary(recording).items())
    settings = _table(
        (name, escape(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)))
        for name, value in recording.settings.items()
    )
    signals = _table(
        (s.name, escape(", ".join([*([f"[{s.unit}]"] if s.unit else []), *s.labels])))
        for s in recording.signals.values()
    )
    parts = [
        f"<h1>{escape(model)}</h1>",
        f'<p class="about">{escape(repr(recording).strip("<>"))}</p>',
        f"<h2>Summary</h2>{facts}",
        *(_figure(caption, figure) for caption, figure in figures.items()),
        f"<h2>Signals</h2>{signals}",
        f"<h2>Settings</h2>{settings}",
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(model)}</title><style>{STYLE}</style></head>\n"
        f"<body>\n{chr(10).join(parts)}\n</body></html>\n"
    )


def _table(rows: Iterable[tuple[str, str]]) -> str:
    lines = [
        f'<tr><th scope="row">{escape(name)}</th><td class="number">{text}</td></tr>'
        for name, text in rows
    ]
    return f"<table>{''.join(lines)}</table>" if lines else "<p>none</p>"


def _figure(caption: str, figure: Figure) -> str:
    """A plot as an image of its own, so that names inside one drawing never meet another's.

    Machines have more sides than a page of lines should hold; they come as dots.
    """
    buffer = BytesIO()
    solid = any(axes.name == "3d" for axes in figure.axes)
    kind = "png" if solid else "svg+xml"
    if solid:
        figure.savefig(buffer, format="png", dpi=130)
    else:
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    data = base64.b64encode(buffer.getvalue()).decode()
    text = escape(caption, quote=True)
    return (
        f'<figure><img alt="{text}" src="data:image/{kind};base64,{data}">'
        f"<figcaption>{text}</figcaption></figure>"
    )
