"""Fair timing of several functions, in turns, on a machine that does other things too.

Policy: the contestants take turns, round after round, so that whatever else the machine does hits
all of them. Each turn repeats its call until it lasts long enough to be seen by the clock. The
minimum is the time without disturbance and is what ratios are made of, so rounds go on while it
still falls for someone; the median beside it tells how much disturbance there was.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

FALL = 0.99  # a best time that falls by less is settled

Call = Callable[[], object]


@dataclass(frozen=True)
class TimingEffort:
    """How long to measure.

    Attributes:
        turn: Shortest time of one turn [s].
        rounds: How many turns each contestant gets at least; up to four times as many while the
            best time of one of them has fallen within the last half as many.
    """

    turn: float = 5e-3
    rounds: int = 15


QUICK = TimingEffort(turn=2e-3, rounds=5)
THOROUGH = TimingEffort()


@dataclass(frozen=True)
class EvaluationTime:
    """Time of one evaluation.

    Attributes:
        best: Of the best turn [ns].
        median: Of the middle one [ns].
        rounds: How many turns there were.
        processors: How many processors the best turn had: processor time over time. Fewer than
            its threads means that other programs kept them.
    """

    best: float
    median: float
    rounds: int
    processors: float

    def per(self, evaluations: int) -> EvaluationTime:
        """The same where one call makes several evaluations."""
        return replace(self, best=self.best / evaluations, median=self.median / evaluations)


def take_turns(contestants: Mapping[str, Call], effort: TimingEffort) -> dict[str, EvaluationTime]:
    """Time of one call of each contestant, measured in turns."""
    repeats = {name: _repeats(call, effort.turn) for name, call in contestants.items()}
    turns: dict[str, list[tuple[float, float]]] = {name: [] for name in contestants}
    last_fall = 0
    for n in range(4 * effort.rounds):
        for name, call in contestants.items():
            taken = _turn(call, repeats[name])
            if taken[0] < FALL * min((t[0] for t in turns[name]), default=float("inf")):
                last_fall = n
            turns[name].append(taken)
        if n + 1 >= effort.rounds and n - last_fall >= effort.rounds // 2:
            break
    return {name: _timing(taken, repeats[name]) for name, taken in turns.items()}


def _timing(turns: list[tuple[float, float]], repeats: int) -> EvaluationTime:
    elapsed, worked = min(turns)
    middle = statistics.median(turn[0] for turn in turns)
    return EvaluationTime(
        1e9 * elapsed / repeats, 1e9 * middle / repeats, len(turns), worked / elapsed
    )


def _repeats(call: Call, turn: float) -> int:
    """How many calls make a turn; finding out warms up caches, threads and branch predictors."""
    call()  # may compile
    repeats = 1
    while True:
        elapsed, _ = _turn(call, repeats)
        if elapsed >= turn:
            return repeats
        repeats = max(2 * repeats, min(10 * repeats, int(1.2 * repeats * turn / (elapsed + 1e-9))))


def _turn(call: Call, repeats: int) -> tuple[float, float]:
    """Time and processor time, of all threads, of a turn [s]."""
    work = time.process_time()
    start = time.perf_counter()
    for _ in range(repeats):
        call()
    return time.perf_counter() - start, time.process_time() - work
