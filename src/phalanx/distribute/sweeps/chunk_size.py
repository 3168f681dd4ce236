"""How many cases are run in one go, when nobody says."""

from __future__ import annotations

import time

from phalanx.distribute.sweeps.study import Study

SECONDS = 0.5  # of a chunk: long beside a task's cost, short beside a coffee
LANES = 64  # whole vectors on several threads
LARGEST = 2**26  # bytes of a chunk's results
_PROBE = 0.02  # [s] that a measurement takes at least


def seconds_of_case(study: Study) -> float:
    """How long a case takes here, by running the first few in this process [s]."""
    count = 1
    study.of(range(1))  # compiles
    while True:
        begin = time.perf_counter()
        study.of(range(count))
        took = time.perf_counter() - begin
        if took > _PROBE or count == study.cases:
            return took / count
        count = min(study.cases, count * (4 if took > 0 else 16))


def measured_chunk(study: Study, seconds: float = SECONDS) -> int:
    """Cases that take about so long, in whole vectors, and whose results fit into memory."""
    wanted = int(seconds / max(seconds_of_case(study), 1e-9))
    room = max(1, LARGEST // study.size().bytes_of_case)
    count = max(1, min(wanted, room, study.cases))
    return count if count < LANES else count // LANES * LANES
