"""Khan's comparison of methods, measured: the same motion, the same integrators, one table."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from phalanx.equations import expression
from phalanx.equations.loops.assembly.closed_loops import closed_loops
from phalanx.kernel import count_operations
from phalanx.simulation.formulations import Adaptive, Formulation, History, RungeKutta, Steps, run
from phalanx.simulation.formulations.projected import terms_of
from phalanx.studies.khan.bench import bench, correction, feedback, replay
from phalanx.studies.khan.contestants import CONTESTANTS, Contestant
from phalanx.studies.khan.prescribed import PrescribedMotion
from phalanx.studies.khan.sharing import Sharing, measure_sharing

Array = NDArray[np.float64]

COARSE, FINE = Adaptive(1e-3, 1e-6), Adaptive(1e-6, 1e-6)
FEEDBACK_STEP = 1e-3  # [s]
BUDGET = 20_000


@dataclass(frozen=True)
class Measured:
    """Measurements of one method on the motion.

    Attributes:
        contestant: The method.
        numbers: How many numbers are integrated.
        preparation: Tracing and compiling, or loading what was compiled before [s].
        operations: Arithmetic of one evaluation; None where matrices are decomposed.
        derived: Arithmetic that was derived and compiled: that, or the terms that matrices are
            made of.
        sharing: Messages between legs on processors of their own; None where the method is
            not cut into legs.
        evaluation: Time of one evaluation, called from Python [s].
        fastest: Largest eigenvalue of the linearised equations at the start [1/s].
        coarse: Replay with adaptive steps, relative tolerance 1e-3.
        fine: The same with 1e-6.
        followed: With feedback, in steps of 1 ms.
        errors: Largest departure of the motors in these three runs [rad].
        opening: Largest opening of the loops with feedback [m].
        correction: What feedback added, per cent of each motor's peak, (steps + 1, motors).
    """

    contestant: Contestant
    numbers: int
    preparation: float
    operations: int | None
    derived: int
    sharing: Sharing | None
    evaluation: float
    fastest: float
    coarse: History
    fine: History
    followed: History
    errors: tuple[float, float, float]
    opening: float
    correction: Array

    @property
    def worst_correction(self) -> float:
        """Largest correction of any motor at any time [per cent of its peak]."""
        return float(self.correction.max())

    @property
    def longest_step(self) -> float:
        """Longest step that classical Runge-Kutta survives at the start [s]."""
        return 2.785 / self.fastest


def compare(
    contestants: Sequence[Contestant] = CONTESTANTS,
    *,
    budget: int = BUDGET,
    progress: Callable[[str], None] | None = None,
) -> list[Measured]:
    """Measure methods on the motion of the thesis.

    Args:
        contestants: The methods; all when not given.
        budget: Most evaluations of an adaptive run; one that needs more is stopped, and says so.
        progress: Told what is about to be measured.
    """
    report = progress or (lambda what: None)
    report("the motion and its torques")
    motion = bench()
    found = []
    for contestant in contestants:
        report(contestant.name)
        found.append(measure(contestant, motion, budget))
    return found


def measure(contestant: Contestant, motion: PrescribedMotion, budget: int = BUDGET) -> Measured:
    """Measure one method."""
    began = time.perf_counter()
    formulation = contestant.formulate(motion.mechanism)
    preparation = time.perf_counter() - began
    x = formulation.begin(motion.q[0], motion.v[0])
    operations = (
        None
        if contestant.equation is None
        else count_operations(expression(contestant.equation, motion.mechanism)).total
    )
    evaluation = _time_of_one(formulation, motion, x)
    fastest = _fastest(formulation, motion, x)

    def follow(steps: Steps, *, with_feedback: bool = False) -> History:
        control = feedback(motion) if with_feedback else replay(motion)
        return run(
            formulation,
            motion.q[0],
            motion.v[0],
            control,
            duration=motion.duration,
            steps=steps,
            budget=math.inf if with_feedback else budget,
            partial=True,
        )

    coarse, fine = follow(COARSE), follow(FINE)
    followed = follow(RungeKutta(FEEDBACK_STEP), with_feedback=True)
    runs = (coarse, fine, followed)
    errors = [float(np.abs(motion.position_error(h.t, h.q)).max()) for h in runs]
    loops = closed_loops(motion.mechanism).search
    opened = [np.abs(loops.openings(q)).max() for q in followed.q[::10]]
    return Measured(
        contestant,
        len(x),
        preparation,
        operations,
        terms_of(motion.mechanism).operations if operations is None else operations,
        None if contestant.nodes is None else measure_sharing(motion.mechanism, contestant.nodes),
        evaluation,
        fastest,
        *runs,
        (errors[0], errors[1], errors[2]),
        float(max(opened)),
        correction(motion, followed.t, followed.q, followed.v),
    )


def _time_of_one(formulation: Formulation, motion: PrescribedMotion, x: Array) -> float:
    """Best time of an evaluation, control left out [s]."""
    tau = replay(motion)(0.0, motion.q[0], motion.v[0])
    best = math.inf
    for _ in range(7):
        began = time.perf_counter()
        for _ in range(100):
            formulation.rate(0.0, x, lambda t, q, v: tau)
        best = min(best, time.perf_counter() - began)
    return best / 100


def _fastest(formulation: Formulation, motion: PrescribedMotion, x: Array) -> float:
    """Largest eigenvalue of the rates by the numbers that are integrated, central differences."""
    control, h = replay(motion), 1e-6
    columns = [
        formulation.rate(0.0, x + h * e, control) - formulation.rate(0.0, x - h * e, control)
        for e in np.eye(len(x))
    ]
    return float(np.abs(np.linalg.eigvals(np.array(columns).T / (2 * h))).max())
