"""Validation of targets, and their conversion to numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx.base.arguments import finite_numbers, numbers
from phalanx.base.errors import InvalidInput, shown
from phalanx.mechanism import Pose
from phalanx.mechanism.pose import LARGEST, Array

if TYPE_CHECKING:
    from phalanx.planning.inverse_kinematics.tasks import FrameTask

# how far a matrix may be from a rotation: what single precision and six digits leave
_ROUNDING = 1e-5
_LAST_DIGITS = 1e-14
_LAST_ROW = np.array([0.0, 0.0, 0.0, 1.0])


def places(task: FrameTask, target: Any) -> Array:
    """Places in the world, shape (..., 3)."""
    return _shaped(task, target, (3,))


def directions(task: FrameTask, target: Any) -> Array:
    """Directions in the world, scaled to length one, shape (..., 3)."""
    given = _shaped(task, target, (3,))
    length = np.linalg.norm(given, axis=-1, keepdims=True)
    if not (length > 0).all():
        raise InvalidInput(f"the target of '{task.frame}' has a direction of length zero.")
    return given / length


def rotations(task: FrameTask, target: Any) -> Array:
    """Rotations row by row, shape (..., 9)."""
    R = _nearest_rotations(task, _shaped(task, target, (3, 3)))
    return R.reshape(*R.shape[:-2], 9)


def poses(task: FrameTask, target: Any) -> Array:
    """Rotations row by row, then places, shape (..., 12)."""
    if isinstance(target, list | tuple) and target and all(isinstance(X, Pose) for X in target):
        target = np.stack([X.matrix for X in target])
    X = target.matrix if isinstance(target, Pose) else _shaped(task, target, (4, 4))
    if np.abs(X[..., 3, :] - _LAST_ROW).max(initial=0.0) > _ROUNDING:
        raise InvalidInput(
            f"the target of '{task.frame}' is no homogeneous matrix: its last row must be 0, 0, 0, "
            "1. Stack rotation and translation as [[R, p], [0, 1]]."
        )
    R = _nearest_rotations(task, X[..., :3, :3])
    return np.concatenate([R.reshape(*R.shape[:-2], 9), X[..., :3, 3]], axis=-1)


def vector(task: FrameTask, name: str) -> tuple[float, ...]:
    """A field of a task as three finite numbers."""
    given = finite_numbers(f"{name} of {type(task).__name__}", getattr(task, name), (3,))
    return tuple(within_reach(f"{name} of {type(task).__name__}", given).tolist())


def _shaped(task: FrameTask, target: Any, shape: tuple[int, ...]) -> Array:
    try:
        given = numbers("target", target)
    except InvalidInput:
        raise InvalidInput(
            f"the target of '{task.frame}' must be {task.wanted}, got {shown(target)}."
        ) from None
    if given.shape[given.ndim - len(shape) :] != shape or given.ndim < len(shape):
        raise InvalidInput(
            f"the target of '{task.frame}' has shape {given.shape}; expected {task.wanted}, where "
            "... are batch axes."
        )
    if not np.isfinite(given).all():
        raise InvalidInput(f"the target of '{task.frame}' holds a NaN or an infinity.")
    return within_reach(f"the target of '{task.frame}'", given)


def within_reach(what: str, values: Array) -> Array:
    """Return finite numbers whose products stay finite too.

    Raises:
        InvalidInput: One is beyond what a model may hold.
    """
    if np.abs(values).max(initial=0.0) > LARGEST:
        raise InvalidInput(f"{what} holds a number beyond {LARGEST:g}. Check the units.")
    return values


def _nearest_rotations(task: FrameTask, R: Array) -> Array:
    """Matrices that are rotations but for rounding, made orthonormal to the last digits."""
    off = _off(R)
    wrong = (np.abs(off).max(axis=(-1, -2), initial=0.0) > _ROUNDING) | (_determinant(R) < 0)
    if wrong.any():
        first = tuple(np.argwhere(wrong)[0].tolist())
        raise InvalidInput(
            f"the target{f' number {first}' if first else ''} of '{task.frame}' is no rotation "
            f"(R Rᵀ ≠ 1 or det < 0): {R[first].tolist()}. Pose.from_rpy and Pose.from_quaternion "
            "make some."
        )
    while np.abs(off).max(initial=0.0) > _LAST_DIGITS:  # each time squares what is missing
        R = R - R @ off / 2
        off = _off(R)
    return R


def _off(R: Array) -> Array:
    return np.swapaxes(R, -1, -2) @ R - np.eye(3)


def _determinant(R: Array) -> Array:
    x, y, z = (R[..., k] for k in range(3))
    return np.asarray((np.cross(x, y) * z).sum(axis=-1))
