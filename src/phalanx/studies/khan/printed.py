"""Replay with the accelerations across the partition as the thesis prints them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from phalanx.simulation.formulations import History, RungeKutta, run
from phalanx.studies.khan import PrintedProjection
from phalanx.studies.khan.bench import bench, replay

DEPARTED, LOST = 0.01, 1.0  # [rad]


@dataclass(frozen=True)
class PrintedRun:
    """A replay of the motion that breaks.

    Attributes:
        history: The run, as far as it came; ``history.stopped`` says why.
        error: Largest departure of the motors at each moment [rad].
    """

    history: History
    error: np.ndarray

    def exceeds(self, error: float) -> float | None:
        """When the motors are first off by more than that [s]; None when they never are."""
        off = self.error > error
        return float(self.history.t[np.argmax(off)]) if off.any() else None

    @property
    def departs(self) -> float | None:
        """When they are off by 0.01 rad [s]."""
        return self.exceeds(DEPARTED)

    @property
    def diverges(self) -> float | None:
        """When they are off by 1 rad [s]."""
        return self.exceeds(LOST)


@cache
def printed_run(step: float = 0.01, decay: float = 10.0) -> PrintedRun:
    """Replay the motion by Runge-Kutta with η and γ as printed; it says where it breaks.

    Args:
        step: [s].
        decay: Of open loops [1/s].
    """
    motion = bench()
    history = run(
        PrintedProjection(decay),
        motion.q[0],
        motion.v[0],
        replay(motion),
        duration=motion.duration,
        steps=RungeKutta(step),
        partial=True,
    )
    return PrintedRun(history, np.abs(motion.position_error(history.t, history.q)).max(axis=1))
