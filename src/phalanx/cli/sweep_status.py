"""``phalanx sweep status``: progress of a sweep, read from its store."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from phalanx.base.facts import Facts, Part, named_texts
from phalanx.cli import console
from phalanx.cli.extras import need
from phalanx.cli.options import Json
from phalanx.cli.sweep_progress import time_words

if TYPE_CHECKING:
    from phalanx.distribute.sweeps.store import Store

StorePath = Annotated[
    Path, typer.Argument(metavar="STORE", help="Folder of the sweep.", show_default=False)
]
SHOWN = 5  # printed failures


def sweep_status(store: StorePath, *, json: Json = False) -> None:
    """Print the progress and failures of a sweep.

    This works while the sweep runs, from another computer, and after a crash. All files of the
    store are read and checked; none is changed, and no code that they name is imported.

    Examples:
        phalanx sweep status out.zarr
        phalanx sweep status out.zarr --json
    """
    need("phalanx sweep-status", "cluster")
    from phalanx.distribute.sweeps.run import printable
    from phalanx.distribute.sweeps.store import NOT_SEALED, Store
    from phalanx.distribute.sweeps.study_files.noted import noted_study

    found = Store.open(store)
    note = noted_study(found)
    progress = _progress(found)
    if not json and not found.is_sealed:
        console.print_warning(f"{store} {NOT_SEALED}.")
    share = 100 * progress["done"] / progress["cases"]
    rows = {
        "study": printable(note.study) if note else "made in Python",
        "done": f"{progress['done']:,} of {progress['cases']:,} cases ({share:.1f} %)",
        "chunks": f"{progress['chunks_done']:,} of {progress['chunks']:,}",
        "failed": f"{progress['failed']:,}",
    }
    if progress["damaged"]:
        numbers = ", ".join(map(str, progress["damaged"]))
        rows["damaged"] = f"chunks {numbers}; --resume computes them again"
    if progress["rate"] is not None and progress["done"] < progress["cases"]:
        left = (progress["cases"] - progress["done"]) / progress["rate"]
        rows["rate"] = f"{progress['rate']:,.4g} cases/s, {time_words(left)} left"
    if progress["seconds_since_last"] is not None:
        rows["last chunk"] = f"{time_words(progress['seconds_since_last'])} ago"
    rows["made by"] = f"phalanx {found.data['phalanx']}, seed {found.data['seed']}"
    failures = list(found.failures_but(progress["damaged"]).items())[:SHOWN]
    parts: list[Part] = [
        named_texts(f"sweep in {store}", rows),
        *(f"case {case}: {reason}" for case, reason in failures),
    ]
    console.print_facts(Facts(parts, progress | {"study": note and note.study}), json)
    for reason in () if json else list(progress["damaged"].values())[:SHOWN]:
        console.print_warning(reason)


def _progress(store: Store) -> dict[str, Any]:
    times = sorted(_finish_times(store))
    span = times[-1] - times[0] if len(times) > 1 else 0.0
    # the start of the first chunk is unknown
    rate = store.cut * (len(times) - 1) / span if span > 0 else None
    damaged = store.damaged()
    lost = sum(store.seal(number).cases for number in damaged)
    return {
        "cases": store.cases,
        "done": store.cases_done - lost,
        "chunks": store.chunks,
        "chunks_done": len(store.done) - len(damaged),
        "damaged": damaged,
        "verified": store.is_sealed,
        "failed": len(store.failures_but(damaged)),
        "rate": rate,
        "seconds_since_last": max(0.0, time.time() - times[-1]) if times else None,
    }


def _finish_times(store: Store) -> list[float]:
    """Return the times at which chunks were finished."""
    folder = store.path / "status" / "c"
    return [(folder / str(number)).stat().st_mtime for number in store.done]
