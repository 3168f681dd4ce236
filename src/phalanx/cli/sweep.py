"""``phalanx sweep``: a parameter sweep on one or several computers."""

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
        help="Study file (.toml), or one of the studies {names}.",
        show_default=False,
    ),
]


@dataclass(frozen=True)
class ChunkOptions:
    """Seed and chunk size; those of the study file if not given."""

    seed: Annotated[
        int | None,
        typer.Option(
            min=0, help="Seed of random cases. Default: that of the study.", show_default=False
        ),
    ] = None
    chunk: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Cases in one call (chunk size). Default: about half a second of work.",
            show_default=False,
        ),
    ] = None


@dataclass(frozen=True)
class StoreOptions:
    """Resume or overwrite an existing store."""

    resume: Annotated[
        bool, typer.Option("--resume", help="Continue an existing sweep: run the missing cases.")
    ] = False
    force: Annotated[bool, typer.Option("--force", help="Delete an existing sweep.")] = False


def sweep(
    study: Source,
    *,
    to: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Folder for the results, in the format Zarr: out.zarr.",
            show_default=False,
        ),
    ] = None,
    engine: Annotated[
        str,
        typer.Option(
            metavar="ENGINE",
            help="Where to run: here, processes:4 (on this machine), dask (a local cluster), "
            "dask:tcp://HOST:8786 (a running scheduler).",
        ),
    ] = "here",
    chunks: ChunkOptions,
    existing: StoreOptions,
    case_seconds: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            help="Time limit of a case [s], with --engine processes. A case that exceeds it is "
            "recorded as failed.",
            show_default=False,
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Print number of cases, time and size of the sweep; do not run it."
        ),
    ] = False,
) -> None:
    r"""Run a parameter sweep or Monte Carlo study; store the results for xarray.

    A study file has the varied parameters, the run and the results to keep. Results are bitwise
    equal on all engines. An interrupted sweep continues with --resume. For an existing store use
    the commands `sweep status`, `sweep report` and `sweep replay`.

    Examples:
        phalanx sweep puma-robustness --dry-run
        phalanx sweep puma-robustness --to out.zarr --engine processes:2
        phalanx sweep status out.zarr
        phalanx sweep report out.zarr --to report.html
        phalanx sweep replay out.zarr --case 17

        # continue on a cluster
        phalanx sweep study.toml --to out.zarr --engine dask:tcp://head:8786 \
            --resume
    """
    need("--to", "cluster", wanted=to is not None and not dry_run)
    from phalanx.base.arguments import positive
    from phalanx.distribute.sweeps.engines.choice import engine_of
    from phalanx.distribute.sweeps.study import Study
    from phalanx.distribute.sweeps.study_files.reader import read_study

    file = read_study(study, trust=True)  # a study named on the command line is trusted
    seed = file.seed if chunks.seed is None else chunks.seed
    whole = Study(file.run, file.over, file.keep, seed, chunks.chunk or file.chunk)
    where = engine_of(engine)
    if case_seconds is not None:
        where = where.limited(positive("--case-seconds", case_seconds, "a positive number [s]"))
    where.check()
    if file.description:
        console.print_note(file.description)
    if dry_run:
        _dry_run(whole, where)
        return
    if to is None:
        raise InvalidInput("--to is missing: name the folder for results, such as --to out.zarr.")
    check_name(to)
    if existing.resume and existing.force:
        raise InvalidInput("--resume goes on with a store and --force throws it away; choose one.")
    command = f"phalanx sweep {shlex.quote(study)} --to {shlex.quote(str(to))}"
    command += "" if engine == "here" else f" --engine {shlex.quote(engine)}"
    command += "" if case_seconds is None else f" --case-seconds {case_seconds:g}"
    _run(command, file, whole, to, where, existing)


def _dry_run(study: Study, engine: SweepEngine) -> None:
    """Print number of cases, store size and time, measured with a few cases."""
    from phalanx.distribute.sweeps.chunk_size import measured_chunk, seconds_of_case

    with console.err().status("Measuring a few cases …"):
        if study.chunk is None:
            study = study.with_chunk(measured_chunk(study, engine))
        each = seconds_of_case(study, engine.threads)
    size, workers = study.size(), engine.workers
    rows = {
        "varied": ", ".join(study.over.names),
        "kept": ", ".join(study.keep or ()),
        "cases": f"{size.cases:,}",
        "chunks": f"{size.chunks:,} of {study.cut:,} cases",
        "store": f"at most {byte_words(size.bytes)}",
        "time": f"about {time_words(each * size.cases / workers)}; workers: {workers}",
    }
    console.print_facts(Facts([named_texts("dry run", rows)]))


def _run(
    command: str,
    file: StudyFile,
    study: Study,
    to: Path,
    engine: SweepEngine,
    existing: StoreOptions,
) -> None:
    from phalanx.distribute.sweeps.chunk_size import measured_chunk
    from phalanx.distribute.sweeps.store import Store, check_room
    from phalanx.distribute.sweeps.study_files.noted import note_study
    from phalanx.distribute.sweeps.sweeping import sweep as run_sweep

    if to.exists() and existing.force:
        shutil.rmtree(Store.open(to).path)  # open raises for folders that are no store
    if to.exists() and not existing.resume:
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
        with console.print_warnings(), SweepBar(file.name, study.cases, store.cases_done) as bar:
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
        console.print_note(
            f"{done:,} of {study.cases:,} cases are stored; continue with: {command} --resume"
        )
        raise
    failed = len(result.failures)
    line = f"{study.cases:,} cases in {to}, {bar.new:,} of them new, {failed:,} failed."
    console.print_facts(Facts([line]))
    console.print_note(f"For a page with the results: phalanx sweep report {to} --to report.html")
