"""HTML report of a sweep: what was varied, plots, best, worst and failed cases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, final

import numpy as np

from phalanx.distribute.sweeps.columns import Column, column, results, varied
from phalanx.view.reports.html_page import figure_image, sections, table, whole_page, wide
from phalanx.view.sweeps.plots import main_result, standard_figures

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from xarray import Dataset

EXTREMES = 5  # best and worst cases, each
FAILURES = 20  # that are listed; all are counted
WIDEST = 8  # columns of a table of cases


@final
@dataclass(frozen=True)
class SweepFacts:
    """Facts of a sweep for its report, in addition to the numbers.

    Attributes:
        name: What the sweep is called.
        about: What it shows.
        facts: What to say of it, by what it is.
        failures: Reason by the number of the case.
        replay: The command that shows a case again, with ``{case}`` for its number; none when
            empty.
        is_less_better: Whether the best case is the one with the least objective.
    """

    name: str
    about: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)
    failures: Mapping[int, str] = field(default_factory=dict)
    replay: str = ""
    is_less_better: bool = True


def sweep_page(
    data: Dataset,
    known: SweepFacts,
    objective: str | None = None,
    figures: Mapping[str, Figure] | None = None,
) -> str:
    """The page as text; whatever comes from the sweep is escaped.

    Args:
        data: The sweep.
        known: What else is known of it.
        objective: The result that cases are judged by; ``cost``, or the first that varies.
        figures: Pictures by caption; those that fit the sweep when not given.

    Raises:
        UnknownName: When there is no such result.
    """
    measure = objective or main_result(data)
    drawn = standard_figures(data, measure) if figures is None else figures
    parts = {
        "Summary": table((k, escape(v)) for k, v in _summary(data, known).items()),
        "Varied": _spans(varied(data).values()),
        "Results": _spans(results(data).values()),
        "Plots": "".join(figure_image(caption, figure) for caption, figure in drawn.items())
        or "<p>none</p>",
    }
    if measure is not None:
        least, greatest = extremes(column(data, measure), EXTREMES)
        best, worst = (least, greatest) if known.is_less_better else (greatest, least)
        word = "least" if known.is_less_better else "greatest"
        judged = f"<p>Best has the {word} {escape(measure)}.</p>"
        parts["Best cases"] = judged + _cases(data, best, measure, known)
        parts["Worst cases"] = _cases(data, worst, measure, known)
    parts["Failed cases"] = _failed(data, known)
    about = f'<p class="about">{escape(known.about)}</p>'
    return whole_page(known.name, [f"<h1>{escape(known.name)}</h1>", about, *sections(parts)])


def extremes(measure: Column, count: int) -> tuple[list[int], list[int]]:
    """Rows of the cases with the least and with the greatest numbers, each the extreme first."""
    rows = np.flatnonzero(np.isfinite(measure.values))
    order = rows[np.argsort(measure.values[rows], kind="stable")]
    return order[:count].tolist(), order[::-1][:count].tolist()


def _summary(data: Dataset, known: SweepFacts) -> dict[str, str]:
    return {
        "cases": f"{data.sizes['case']:,}",
        "failed": f"{len(known.failures):,}",
        **known.facts,
    }


def _spans(columns: Iterable[Column]) -> str:
    """Least, mean, and greatest number of each column."""
    rows = []
    for c in columns:
        good = c.values[np.isfinite(c.values)]
        numbers: tuple[str | float, ...] = ("–",) * 3
        if c.labels:
            numbers = (", ".join(c.labels), "", "")
        elif len(good):
            numbers = (good.min(), good.mean(), good.max())
        rows.append([c.title, *numbers])
    return _grid(("", "least", "mean", "greatest"), rows)


def _cases(data: Dataset, rows: Sequence[int], measure: str, known: SweepFacts) -> str:
    """Some cases: number, result, what was varied, and the command that shows them again."""
    shown = [column(data, measure), *varied(data).values()][:WIDEST]
    numbers = _numbers(data)
    heads = ["case", *(c.title for c in shown)]
    lines = [[str(numbers[row]), *(c.cell(row) for c in shown)] for row in rows]
    return _with_commands(heads, lines, known)


def _failed(data: Dataset, known: SweepFacts) -> str:
    if not known.failures:
        return "<p>none</p>"
    numbers = {number: row for row, number in enumerate(_numbers(data))}
    shown = list(varied(data).values())[: WIDEST - 2]
    listed = sorted(known.failures)[:FAILURES]
    lines: list[list[str | float]] = []
    for case in listed:
        row = numbers.get(case)
        values = ["–" if row is None else c.cell(row) for c in shown]
        lines.append([str(case), known.failures[case], *values])
    more = len(known.failures) - len(listed)
    rest = f"<p>and {more:,} more</p>" if more else ""
    return _with_commands(["case", "reason", *(c.title for c in shown)], lines, known) + rest


def _with_commands(heads: list[str], lines: list[list[str | float]], known: SweepFacts) -> str:
    if not known.replay:
        return _grid(heads, lines)
    commands = [known.replay.replace("{case}", str(line[0])) for line in lines]
    shown = [[*line, command] for line, command in zip(lines, commands, strict=True)]
    return _grid([*heads, "again"], shown)


def _grid(heads: Sequence[str], lines: Iterable[Sequence[str | float]]) -> str:
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in heads)
    rows = ["".join(_cell(cell) for cell in line) for line in lines]
    if not rows:
        return "<p>none</p>"
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    inner = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return wide("table", inner)


def _cell(cell: str | float) -> str:
    if not isinstance(cell, str):
        return f'<td class="number fixed">{cell:.5g}</td>'
    if cell.startswith("phalanx "):
        return f"<td><code>{escape(cell)}</code></td>"
    kind = ' class="fixed"' if cell.isdecimal() else ""
    return f"<td{kind}>{escape(cell)}</td>"


def _numbers(data: Dataset) -> list[int]:
    """Numbers of the cases, in rows."""
    found: list[int] = np.asarray(data["case"].values).tolist()
    return found
