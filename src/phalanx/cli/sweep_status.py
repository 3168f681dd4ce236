"""``phalanx sweep status``: how far a sweep is, from its store alone."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from phalanx.base.facts import Facts, named_texts
from phalanx.cli import console
from phalanx.cli.extras import need
from phalanx.cli.options import Json
from phalanx.cli.sweep_progress import time_words

if TYPE_CHECKING:
    from phalanx.distribute.sweeps.store import Store

StorePath = Annotated[
    Path, typer.Argument(metavar="STORE", help="The folder of a sweep.", show_default=False)
]
SHOWN = 5  # reasons of failures


def sweep_status(store: StorePath, *, json: Json = False) -> None:
    """Print how far a sweep is: while it runs, from another machine, or after a crash.

    Only files of the store are read, all of them, and checked; none is touched, and nothing that
    they name is imported.

    phalanx sweep status out.zarr
    """
    need("phalanx sweep-status", "cluster")
    from phalanx.distribute.sweeps.run import printable
    from phalanx.distribute.sweeps.store import NOT_SEALED, Store
    from phalanx.distribute.sweeps.study_files.noted import noted_study

    found = Store.open(store)
    note = noted_study(found)
    facts = _facts(found)
    if json:
        console.say_json(facts | {"study": note and note.study})
        return
    if not found.is_sealed:
        console.say_warning(f"{store} {NOT_SEALED}.")
    share = 100 * facts["done"] / facts["cases"]
    rows = {
        "study": printable(note.study) if note else "made in Python",
        "done": f"{facts['done']:,} of {facts['cases']:,} cases ({share:.1f} %)",
        "chunks": f"{facts['chunks_done']:,} of {facts['chunks']:,}",
        "failed": f"{facts['failed']:,}",
    }
    if facts["damaged"]:
        numbers = ", ".join(map(str, facts["damaged"]))
        rows["damaged"] = f"chunks {numbers}; --resume computes them again"
    if facts["rate"] is not None and facts["done"] < facts["cases"]:
        left = (facts["cases"] - facts["done"]) / facts["rate"]
        rows["rate"] = f"{facts['rate']:,.4g} cases/s, {time_words(left)} left at that"
    if facts["seconds_since_last"] is not None:
        rows["last chunk"] = f"{time_words(facts['seconds_since_last'])} ago"
    rows["made by"] = f"phalanx {found.data['phalanx']}, seed {found.data['seed']}"
    console.say(Facts([named_texts(f"sweep in {store}", rows)]))
    for why in list(facts["damaged"].values())[:SHOWN]:
        console.say_warning(why)
    for case, reason in list(found.failures_but(facts["damaged"]).items())[:SHOWN]:
        console.out().print(f"case {case}: {reason}", soft_wrap=True, markup=False)


def _facts(store: Store) -> dict[str, Any]:
    times = sorted(_write_times(store))
    span = times[-1] - times[0] if len(times) > 1 else 0.0
    # the first chunk's own time is not known, so it does not count
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


def _write_times(store: Store) -> list[float]:
    """When chunks were finished."""
    folder = store.path / "status" / "c"
    return [(folder / str(number)).stat().st_mtime for number in store.done]
