"""Grades out of measurements, by rules that are written down; beside those of the source.

The source grades by judgement. Here a grade is a threshold on something measured or counted.
"""

from __future__ import annotations

from collections.abc import Sequence

from phalanx.study.comparison import FEEDBACK_STEP, Measured

RULES = {
    "modularity": "high: a leg's equations know only its own state and the platform's, or all "
    "states at the start of a step; medium: they need the legs' results as well",
    "distribution": "high: legs on processors of their own exchange letters once a step; medium: "
    "several times an evaluation",
    "preparation": "by the operations that have to be derived: low below 1.5 times those of the "
    "smallest method, medium below 3.5 times, high above; medium for decompositions",
    "accuracy": "by what feedback has to add: high below 1 % of the peak torque, medium below "
    "15 %, low above, or if the run broke",
    "cost": "of an evaluation, by the same thresholds as preparation",
    "stiffness": "high: Runge-Kutta needs steps shorter than ten of 1 ms because of what the "
    "method added to the machine; low: it does not",
    "efficiency": "by evaluations for the motion at a relative tolerance of 1e-6: high below twice "
    "those of the best, medium below ten times, low above, or out of budget",
}


def grades(measured: Measured, others: Sequence[Measured]) -> dict[str, str]:
    """The grades of one method among others."""
    smallest = min((m.operations for m in others if m.operations is not None), default=1)
    fewest = min((m.fine.evaluations for m in others if not m.fine.stopped), default=1)
    work = (
        "medium"
        if measured.operations is None
        else _grade(measured.operations / smallest, 1.5, 3.5, "low", "high")
    )
    broke = bool(measured.followed.stopped)
    tired = bool(measured.fine.stopped)
    once = measured.contestant.exchanges == "step"
    return {
        "modularity": "high" if once else "medium",
        "distribution": "high" if once else "medium",
        "preparation": work,
        "accuracy": "low" if broke else _grade(measured.worst_correction, 1, 15, "high", "low"),
        "cost": work,
        "stiffness": "high" if measured.longest_step < 10 * FEEDBACK_STEP else "low",
        "efficiency": (
            "low" if tired else _grade(measured.fine.evaluations / fewest, 2, 10, "high", "low")
        ),
    }


def _grade(value: float, first: float, second: float, best: str, worst: str) -> str:
    return best if value < first else "medium" if value < second else worst
