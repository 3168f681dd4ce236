"""``phalanx sweep``: many cases of one run, on one machine or many."""

from __future__ import annotations

import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from phalanx.base.errors import InvalidInput
from phalanx.base.facts import Facts, named_texts
from phalanx.cli import console
from phalanx.cli.choices import OneOf
from phalanx.cli.completion import offering
from phalanx.cli.extras import need
from phalanx.cli.outputs import check_name
from phalanx.cli.sweep_progress import SweepBar, byte_words, time_words

if TYPE_CHECKING:
    from phalanx.distribute.sweeps.engines.engine import SweepEngine
    from phalanx.distribute.sweeps.study import Study
    from phalanx.distribute.sweeps.study_files.reader import StudyFile

STUDY = OneOf("phalanx.distribute.sweeps.study_files.reader:STUDIES", checked=False)
Source = Annotated[
    str,
    STUDY,
    typer.Argument(
        metavar="STUDY",
        autocompletion=offering(STUDY.offered, ".toml"),
        help="A study file (.toml), or a study by name: {names}.",
        show_default=False,
    ),
]


@dataclass(frozen=True)
class ChunkOptions:
    """How cases are drawn and cut; the file's choice when not given."""

    seed: Annotated[
        int | None, typer.Option(min=0, help="Seed of random cases.", show_default=False)
    ] = None
    chunk: Annotated[
        int | None,
        typer.Option(
            min=1, help="Cases in one call; about half a second's worth.", show_default=False
        ),
    ] = None


@dataclass(frozen=True)
class StoreOptions:
    """What to do with a store that is there."""

    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the store; do what is missing.")
    ] = False
    force: Annotated[bool, typer.Option("--force", help="Throw away the sweep that is there.")] = (
        False
    )


def sweep(
    study: Source,
    *,
    to: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="The store, a folder in Zarr's format: out.zarr.",
            show_default=False,
        ),
    ] = None,
    engine: Annotated[
        str,
        typer.Option(
            metavar="ENGINE",
            help="Where: here, processes:4 (of this machine), dask (workers are started here), "
            "dask:tcp://HOST:8786 (a scheduler that is there).",
        ),
    ] = "here",
    cut: ChunkOptions,
    again: StoreOptions,
    case_seconds: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            help="Time limit of a case, with --engine processes: one over it is kept as failed.",
            show_default=False,
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Print how many cases, how long, how large; run nothing."),
    ] = False,
) -> None:
    """Run a study: thousands of cases in compiled chunks, kept in a store that xarray opens.

    A study file describes what is varied, what is run and what is kept. Results are the same to the
    last bit wherever they are computed. Whatever ends a sweep, --resume goes on with it. Three
    subcommands are about a store that exists: status, report and replay, each with its --help.

    phalanx sweep puma-robustness --dry-run

    phalanx sweep puma-robustness --to out.zarr --engine processes:2

    phalanx sweep study.toml --to out.zarr --engine dask:tcp://head:8786 --resume

    phalanx sweep status out.zarr

    phalanx sweep report out.zarr --to report.html

    phalanx sweep replay out.zarr --case 17
    """
    need("--to", "cluster", wanted=to is not None and not dry_run)
    from phalanx.base.arguments import positive
    from phalanx.distribute.sweeps.engines.choice import engine_of
    from phalanx.distribute.sweeps.study import Study
    from phalanx.distribute.sweeps.study_files.reader import read_study

    file = read_study(study, trust=True)  # who names a study to run it trusts it
    seed = file.seed if cut.seed is None else cut.seed
    whole = Study(file.run, file.over, file.keep, seed, cut.chunk or file.chunk)
    where = engine_of(engine)
    if case_seconds is not None:
        where = where.limited(positive("--case-seconds", case_seconds, "a positive number [s]"))
    where.check()
    if file.description:
        console.err().print(file.description, soft_wrap=True)
    if dry_run:
        _tell(whole, where)
        return
    if to is None:
        raise InvalidInput("--to is missing: name the folder for results, such as --to out.zarr.")
    check_name(to)
    if again.resume and again.force:
        raise InvalidInput("--resume goes on with a store and --force throws it away; choose one.")
    command = f"phalanx sweep {shlex.quote(study)} --to {shlex.quote(str(to))}"
    command += "" if engine == "here" else f" --engine {shlex.quote(engine)}"
    command += "" if case_seconds is None else f" --case-seconds {case_seconds:g}"
    _run(command, file, whole, to, where, again)


def _tell(study: Study, engine: SweepEngine) -> None:
    """How much there is to do, by running the first few cases."""
    from phalanx.distribute.sweeps.chunk_size import measured_chunk, seconds_of_case

    with console.err().status("Measuring a few cases …"):
        cut = study if study.chunk is not None else study.with_chunk(measured_chunk(study, engine))
        each = seconds_of_case(cut, engine.threads)
    size, workers = cut.size(), engine.workers
    rows = {
        "varied": ", ".join(study.over.names),
        "kept": ", ".join(study.keep or ()),
        "cases": f"{size.cases:,}",
        "chunks": f"{size.chunks:,} of {cut.cut:,} cases",
        "store": f"at most {byte_words(size.bytes)}",
        "time": f"about {time_words(each * size.cases / workers)}, {workers} at once",
    }
    console.say(Facts([named_texts("dry run", rows)]))


def _run(
    command: str, file: StudyFile, study: Study, to: Path, engine: SweepEngine, again: StoreOptions
) -> None:
    from phalanx.distribute.sweeps.chunk_size import measured_chunk
    from phalanx.distribute.sweeps.store import Store, check_room
    from phalanx.distribute.sweeps.study_files.noted import note_study
    from phalanx.distribute.sweeps.sweeping import sweep as run_sweep

    if to.exists() and again.force:
        shutil.rmtree(Store.open(to).path)  # of a sweep and of nothing else
    if to.exists() and not again.resume:
        Store.open(to)
        raise InvalidInput(f"{to} exists; --resume goes on with it, --force throws it away.")
    if not to.exists():
        check_room(to, study)
        if study.chunk is None:
            with console.err().status("Compiling, and measuring a few cases …"):
                study = study.with_chunk(measured_chunk(study, engine))
        note_study(Store.create(to, study), file)
    store = Store.open(to)
    if study.chunk is None:
        study = study.with_chunk(store.cut)
    store.check(study)
    options = {"keep": study.keep, "seed": study.seed, "chunk": study.chunk}
    try:
        with console.saying_warnings(), SweepBar(file.name, study.cases, store.cases_done) as bar:
            result = run_sweep(
                study.run,
                study.over,
                to=to,
                engine=engine,
                resume=True,
                most_failures=file.most_failures,
                progress=bar,
                **options,  # type: ignore[arg-type]
            )
    except KeyboardInterrupt:
        done = Store.open(to).cases_done
        console.err().print(
            f"{done:,} of {study.cases:,} cases are kept; go on with: {command} --resume",
            soft_wrap=True,
        )
        raise
    failed = len(result.failures)
    console.out().print(
        f"{study.cases:,} cases in {to}, {bar.new:,} of them new, {failed:,} failed.",
        soft_wrap=True,
        markup=False,
    )
    console.err().print(f"phalanx sweep report {to} --to report.html shows them.", soft_wrap=True)
