"""``phalanx diff``: differences between two recordings."""

from __future__ import annotations

import math
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
    a: Annotated[Path, typer.Argument(metavar="A", help="Reference recording (.mcap).")],
    b: Annotated[Path, typer.Argument(metavar="B", help="Recording to compare with it (.mcap).")],
    tolerance: Annotated[
        float, typer.Option(help="Absolute tolerance: largest difference that counts as equal.")
    ] = 1e-9,
    signal: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SIGNAL", help="Compare only this signal. May be repeated.", show_default=False
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Compare the signals and settings of two recordings.

    The exit code is 0 if both have the same signals over the same time within the tolerance, and
    1 if not. Settings that differ are printed and do not affect the exit code.

    Examples:
        phalanx diff before.mcap after.mcap
        phalanx diff a.mcap b.mcap --signal q --signal tau --tolerance 1e-6
    """
    from phalanx.simulation.record.difference import difference

    if not 0 <= tolerance < math.inf:
        raise InvalidInput(f"--tolerance {tolerance}: expected a number of at least zero.")
    found = difference(_read(a), _read(b), signal or None)
    console.print_facts(found.facts(tolerance), json)
    if not found.within(tolerance):
        raise typer.Exit(DIFFERENT)


def _read(path: Path) -> Recording:
    from phalanx.simulation.record.recording import Recording

    with console.print_warnings():
        return Recording.read(path)
