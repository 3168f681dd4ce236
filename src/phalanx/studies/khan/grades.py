"""Grades by measured thresholds, beside those of the source.

The source grades by judgement. Here a grade is a threshold on something measured or counted.
"""

from __future__ import annotations

from collections.abc import Sequence

from phalanx.studies.khan.comparison import FEEDBACK_STEP, Measured

RULES = {
    "modularity": "by the messages of a leg on its own processor: high if they hold its state "
    "only, medium if they hold more; none if the method is not divided into legs",
    "distribution": "by the number of messages: high if one per evaluation, medium if more; none "
    "if the method is not divided into legs",
    "preparation": "by the number of operations to derive: low below 1.5 times those of the "
    "smallest method, medium below 3.5 times, high above",
    "accuracy": "by the correction of the feedback: high below 1 % of the peak torque, medium "
    "below 15 %, low above, or if the run failed",
    "cost": "by the operations of an evaluation, with the same thresholds; for methods that "
    "decompose matrices, by time relative to the fastest method",
    "stiffness": "high: what the method adds to the machine makes Runge-Kutta unstable at steps "
    "of 10 ms; low: it does not",
    "efficiency": "by evaluations for the motion at a relative tolerance of 1e-6: high below twice "
    "those of the best, medium below ten times, low above, or if the budget is exceeded",
}
NOT_MEASURED = "-"
_MORE = 1.05  # the record of a run travels with the messages of its nodes


def grades(measured: Measured, others: Sequence[Measured]) -> dict[str, str]:
    """The grades of one method among others, all from what was measured or counted."""
    derived = min((m.derived for m in others), default=measured.derived)
    smallest = min((m.operations for m in others if m.operations is not None), default=1)
    quickest = min((m.evaluation for m in others), default=measured.evaluation)
    fewest = min((m.fine.evaluations for m in others if not m.fine.stopped), default=1)
    work = (
        measured.evaluation / quickest
        if measured.operations is None
        else measured.operations / smallest
    )
    broke = bool(measured.followed.stopped)
    tired = bool(measured.fine.stopped)
    shared = measured.sharing
    return {
        "modularity": _at_most(None if shared is None else shared.numbers),
        "distribution": _at_most(None if shared is None else shared.messages),
        "preparation": _grade(measured.derived / derived, 1.5, 3.5, "low", "high"),
        "accuracy": "low" if broke else _grade(measured.worst_correction, 1, 15, "high", "low"),
        "cost": _grade(work, 1.5, 3.5, "low", "high"),
        "stiffness": "high" if measured.longest_step < 10 * FEEDBACK_STEP else "low",
        "efficiency": (
            "low" if tired else _grade(measured.fine.evaluations / fewest, 2, 10, "high", "low")
        ),
    }


def _at_most(counted: float | None) -> str:
    """High for one, medium for more."""
    if counted is None:
        return NOT_MEASURED
    return "high" if counted <= _MORE else "medium"


def _grade(value: float, first: float, second: float, best: str, worst: str) -> str:
    return best if value < first else "medium" if value < second else worst
