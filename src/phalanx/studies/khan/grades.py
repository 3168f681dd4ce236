"""Grades by measured thresholds, beside those of the source.

The source grades by judgement. Here a grade is a threshold on something measured or counted.
"""

from __future__ import annotations

from collections.abc import Sequence

from phalanx.studies.khan.comparison import FEEDBACK_STEP, Measured

RULES = {
    "modularity": "by what a leg on a processor of its own sends in an evaluation: high if it is "
    "its state and nothing else, medium if it is more; none where a method is not cut into legs",
    "distribution": "by how often it has to send something: high if once an evaluation, medium if "
    "more often; none where a method is not cut into legs",
    "preparation": "by the operations that have to be derived: low below 1.5 times those of the "
    "smallest method, medium below 3.5 times, high above",
    "accuracy": "by what feedback has to add: high below 1 % of the peak torque, medium below "
    "15 %, low above, or if the run broke",
    "cost": "of an evaluation, by its operations and the same thresholds; where matrices are "
    "decomposed, by its time beside that of the quickest method",
    "stiffness": "high: Runge-Kutta needs steps shorter than ten of 1 ms because of what the "
    "method added to the machine; low: it does not",
    "efficiency": "by evaluations for the motion at a relative tolerance of 1e-6: high below twice "
    "those of the best, medium below ten times, low above, or out of budget",
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
