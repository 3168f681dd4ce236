"""Cost and accuracy of the parallel-in-time method."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from phalanx.simulation.formulations import Motors, RungeKutta, SlidingBlock, Steps, run
from phalanx.studies.khan.bench import bench, replay

STEPS = (0.01, 0.005)  # [s]


@dataclass(frozen=True)
class BlockRun:
    """One replay of the motion.

    Attributes:
        points: Moments in a block; None for classical Runge-Kutta.
        step: Time between moments [s].
        evaluations: Of the equations of motion.
        rounds: Evaluations that had to wait for others.
        error: Largest departure of the motors [rad].
        seconds: How long the run took, its moments in lanes of one vector [s].
    """

    points: int | None
    step: float
    evaluations: int
    rounds: int
    error: float
    seconds: float


def block_runs(steps: Sequence[float] = STEPS) -> list[BlockRun]:
    """Replay the motion in blocks of one to four moments, and by Runge-Kutta beside them.

    Reference:
        Khan (2002), sec. 1.1.3.3.
    """
    motion = bench()
    formulation = Motors(motion.mechanism)
    found = []
    for step in steps:
        for points in (None, 1, 2, 3, 4):
            method: Steps = RungeKutta(step) if points is None else SlidingBlock(step, points)
            began = time.perf_counter()
            history = run(
                formulation,
                motion.q[0],
                motion.v[0],
                replay(motion),
                duration=motion.duration,
                steps=method,
            )
            seconds = time.perf_counter() - began
            error = float(np.abs(motion.position_error(history.t, history.q)).max())
            found.append(
                BlockRun(points, step, history.evaluations, history.rounds, error, seconds)
            )
    return found
