"""Table 2: both manoeuvres simulated with five iterations, on the substitute arm.

The paper's arm is not in the paper, so its numbers stand beside ours and are not reproduced.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import final

import numpy as np

from phalanx.equations import forward_dynamics
from phalanx.mechanism.pose import Array
from phalanx.simulation.formulations import (
    Accelerations,
    BodyLayout,
    ForcesOverTime,
    Lsoda,
    run,
    tied_stopping,
)
from phalanx.studies.sharf.bench import ITERATIONS, TOLERANCE, Iteration, replay
from phalanx.studies.sharf.machines import DURATION, PLANAR, SPATIAL, Manoeuvre, substitute_arm

_TIGHT = 1e-12


@final
@dataclass(frozen=True)
class Simulated:
    """A manoeuvre of ten seconds with one iteration.

    Attributes:
        iteration: The iteration.
        manoeuvre: Which one.
        accuracy: Departure at its end, in per cent of the positions there.
        iterations: On average.
        evaluations: Of the equations of motion.
        seconds: Processor time [s].
        drift: Largest velocity that joints do not allow [m/s and rad/s].
    """

    iteration: Iteration
    manoeuvre: Manoeuvre
    accuracy: float
    iterations: float
    evaluations: int
    seconds: float
    drift: float


@cache
def end_of(manoeuvre: Manoeuvre) -> Array:
    """State of the arm after a manoeuvre, by recursion with a tight tolerance."""
    q, v, _ = manoeuvre.trajectory(0.0)
    recursion = Accelerations(substitute_arm(), forward_dynamics.articulated_body)
    steps = Lsoda(_TIGHT, _TIGHT)
    return run(recursion, q, v, replay(manoeuvre), duration=DURATION, steps=steps).q[-1]


def departure(q: Array, manoeuvre: Manoeuvre) -> float:
    """How far from its end the arm is, in per cent of the positions there."""
    wanted = end_of(manoeuvre)
    return float(100 * np.linalg.norm(q - wanted) / np.linalg.norm(wanted))


def simulate_manoeuvre(
    iteration: Iteration, manoeuvre: Manoeuvre, tolerance: float = TOLERANCE
) -> Simulated:
    """As in the paper: velocities of bodies integrated, a tenth of the tolerance, a cubic start."""
    steps = Lsoda(tolerance, tolerance)
    forces = ForcesOverTime(iteration.solver, tied_stopping(steps, by_residual=False))
    arm = BodyLayout(substitute_arm(), forces)
    q, v, _ = manoeuvre.trajectory(0.0)
    began = time.process_time()
    history = run(arm, q, v, replay(manoeuvre), duration=DURATION, steps=steps)
    seconds = time.process_time() - began
    return Simulated(
        iteration,
        manoeuvre,
        departure(history.q[-1], manoeuvre),
        float(np.mean(arm.iterations)),
        history.evaluations,
        seconds,
        max(drift for _, drift in arm.drifts),
    )


def table_2(
    iterations: Sequence[Iteration] = ITERATIONS,
    *,
    progress: Callable[[str], None] | None = None,
) -> list[Simulated]:
    """Both manoeuvres with every iteration.

    Args:
        iterations: The iterations.
        progress: Told what is about to be simulated.
    """
    report = progress or (lambda what: None)
    found = []
    for manoeuvre in (PLANAR, SPATIAL):
        for iteration in iterations:
            report(f"{iteration.name}, {manoeuvre.name} manoeuvre")
            found.append(simulate_manoeuvre(iteration, manoeuvre))
    return found
