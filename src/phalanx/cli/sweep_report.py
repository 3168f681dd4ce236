"""``phalanx sweep report``: a sweep as one web page."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from phalanx.base.errors import InvalidInput
from phalanx.cli import console
from phalanx.cli.extras import need
from phalanx.cli.outputs import Writes
from phalanx.cli.sweep_status import StorePath


def sweep_report(
    store: StorePath,
    *,
    to: Annotated[Path, Writes((".html",)), typer.Option(help="The page.")] = Path("report.html"),
    judge: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="The result that ranks cases; the study's own.", show_default=False
        ),
    ] = None,
    most_is_best: Annotated[
        bool | None,
        typer.Option(
            "--most-is-best/--least-is-best",
            help="Which end of it is good; as in the study.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Write a page with what was varied, pictures, and the best, worst and failed cases.

    The page needs nothing else, and has for each of these cases the command that runs it again. A
    sweep that still runs, or was stopped, shows what is there. The store is checked first; nothing
    that it names is imported or read.

    phalanx sweep report out.zarr --to report.html

    phalanx sweep report out.zarr --judge tau.peak.joint_2 --most-is-best
    """
    need("phalanx sweep-report", "cluster")
    from phalanx.distribute.sweeps.store import NOT_SEALED, Store
    from phalanx.distribute.sweeps.study_files.noted import noted_study
    from phalanx.view.sweeps.report import SweepFacts, sweep_page

    found = Store.open(store)
    if not found.done:
        raise InvalidInput(f"{store} has no results yet; wait for its first chunk.")
    if not found.is_sealed:
        console.say_warning(f"{store} {NOT_SEALED}.")
    note = noted_study(found)
    less = note is None or note.is_less_better
    data = found.to_xarray().load()
    facts = SweepFacts(
        name=note.name if note else found.path.stem,
        about=note.description if note else "",
        facts={
            "done": f"{found.cases_done:,} of {found.cases:,}",
            "run": _words(found.data["run"]),
            "seed": str(found.data["seed"]),
            "made by": f"phalanx {found.data['phalanx']}",
            "store": str(found.path),
        },
        failures=found.failures,
        replay=f"phalanx sweep replay {shlex.quote(str(store))} --case {{case}}" if note else "",
        is_less_better=less if most_is_best is None else not most_is_best,
    )
    text = sweep_page(data, facts, judge or (note.judge if note else None))
    to.write_text(text, encoding="utf-8", errors="replace")
    console.out().print(f"Report in {to}.", soft_wrap=True, markup=False)


def _words(run: Mapping[str, Any]) -> str:
    """What was run, in a line; what is not there is left out."""
    said = []
    for name, value in run.items():
        if value is True:
            said.append(f"with {name}")
        elif value not in (None, False, "", [], {}):
            text = ", ".join(map(str, value)) if isinstance(value, list | dict) else value
            said.append(f"{name} {text}")
    return "; ".join(said)
