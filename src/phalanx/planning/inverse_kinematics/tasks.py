"""Tasks of inverse kinematics: a frame's pose, point, orientation or direction.

A task has one part or two. A part is a few equations over symbols, e = 0, with the derivative J of
what they compare along the velocities, so that a displacement d changes e by -J d. Each is the
Gauss-Newton form of a distance that is zero at the target alone:

- a point by its shift to the target;
- an orientation by half the sum of the cross products of its axes with those wanted, which is the
  sine of the angle times its axis: the normal equations of all nine differences, in three rows;
- a direction by its difference to the one wanted, both of length one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar, final

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.base.arguments import check_fields
from phalanx.base.errors import InvalidInput
from phalanx.base.short_repr import short_repr
from phalanx.equations import forward_kinematics, jacobian
from phalanx.equations.spatial import constant, skew
from phalanx.equations.tree.model import Model
from phalanx.mechanism.pose import LARGEST, Array
from phalanx.planning.inverse_kinematics import targets

# beyond this an angle is met wherever it is: such a tolerance asks for nothing
_ANY_ANGLE = 1.0


@dataclass(frozen=True)
class TaskPart:
    """A part of a task at a posture, over symbols.

    Attributes:
        e: What is missing [m, or a sine], a column.
        J: How velocities change it, e' = -J v; shape (rows, nv).
        cost: Its square, as far from the target as near [m² or rad² for small angles].
        miss: How far the target is [m or rad].
        is_length: Whether it is about lengths, not angles.
        faces: Whether e vanishes at the target, not at the frame turned over.
    """

    e: SX
    J: SX
    cost: SX
    miss: SX
    is_length: bool
    faces: SX = field(default_factory=lambda: SX(1))

    def met(self, tolerance: SX) -> SX:
        """Whether the target is reached within a tolerance [m or rad]."""
        near = ca.dot(self.e, self.e) <= tolerance**2
        return ca.logic_and(near, ca.logic_or(self.faces, tolerance >= _ANY_ANGLE))


@dataclass(frozen=True)
class FrameTask(ABC):
    """Task of a frame: interface of all tasks.

    Attributes:
        frame: Name of a frame or body.
        weight: Of its squared errors, against those of other tasks: what counts where a target
            cannot be reached. Lengths are measured in reaches of the machine, angles in radians.
    """

    frame: str
    weight: float = 1.0

    parts: ClassVar[tuple[str, ...]]  # their names
    size: ClassVar[int]  # how many numbers a target has
    wanted: ClassVar[str]  # what a target looks like

    def __post_init__(self) -> None:
        check_fields(self, but=self._own_checks)
        for name, weight in zip(("weight", "orientation_weight"), self.weights, strict=False):
            if not 0 <= weight <= LARGEST:
                raise InvalidInput(
                    f"the {name} of {type(self).__name__}('{self.frame}') is {weight:g}; expected "
                    "a number that is not negative."
                )

    @property
    def _own_checks(self) -> tuple[str, ...]:
        """Fields that a kind of task checks itself."""
        return ()

    @property
    def weights(self) -> tuple[float, ...]:
        """Of each part."""
        return (self.weight,) * len(self.parts)

    @abstractmethod
    def numbers(self, target: Any) -> Array:
        """A target as numbers, shape (..., size); InvalidInput where it is none."""

    @abstractmethod
    def errors(self, model: Model, q: SX, target: SX) -> tuple[TaskPart, ...]:
        """Its parts at positions ``q`` for the numbers of a target."""


@short_repr
@final
@short_repr
@dataclass(frozen=True)
class PointTask(FrameTask):
    """A point of a frame at a place in the world.

    Its target is that place [m], shape (..., 3).

    Attributes:
        point: In the frame [m]; its origin when not given.
    """

    point: Any = (0.0, 0.0, 0.0)

    parts = ("position",)
    size = 3
    wanted = "a place (..., 3) [m]"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "point", targets.vector(self, "point"))

    @property
    def _own_checks(self) -> tuple[str, ...]:
        return ("point",)

    def numbers(self, target: Any) -> Array:
        return targets.places(self, target)

    def errors(self, model: Model, q: SX, target: SX) -> tuple[TaskPart, ...]:
        X = forward_kinematics(model, q, frame=self.frame)
        arm = X[:3, :3] @ constant(self.point)
        J = jacobian(model, q, frame=self.frame)
        return (_place(X[:3, 3] + arm, J[:3, :] - skew(arm) @ J[3:, :], target),)


@final
@dataclass(frozen=True)
class OrientationTask(FrameTask):
    """A frame with given axes, anywhere.

    Its target is a rotation, shape (..., 3, 3): the frame's axes as columns, in the world.
    """

    parts = ("orientation",)
    size = 9
    wanted = "a rotation (..., 3, 3)"

    def numbers(self, target: Any) -> Array:
        return targets.rotations(self, target)

    def errors(self, model: Model, q: SX, target: SX) -> tuple[TaskPart, ...]:
        R = forward_kinematics(model, q, frame=self.frame)[:3, :3]
        return (_axes(R, jacobian(model, q, frame=self.frame)[3:, :], target),)


@final
@dataclass(frozen=True)
class PoseTask(FrameTask):
    """A frame at a pose in the world.

    Its target is a homogeneous matrix, shape (..., 4, 4), or a :class:`Pose`.

    Attributes:
        orientation_weight: As ``weight``, which is then that of the position alone; the same when
            not given.
    """

    orientation_weight: float | None = None

    parts = ("position", "orientation")
    size = 12
    wanted = "a pose (..., 4, 4)"

    @property
    def weights(self) -> tuple[float, ...]:
        """Of position and orientation."""
        other = self.orientation_weight
        return self.weight, self.weight if other is None else other

    def numbers(self, target: Any) -> Array:
        return targets.poses(self, target)

    def errors(self, model: Model, q: SX, target: SX) -> tuple[TaskPart, ...]:
        X = forward_kinematics(model, q, frame=self.frame)
        J = jacobian(model, q, frame=self.frame)
        at = _place(X[:3, 3], J[:3, :], target[9:])
        return at, _axes(X[:3, :3], J[3:, :], target[:9])


@short_repr
@final
@short_repr
@dataclass(frozen=True)
class DirectionTask(FrameTask):
    """An axis of a frame along a direction in the world.

    Its target is that direction, of any length but zero, shape (..., 3).

    Attributes:
        axis: In the frame; z when not given.
    """

    axis: Any = (0.0, 0.0, 1.0)

    parts = ("direction",)
    size = 3
    wanted = "a direction (..., 3)"

    def __post_init__(self) -> None:
        """Check the fields, and scale the axis to length one."""
        super().__post_init__()
        axis = np.array(targets.vector(self, "axis"))
        length = float(np.linalg.norm(axis))
        if not length > 0:
            raise InvalidInput(f"the axis of DirectionTask('{self.frame}') has length zero.")
        object.__setattr__(self, "axis", tuple((axis / length).tolist()))

    @property
    def _own_checks(self) -> tuple[str, ...]:
        return ("axis",)

    def numbers(self, target: Any) -> Array:
        return targets.directions(self, target)

    def errors(self, model: Model, q: SX, target: SX) -> tuple[TaskPart, ...]:
        n = forward_kinematics(model, q, frame=self.frame)[:3, :3] @ constant(self.axis)
        e = target - n
        half = ca.sqrt(ca.dot(e, e)) / 2
        angle = 2 * ca.atan2(half, ca.sqrt(ca.fmax(1 - half**2, 0)))
        J = -skew(n) @ jacobian(model, q, frame=self.frame)[3:, :]
        return (TaskPart(e, J, ca.dot(e, e), angle, is_length=False),)


def _place(p: SX, J: SX, target: SX) -> TaskPart:
    e = target - p
    square = ca.dot(e, e)
    return TaskPart(e, J, square, ca.sqrt(square), is_length=True)


def _axes(R: SX, J: SX, target: SX) -> TaskPart:
    """The target is a rotation row by row."""
    wanted = ca.reshape(target, 3, 3).T
    e = SX.zeros(3, 1)
    for k in range(3):
        e += 0.5 * ca.cross(R[:, k], wanted[:, k])
    cosine = 0.5 * (ca.dot(R, wanted) - 1)
    angle = ca.atan2(ca.sqrt(ca.dot(e, e)), cosine)
    # half the square of all nine differences, which is the square of small angles
    cost = ca.fmax(2 - 2 * cosine, 0)
    return TaskPart(e, J, cost, angle, is_length=False, faces=cosine > 0)
