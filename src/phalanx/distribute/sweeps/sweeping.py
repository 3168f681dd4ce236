"""``px.sweep``: parameter sweep (Monte Carlo, grid), run in chunks that are stored as they come."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from phalanx.base.arguments import checked, positive, whole
from phalanx.base.errors import PhalanxError
from phalanx.base.files import home_path
from phalanx.distribute.sweeps.cases import Cases
from phalanx.distribute.sweeps.chunk import Array, Chunk
from phalanx.distribute.sweeps.chunk_size import measured_chunk
from phalanx.distribute.sweeps.columns import CASE, results, varied
from phalanx.distribute.sweeps.engines.choice import engine_of
from phalanx.distribute.sweeps.engines.engine import SweepEngine
from phalanx.distribute.sweeps.memory import Memory
from phalanx.distribute.sweeps.run import SweepRun
from phalanx.distribute.sweeps.store import Store, check_room
from phalanx.distribute.sweeps.study import Study
from phalanx.simulation.record.named_arrays import table

_CALLER = 3  # frames up: what checks arguments stands between


@final
@dataclass(frozen=True)
class SweepProgress:
    """How far a sweep is.

    Attributes:
        cases: How many there are.
        done: Of these, how many are there, those of earlier runs among them.
        before: How many were there when this run began.
        failures: Cases that failed.
        seconds: Since this run began [s].
    """

    cases: int
    done: int
    before: int
    failures: int
    seconds: float


@final
@dataclass(frozen=True, eq=False)
class Sweep:
    """Results of a sweep.

    Attributes:
        study: What was run.
        kept: Where results are: a :class:`Store`, or memory.
    """

    study: Study
    kept: Store | Memory

    def __getitem__(self, name: str) -> Array:
        """All of what is kept under a name, or of what was varied: shape (cases, ...)."""
        return self.kept.array(name)

    @property
    def failures(self) -> Mapping[int, str]:
        """Cases that failed, and why."""
        return self.kept.failures

    def to_xarray(self) -> Any:
        """As an ``xarray.Dataset``."""
        return self.kept.to_xarray()

    def to_pandas(self) -> Any:
        """As a ``pandas.DataFrame``: a row a case, a column for each number varied or found.

        Signals over time have no column; they are in :meth:`to_xarray`.

        Raises:
            MissingExtra: When pandas or xarray is not installed.
        """
        data = self.to_xarray().load()
        found = varied(data) | results(data)
        columns = {name: column.cells for name, column in found.items()}
        units = {name: column.unit for name, column in found.items()}
        return table(columns, units, {CASE: np.arange(self.study.cases)}, {})

    def __repr__(self) -> str:
        """How much there is."""
        where = f" in {self.kept.path}" if isinstance(self.kept, Store) else ""
        return f"<Sweep: {self.study.cases:,} cases, {len(self.failures):,} failed{where}>"


class TooManyFailures(PhalanxError):
    """More cases failed than were allowed; what is done is kept in ``sweep``."""

    def __init__(self, failures: Mapping[int, str], most: int, sweep: Sweep) -> None:
        """Say how many, and why the first one did."""
        first = min(failures)
        super().__init__(
            f"{len(failures):,} cases failed, and most_failures={most}. The first is case {first}: "
            f"{failures[first]}"
        )
        self.sweep = sweep


@checked
def sweep(
    run: SweepRun,
    over: Cases | Iterable[Mapping[str, Any]],
    *,
    keep: Sequence[str] | None = None,
    to: str | os.PathLike[str] | None = None,
    engine: Any = None,
    seed: int = 0,
    chunk: int | None = None,
    resume: bool = False,
    most_failures: int | None = None,
    progress: Callable[[SweepProgress], None] | None = None,
    case_seconds: float | None = None,
) -> Sweep:
    """Run many cases: designs, seeds, states.

    Results do not depend on the engine, nor on how cases are cut into chunks: not in a bit.

    Args:
        run: What is run with each: a :class:`Rollout`, :class:`Simulation`, :class:`Evaluation` or
            :class:`Call` of ``phalanx.sweeps``.
        over: The cases: :class:`Grid`, :class:`Random`, :class:`Quasi`, :class:`Table`, or any
            iterable of tables from name to value.
        keep: What is kept of each; what the run suggests when not given.
        to: A folder for results, in Zarr's format; they stay in memory when not given.
        engine: Where chunks are run: :class:`InProcess`, :class:`Processes`, :class:`Dask`,
            :class:`OnExecutor`, or what :func:`engine_of` takes; in this process when not given.
        seed: Of random cases.
        chunk: Cases that are run in one go; half a second's worth or more when not given, as many
            as keep all workers busy.
        resume: Whether to go on with a store that is there, and do exactly what is missing.
        most_failures: Give up when more cases fail; never when not given.
        progress: Called after every chunk.
        case_seconds: Time limit of a case [s]: one that takes longer is ended with its process and
            kept as failed. Of the engines only :class:`Processes` can. Cases that are compiled
            together have the sum of their limits, and are run in smaller parts when that is over.

    Raises:
        UnknownName: When the run has no such number to vary, or no such result.
        InvalidInput: When values do not fit, results have no room, or the store is another
            study's, is there already, or is being written; when the engine has no time limit.
        TooManyFailures: When more cases fail than allowed; what is done is kept.
        WriteError: When the disk is full; what is done is kept.
    """
    study = Study(run, over, keep, seed, chunk)  # type: ignore[arg-type]
    if most_failures is not None:
        whole("most_failures", most_failures, 0)
    chosen = engine_of(engine)
    if case_seconds is not None:
        chosen = chosen.limited(positive("case_seconds", case_seconds, "a positive number [s]"))
    chosen.check()
    study, kept = _kept(study, to, resume, chosen)
    result = Sweep(study, kept)
    with ExitStack() as stack:
        if isinstance(kept, Store):
            stack.enter_context(kept.writing())
            for why in kept.mend().values():
                warnings.warn(f"{why} It is computed again.", stacklevel=_CALLER)
        missing, begin = list(kept.missing), time.perf_counter()
        before = done = kept.cases_done
        failures = dict(kept.failures)
        work = stack.enter_context(closing(_chunks(chosen, study, missing)))
        for number, part in work:
            kept.write(number, part, study)
            failures |= part.failures
            done += len(study.numbers(number))
            if progress is not None:
                seconds = time.perf_counter() - begin
                progress(SweepProgress(study.cases, done, before, len(failures), seconds))
            if most_failures is not None and len(failures) > most_failures:
                raise TooManyFailures(failures, most_failures, result)
    return result


def _chunks(engine: SweepEngine, study: Study, numbers: list[int]) -> Generator[tuple[int, Chunk]]:
    """Yield chunks as an engine finishes them; it is not started where nothing is missing."""
    if numbers:
        yield from engine.each(study, numbers)


def _kept(
    study: Study, to: str | os.PathLike[str] | None, resume: bool, engine: SweepEngine
) -> tuple[Study, Store | Memory]:
    """Where results go, and the study cut as it is there."""
    if to is not None and resume and home_path(to).exists():
        store = Store.open(to)
        if study.chunk is None:
            study = study.with_chunk(store.cut)
        store.check(study)
        return study, store
    if to is not None:
        path = home_path(to)
        if path.exists():
            Store.create(path, study)  # raises before anything is measured
        check_room(path, study)
    if study.chunk is None:
        study = study.with_chunk(measured_chunk(study, engine))
    return study, Memory(study) if to is None else Store.create(to, study)
