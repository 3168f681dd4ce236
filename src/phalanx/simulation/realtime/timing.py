"""Timing statistics of a real-time loop: step times, missed deadlines, drift."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

KEPT = 1 << 16  # step times for the percentiles: the last minute at 1 kHz


@final
@dataclass(frozen=True)
class LoopTiming:
    """Timing statistics of a loop until now.

    Attributes:
        steps: Steps taken.
        elapsed: Time on the clock, without pauses [s].
        step_median: Time a step takes [s].
        step_p99: Time that 99 of 100 steps do not exceed [s].
        step_max: The longest step [s].
        missed: Steps that were not done when the next was due.
        drift: How far the machine is behind the clock: time given up, and lateness now [s].
    """

    steps: int
    elapsed: float
    step_median: float
    step_p99: float
    step_max: float
    missed: int
    drift: float

    @property
    def missed_share(self) -> float:
        """Missed deadlines a step."""
        return self.missed / self.steps if self.steps else 0.0

    @property
    def rate(self) -> float:
        """Steps a second [Hz]."""
        return self.steps / self.elapsed if self.elapsed > 0 else 0.0

    def plain(self) -> dict[str, Any]:
        """All of it as numbers by name; times that do not exist yet are left out."""
        facts = asdict(self) | {"missed_share": self.missed_share, "rate": self.rate}
        return {name: value for name, value in facts.items() if math.isfinite(value)}

    def __str__(self) -> str:
        """One line."""
        us = 1e6
        return (
            f"{self.steps:,} steps in {self.elapsed:.3f} s ({self.rate:.1f} Hz): step "
            f"{self.step_median * us:.1f} µs median, {self.step_p99 * us:.1f} µs p99, "
            f"{self.step_max * us:.1f} µs max; {self.missed} deadlines missed "
            f"({self.missed_share:.2%}), drift {self.drift * 1e3:.3f} ms"
        )


@final
class Stopwatch:
    """Collects what a :class:`LoopTiming` says; percentiles are of the latest steps."""

    def __init__(self) -> None:
        self.steps = self.missed = 0
        self.elapsed = self.given_up = self.late = self.longest = 0.0
        self._durations = np.zeros(KEPT)

    def lap(self, duration: float) -> None:
        """A step took ``duration`` [s]."""
        self._durations[self.steps % KEPT] = duration
        self.steps += 1
        if duration > self.longest:
            self.longest = duration

    def timing(self, latest: int = KEPT) -> LoopTiming:
        """The numbers so far, with times of the latest so many steps; from any thread."""
        count = self.steps
        return timing_of(
            self._durations[np.arange(max(0, count - min(latest, KEPT)), count) % KEPT],
            steps=self.steps,
            elapsed=self.elapsed,
            step_max=self.longest,
            missed=self.missed,
            drift=self.given_up + self.late,
        )


def timing_of(durations: NDArray[np.float64], **facts: Any) -> LoopTiming:
    """A timing, with percentiles of the durations of the latest steps [s]."""
    quantiles = np.quantile(durations, (0.5, 0.99)).tolist() if durations.size else (math.nan,) * 2
    return LoopTiming(step_median=quantiles[0], step_p99=quantiles[1], **facts)
