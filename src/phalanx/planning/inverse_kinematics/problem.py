"""Inverse kinematics as least squares: tasks and closed loops as one problem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidInput
from phalanx.equations.loops.assembly.closed_loops import closed_loops
from phalanx.equations.loops.assembly.loop_sizes import translations_of
from phalanx.equations.loops.assembly.search import CLOSED
from phalanx.equations.model_of import model_of
from phalanx.equations.spatial import constant
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.positions import positions_rate
from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array
from phalanx.planning.inverse_kinematics.limits import PositionLimits, limits_of
from phalanx.planning.inverse_kinematics.tasks import FrameTask, TaskPart


@dataclass(frozen=True)
class TaskRows:
    """The problem at a posture, over symbols; lengths in reaches of the machine.

    Attributes:
        e: What is missing, weighted, a column.
        J: Its derivative along the scaled velocities, e' = -J x.
        cost: Its square.
        met: Whether all is within its tolerance.
    """

    e: SX
    J: SX
    cost: SX
    met: SX


@dataclass(frozen=True, eq=False)
class Problem:
    """A machine and what is wanted of it.

    Attributes:
        mechanism: The machine.
        tasks: What is wanted.
    """

    mechanism: Mechanism
    tasks: tuple[FrameTask, ...]

    def __post_init__(self) -> None:
        """Check that something can move every frame."""
        for task in self.tasks:
            self.mechanism.frame(task.frame)
            if self.model.place(task.frame).node < 0:
                raise InvalidInput(
                    f"nothing moves frame '{task.frame}' of '{self.mechanism.name}': it is fixed "
                    "to the root. Choose a frame beyond a joint."
                )

    @cached_property
    def model(self) -> Model:
        """The node tree, loops closed as assembled."""
        return model_of(self.mechanism)

    @cached_property
    def limits(self) -> PositionLimits:
        """Of all positions."""
        return limits_of(self.mechanism)

    @cached_property
    def reach(self) -> float:
        """The longest way from the root to a frame along joints at zero [m]; one if it is zero."""
        return max(self._way(task.frame) for task in self.tasks) or 1.0

    @cached_property
    def scales(self) -> Array:
        """What counts as one of each velocity: a radian, or a reach [m]; shape (nv,)."""
        shifts = [translations_of(joint) for joint in self.mechanism.moving_joints]
        return np.where(np.concatenate(shifts), self.reach, 1.0)

    @property
    def parts(self) -> tuple[tuple[FrameTask, str], ...]:
        """Each part: its task and its name."""
        return tuple((task, part) for task in self.tasks for part in task.parts)

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the parts with their units, "panda_hand position [m]"."""
        return tuple(
            f"{task.frame} {part} [{'m' if part == 'position' else 'rad'}]"
            for task, part in self.parts
        )

    @property
    def weights(self) -> Array:
        """Of each part."""
        return np.array([weight for task in self.tasks for weight in task.weights])

    @property
    def target_size(self) -> int:
        """How many numbers all targets have."""
        return sum(task.size for task in self.tasks)

    def errors(self, q: SX, target: SX) -> list[TaskPart]:
        """All parts of all tasks at positions ``q``."""
        found: list[TaskPart] = []
        start = 0
        for task in self.tasks:
            found += task.errors(self.model, q, target[start : start + task.size])
            start += task.size
        return found

    def openings(self, q: SX) -> SX:
        """What keeps loops from being closed [m or rad]; nothing where there are none."""
        loops = self.mechanism.loops
        return closed_loops(self.mechanism).search.opening(q) if loops else SX(0, 1)

    def rows(self, q: SX, target: SX, weights: SX, tolerances: SX, closing: SX) -> TaskRows:
        """The problem at a posture.

        Args:
            q: Positions, shape (nq,).
            target: Numbers of all targets.
            weights: Of each part.
            tolerances: Of each part [m or rad].
            closing: Weight of the loops.
        """
        scales = constant(self.scales)
        e, J, cost, met = [SX(0, 1)], [SX(0, self.model.nv)], SX(0), SX(1)
        for k, part in enumerate(self.errors(q, target)):
            per_unit = 1 / self.reach if part.is_length else 1.0
            factor = ca.sqrt(weights[k]) * per_unit
            e.append(factor * part.e)
            J.append(factor * _scaled(part.J, scales))
            cost += weights[k] * per_unit**2 * part.cost
            met = ca.logic_and(met, part.met(tolerances[k]))
        if self.mechanism.loops:
            c, A, closed = self._closure(q)
            factor = ca.sqrt(closing)
            e.append(-factor * c)
            J.append(factor * _scaled(A, scales))
            cost += closing * ca.dot(c, c)
            met = ca.logic_and(met, closed)
        return TaskRows(ca.vertcat(*e), ca.vertcat(*J), cost, met)

    def _closure(self, q: SX) -> tuple[SX, SX, SX]:
        """Openings in reaches or radians, their derivative, and whether all loops are closed."""
        opening = closed_loops(self.mechanism).search.opening
        x, v = SX.sym("x", self.mechanism.nq), SX.sym("v", self.model.nv)
        c = opening(x)
        A = ca.jacobian(c, x) @ ca.jacobian(positions_rate(self.model, x, v), v)
        c, A = ca.Function("closure", [x], [c, A])(q)
        units = constant([self.reach if is_length else 1.0 for _, is_length in opening.owners])
        closed = ca.norm_inf(c) <= CLOSED
        return c / units, ca.diag(1 / units) @ A, closed

    def _way(self, frame: str) -> float:
        """The length of the way from the root to a frame, joints at zero [m]."""
        at = self.mechanism.frame(frame)
        length = float(np.linalg.norm(at.pose.translation))
        body = self.mechanism.body_index(at.body)
        while body > 0:
            length += float(np.linalg.norm(self.mechanism.joints[body - 1].pose.translation))
            body = self.mechanism.parents[body]
        return length


def problem_of(mechanism: Mechanism, tasks: Sequence[FrameTask]) -> Problem:
    """The problem of a machine; InvalidInput where nothing is wanted of it."""
    if not tasks:
        raise InvalidInput("no task is given; name a frame=, or tasks=[PoseTask(frame), …].")
    if not mechanism.nv:
        raise InvalidInput(f"nothing of '{mechanism.name}' moves.")
    return Problem(mechanism, tuple(tasks))


def _scaled(J: SX, scales: SX) -> SX:
    """The derivative along scaled velocities."""
    return J @ ca.diag(scales)
