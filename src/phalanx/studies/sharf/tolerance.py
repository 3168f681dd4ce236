"""Tolerance of the iterations against that of the integrator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import final

import numpy as np

from phalanx.dynamics.evaluators.constraint_forces.direct import BlockElimination
from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array
from phalanx.simulation.formulations import ForcesOverTime, JointLayout, Lsoda, run, tied_stopping
from phalanx.studies.sharf.bench import TOLERANCE
from phalanx.studies.sharf.machines import hanging_chain

SHARES = (100.0, 10.0, 1.0, 0.1, 0.01)  # of the integrator's tolerance
DURATION, BUDGET = 2.0, 3000  # [s], evaluations


@final
@dataclass(frozen=True)
class Tied:
    """A run with one tolerance.

    Attributes:
        share: Of the integrator's tolerance; None for a direct solution.
        evaluations: That the integrator asked for.
        iterations: On average.
        reached: How far it came before its budget was spent [s].
        departure: Largest departure at the end from the direct run [rad]; None when it did not
            come there.
    """

    share: float | None
    evaluations: int
    iterations: float
    reached: float
    departure: float | None


def sweep(
    shares: Sequence[float] = SHARES,
    *,
    duration: float = DURATION,
    budget: int = BUDGET,
    progress: Callable[[str], None] | None = None,
) -> list[Tied]:
    """A chain of four links falls; the first run solves directly, the others iterate.

    Args:
        shares: Tolerances of the iteration as parts of the integrator's.
        duration: How long it falls [s].
        budget: Most evaluations of a run.
        progress: Told what is about to run.
    """
    report, steps = progress or (lambda what: None), Lsoda(TOLERANCE, TOLERANCE)
    chain = _chain()
    q, v = np.zeros(chain.nq), np.zeros(chain.nv)
    found: list[Tied] = []
    end: Array | None = None
    for share in (None, *shares):
        report("direct" if share is None else f"tolerance {share:g} of the integrator's")
        forces = (
            ForcesOverTime(BlockElimination())
            if share is None
            else ForcesOverTime(stopping=tied_stopping(steps, share, by_residual=False))
        )
        layout = JointLayout(chain, forces)
        history = run(
            layout, q, v, _free, duration=duration, steps=steps, budget=budget, partial=True
        )
        if share is None:
            end = history.q[-1]
        there = not history.stopped and end is not None
        off = float(np.abs(history.q[-1] - end).max()) if there else None
        found.append(
            Tied(
                share,
                history.evaluations,
                float(np.mean(layout.iterations)),
                float(history.t[-1]),
                off,
            )
        )
    return found


@cache
def _chain() -> Mechanism:
    return hanging_chain(4)


def _free(t: float, q: Array, v: Array) -> Array:
    return np.zeros(len(v))
