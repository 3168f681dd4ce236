"""Error for targets that no posture reaches."""

from __future__ import annotations

from collections.abc import Sequence

from phalanx.base.errors import PhalanxError
from phalanx.planning.inverse_kinematics.problem import Problem
from phalanx.planning.inverse_kinematics.solution import Solution

_NEAR = 1e-6  # [rad or m] from a limit


class UnreachableTarget(PhalanxError):
    """A target that was not reached, with the nearest posture that was found.

    Attributes:
        solution: That posture, and how far it misses.
        alone: For each part of the target, how far it misses when nothing else is wanted [m or
            rad]; zero where it can be reached by itself.
    """

    def __init__(
        self, problem: Problem, solution: Solution, alone: Sequence[float], starts: int
    ) -> None:
        """Say which part fails, and how close one can get."""
        self.solution, self.alone = solution, tuple(alone)
        units = [name.rsplit("[", 1)[1][:-1] for name in solution.parts]
        names = [f"{part} of '{task.frame}'" for task, part in problem.parts]
        nearest = ", ".join(
            f"{name} off by {by:.3g} {unit}"
            for name, by, unit in zip(names, solution.errors.tolist(), units, strict=True)
        )
        failing = [
            f"the {name} cannot be reached: nearest is {by:.3g} {unit} away"
            for name, by, unit in zip(names, alone, units, strict=True)
            if by
        ]
        if failing:
            why = "; ".join(failing)
        elif len(names) > 1:
            why = "each part can be reached by itself (" + ", ".join(names) + "), but not together"
        else:
            why = "the search ended before it got there"
        together = f". Nearest posture together: {nearest}" if len(names) > 1 else ""
        super().__init__(
            f"no posture of '{problem.mechanism.name}' found for the target in {starts} "
            f"start{'s' if starts > 1 else ''}: {why}{together}"
            f"{_at_limits(problem, solution)}. Move the target, widen tolerance=, or try more "
            "starts=."
        )


def _at_limits(problem: Problem, solution: Solution) -> str:
    """The joints that stand at a limit in the nearest posture, in words."""
    limits, q = problem.limits, solution.q
    m = problem.mechanism
    stuck = [
        joint.name
        for joint in m.moving_joints
        for own in [m.q_slices[joint.name]]
        if ((q[own] < limits.lower[own] + _NEAR) | (q[own] > limits.upper[own] - _NEAR)).any()
    ]
    return f", with {', '.join(stuck)} at a limit" if stuck else ""
