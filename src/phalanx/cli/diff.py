"""``phalanx diff``: whether two recordings hold the same numbers, and where they do not."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from phalanx.base.errors import InvalidInput
from phalanx.cli import console
from phalanx.cli.options import Json

if TYPE_CHECKING:
    from phalanx.simulation.record.recording import Recording

DIFFERENT = 1


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
    console.say(found.facts(tolerance), json)
    if not found.within(tolerance):
        raise typer.Exit(DIFFERENT)


def _read(path: Path) -> Recording:
    from phalanx.simulation.record.recording import Recording

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        recording = Recording.read(path)
    for warning in caught:
        console.say_warning(str(warning.message))
    return recording
