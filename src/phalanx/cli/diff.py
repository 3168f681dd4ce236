"""``phalanx diff``: whether two recordings hold the same numbers, and where they do not."""

from __future__ import annotations

import json as json_format
import math
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from phalanx.base.errors import InvalidInput
from phalanx.cli import console
from phalanx.cli.options import Json

if TYPE_CHECKING:
    from rich.table import Table

    from phalanx.simulation.record.difference import Difference
    from phalanx.simulation.record.recording import Recording

DIFFERENT = 1
SHOWN = 60


def diff(
    a: Annotated[Path, typer.Argument(metavar="A", help="An .mcap file: the reference.")],
    b: Annotated[Path, typer.Argument(metavar="B", help="Another.")],
    tolerance: Annotated[
        float, typer.Option(help="Largest absolute difference that counts as none.")
    ] = 1e-9,
    signal: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SIGNAL", help="Compare only this signal; may be repeated.", show_default=False
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Compare two recordings: every signal, what only one has, settings that differ.

    Ends with 0 when both have the same signals over the same time within the tolerance, with 1
    when not. Settings are shown and do not count.

    phalanx diff before.mcap after.mcap

    phalanx diff a.mcap b.mcap --signal q --signal tau --tolerance 1e-6
    """
    from phalanx.simulation.record.difference import difference

    if not 0 <= tolerance < math.inf:
        raise InvalidInput(f"--tolerance {tolerance}: expected a number of at least zero.")
    found = difference(_read(a), _read(b), signal or None)
    same = found.within(tolerance)
    if json:
        console.say_json(facts(found, tolerance))
    else:
        show(found, tolerance)
    if not same:
        raise typer.Exit(DIFFERENT)


def _read(path: Path) -> Recording:
    from phalanx.simulation.record.recording import Recording

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        recording = Recording.read(path)
    for warning in caught:
        console.say_warning(str(warning.message))
    return recording


def show(found: Difference, tolerance: float) -> None:
    """The difference as tables and a verdict."""
    from rich.text import Text

    out = console.out()
    if found.signals:
        out.print(signal_table(found, tolerance))
    for owner, columns in (("A", found.only_a), ("B", found.only_b)):
        if columns:
            out.print(Text(f"only in {owner}: {', '.join(columns)}", style="red"), soft_wrap=True)
    if found.settings:
        out.print("", setting_table(found), sep="\n")
    for note in found.notes:
        out.print(Text(f"note: {note}", style="yellow"), soft_wrap=True)
    verdict = "[green]equal[/]" if found.within(tolerance) else "[bold red]different[/]"
    out.print(f"{verdict} within {tolerance:g}", soft_wrap=True)


def signal_table(found: Difference, tolerance: float) -> Table:
    """One row a signal."""
    from rich.text import Text

    heads = ("largest", "at [s]", "in", "rms", "relative")
    table = console.table("differences", ("signal",), heads)
    for s in found.signals:
        style = "" if s.largest <= tolerance else "red"
        numbers = (f"{s.largest:.3g}", f"{s.time:g}", s.column, f"{s.rms:.3g}", f"{s.relative:.2g}")
        name = f"{s.name} [{s.unit}]" if s.unit else s.name
        table.add_row(*(Text(text, style=style) for text in (name, *numbers)))
    return table


def setting_table(found: Difference) -> Table:
    """Settings that differ."""
    from rich.text import Text

    table = console.table("settings that differ", ("setting", "A", "B"), ())
    for column in table.columns[1:]:  # on a narrow terminal values go on in the next line
        column.no_wrap, column.overflow = False, "fold"
    for name, pair in found.settings.items():
        table.add_row(Text(name), *(Text(_short(value)) for value in pair))
    return table


def _short(value: Any) -> str:
    text = json_format.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


def facts(found: Difference, tolerance: float) -> dict[str, Any]:
    """The difference as JSON; null stands for an infinity."""
    return {
        "equal": found.within(tolerance),
        "tolerance": tolerance,
        "same_span": found.same_span,
        "signals": {
            s.name: {
                "unit": s.unit,
                "within": s.largest <= tolerance,
                "time": s.time,
                "column": s.column,
                **{key: _finite(getattr(s, key)) for key in ("largest", "rms", "relative")},
            }
            for s in found.signals
        },
        "only_in_a": found.only_a,
        "only_in_b": found.only_b,
        "settings": {name: {"a": x, "b": y} for name, (x, y) in found.settings.items()},
        "notes": found.notes,
    }


def _finite(x: float) -> float | None:
    return x if math.isfinite(x) else None
