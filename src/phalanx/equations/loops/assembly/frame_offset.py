"""Frame offset: where a loop's second frame has to be for the loop to close in a posture."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.equations.loops.closure.equations import seen_together
from phalanx.equations.spatial import Rotation, Transform, constant
from phalanx.equations.tree.model import Model
from phalanx.mechanism import FixedDistance, Loop, PlanarPin
from phalanx.mechanism.joint import (
    Continuous,
    Cylindrical,
    Fixed,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from phalanx.mechanism.pose import Array

# [m or rad]: what double precision leaves; exact zeros vanish from the equations
_ROUNDING = 1e-14


@dataclass(frozen=True, eq=False)
class FrameOffset:
    """How a loop's second frame is moved, seen from itself.

    Attributes:
        translation: [m], shape (3,).
        rotation: Shape (3, 3).
    """

    translation: Array
    rotation: Array

    @property
    def distance(self) -> float:
        """How far the origin moves [m]."""
        return float(np.linalg.norm(self.translation))

    @property
    def angle(self) -> float:
        """How far the axes turn [rad]."""
        R = self.rotation
        sine = np.linalg.norm([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2
        return float(np.arctan2(sine, (np.trace(R) - 1) / 2))

    @property
    def transform(self) -> Transform:
        """Its pose over symbols."""
        return Transform(Rotation(constant(self.rotation)), constant(self.translation))


def closing_offset(model: Model, loop: Loop, q: Array) -> FrameOffset:
    """The shortest offset of a loop's second frame that closes the loop at a posture."""
    x = SX.sym("q", model.mechanism.nq)
    X_a, X_b = seen_together(model, loop, x)
    poses = [X_a.rotation.full(), X_a.translation, X_b.rotation.full(), X_b.translation]
    R_a, p_a, R_b, p_b = map(np.asarray, ca.Function("poses", [x], poses)(q))
    R, p = R_a.T @ R_b, (R_a.T @ (p_b - p_a)).ravel()
    wanted_R, wanted_p = _nearest_allowed(loop, R, p)
    translation = R.T @ (wanted_p - p)
    offset = FrameOffset(
        np.where(np.abs(translation) < _ROUNDING, 0.0, translation), R.T @ wanted_R
    )
    return offset if offset.angle > _ROUNDING else FrameOffset(offset.translation, np.eye(3))


def describe_offset(offset: FrameOffset) -> str:
    """How far a frame is moved, in words."""
    parts = [
        f"{by:.2g} {unit}" for by, unit in ((offset.distance, "m"), (offset.angle, "rad")) if by
    ]
    return " and ".join(parts)


def _nearest_allowed(loop: Loop, R: Array, p: Array) -> tuple[Array, Array]:
    """The pose in the first frame nearest to (R, p) that a closure allows."""
    nowhere = np.zeros(3)
    match loop.motion:
        case Fixed():
            return np.eye(3), nowhere
        case Spherical():
            return R, nowhere
        case Revolute(axis=axis) | Continuous(axis=axis):
            return _turn(R @ axis, axis) @ R, nowhere
        case Prismatic(axis=axis):
            return np.eye(3), axis * (axis @ p)
        case Cylindrical(axis=axis):
            return _turn(R @ axis, axis) @ R, axis * (axis @ p)
        case Universal(first=first, second=second):
            arm = R @ second
            aside = arm - first * (first @ arm)
            cosine = float(first @ second)
            square = aside / np.linalg.norm(aside)
            return _turn(arm, cosine * first + np.sqrt(1 - cosine**2) * square) @ R, nowhere
        case Planar(axis=axis):
            return _turn(R @ axis, axis) @ R, p - axis * (axis @ p)
        case PlanarPin(axis=axis):
            return R, axis * (axis @ p)
        case FixedDistance(length=length):
            return R, p * (length / np.linalg.norm(p))
        case _:
            raise TypeError(f"unknown closure {loop.motion!r}")


def _turn(start: Array, end: Array) -> Array:
    """The shortest rotation from a unit vector to another that is not its opposite."""
    v = np.cross(start, end)
    K = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + K + K @ K / (1 + float(start @ end))
