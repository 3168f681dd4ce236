"""Automatic chunk size: a few cases are timed, and a model of the overhead does the rest.

Results do not depend on it, only the time they take.
"""

from __future__ import annotations

import time
import warnings

from phalanx.distribute.sweeps.engines.engine import InProcess, SweepEngine
from phalanx.distribute.sweeps.scale import Scale
from phalanx.distribute.sweeps.study import Study
from phalanx.kernel.call.threads import at_most

_PROBE = 0.02  # [s] that a measurement takes at least
_LIMITED, _SHARES = 64, 4  # cases of a chunk whose cases have a time limit; chunks a worker


def seconds_of_case(study: Study, threads: int | None = None) -> float:
    """How long a case takes, by running the first few in this process [s].

    Args:
        study: The study.
        threads: How many threads a chunk has where it will run; all when not given.
    """
    with at_most(threads), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the sweep runs these cases again, and warns
        count = 1
        study.of(range(1))  # compiles
        while True:
            begin = time.perf_counter()
            study.of(range(count))
            took = time.perf_counter() - begin
            if took > _PROBE or count == study.cases:
                return max(took, 1e-9) / count
            count = min(study.cases, count * (4 if took > 0 else 16))


def measured_chunk(study: Study, engine: SweepEngine | None = None) -> int:
    """Cases of a chunk that keeps the workers of an engine busy; see :class:`Scale`."""
    engine = engine or InProcess()
    if engine.case_seconds is not None and study.run.is_one_by_one:
        # cases that may never end are not measured in this process
        return max(1, min(_LIMITED, -(-study.cases // (_SHARES * engine.workers))))
    seconds = seconds_of_case(study, engine.threads)
    return Scale(study.cases, seconds, study.size().bytes_of_case).chunk(engine.workers)
