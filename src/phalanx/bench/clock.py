"""Time several ways to do one thing, fairly, on a machine that does other things too.

Policy: the contestants take turns, round after round, so that whatever else the machine does hits
all of them. Each turn repeats its call until it lasts long enough to be seen by the clock. The
minimum is the time without disturbance and is what ratios are made of; the median beside it
tells how much disturbance there was.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

Call = Callable[[], object]


@dataclass(frozen=True)
class Effort:
    """How long to measure.

    Attributes:
        turn: Shortest time of one turn [s].
        rounds: How many turns each contestant gets.
    """

    turn: float = 5e-3
    rounds: int = 15


QUICK = Effort(turn=2e-3, rounds=5)
THOROUGH = Effort()


@dataclass(frozen=True)
class Timing:
    """Time of one evaluation [ns]: the best turn, the middle one, and how many there were."""

    best: float
    median: float
    rounds: int

    def per(self, evaluations: int) -> Timing:
        """The same where one call makes several evaluations."""
        return Timing(self.best / evaluations, self.median / evaluations, self.rounds)


def take_turns(contestants: Mapping[str, Call], effort: Effort) -> dict[str, Timing]:
    """Time of one call of each contestant, measured in turns."""
    repeats = {name: _repeats(call, effort.turn) for name, call in contestants.items()}
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(effort.rounds):
        for name, call in contestants.items():
            times[name].append(_turn(call, repeats[name]) / repeats[name])
    return {
        name: Timing(1e9 * min(t), 1e9 * statistics.median(t), len(t)) for name, t in times.items()
    }


def _repeats(call: Call, turn: float) -> int:
    """How many calls make a turn; finding out warms up caches, threads and branch predictors."""
    repeats = 1
    while True:
        elapsed = _turn(call, repeats)
        if elapsed >= turn:
            return repeats
        repeats = max(2 * repeats, min(10 * repeats, int(1.2 * repeats * turn / (elapsed + 1e-9))))


def _turn(call: Call, repeats: int) -> float:
    start = time.perf_counter()
    for _ in range(repeats):
        call()
    return time.perf_counter() - start
