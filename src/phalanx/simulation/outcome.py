"""What is left of a batch of runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phalanx.simulation.divergence import Cause, Divergence

Array = NDArray[np.floating[Any]]


@dataclass(frozen=True, eq=False)
class Rollout:
    """What is left of a batch of runs.

    Attributes:
        time: Of the recorded states [s], shape (T,).
        q: Recorded positions, shape (..., T, nq); None if not asked for.
        v: Recorded velocities, shape (..., T, nv).
        tau: Joint forces applied in the step before each record, shape (..., T, nv).
        final_q: Positions after the last step, shape (..., nq).
        final_v: Velocities after the last step, shape (..., nv).
        cost: The objective of each run, shape (...); None without one.
        states: Recorded states of subsystems by name, shape (..., T, n).
        final_states: The same after the last step, shape (..., n); where the next call may begin.
        divergence: Runs that ended early, in which step and why. Numbers of such a run from that
            step on mean nothing; they are NaN or infinite where its state is.
    """

    time: Array
    q: Array | None
    v: Array | None
    tau: Array | None
    final_q: Array
    final_v: Array
    cost: Array | None
    states: Mapping[str, Array] = field(default_factory=dict)
    final_states: Mapping[str, Array] = field(default_factory=dict)
    divergence: Divergence = field(default_factory=Divergence.none)

    @property
    def diverged(self) -> NDArray[np.bool_]:
        """Whether each run ended early, shape (...)."""
        return self.divergence.runs

    @property
    def singular(self) -> NDArray[np.bool_]:
        """Which of them did at a singular posture that leaves their motion open, shape (...)."""
        return np.asarray(self.divergence.cause == Cause.SINGULAR_POSTURE)
