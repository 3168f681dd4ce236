"""Quaternions among positions: where they are, normalization check, conversion of rotations."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from phalanx.base.errors import InvalidInput
from phalanx.mechanism.mechanism import Mechanism
from phalanx.mechanism.pose import Array

# How far the length of a quaternion may be from one where a run begins: single precision leaves
# 1e-7, numbers printed with seven digits 1e-6.
UNIT = 1e-6


def quaternion_columns(mechanism: Mechanism) -> NDArray[np.intp]:
    """Indices of a machine's quaternions among its positions, shape (quaternions, 4)."""
    ends = [
        mechanism.q_slices[joint.name].stop
        for joint in mechanism.moving_joints
        if joint.motion.nq != joint.motion.nv
    ]
    return np.array(ends, np.intp)[:, None] + np.arange(-4, 0)


def check_quaternions(mechanism: Mechanism, q: Array, what: str) -> None:
    """Raise InvalidInput unless quaternions are of length one; those that are not finite pass.

    Args:
        mechanism: The machine.
        q: Positions, shape (..., nq).
        what: What they are called.
    """
    for joint in mechanism.moving_joints:
        if joint.motion.nq == joint.motion.nv:
            continue
        end = mechanism.q_slices[joint.name].stop
        quaternion = q[..., end - 4 : end]
        with np.errstate(over="ignore"):
            length = np.linalg.norm(quaternion, axis=-1)
        wrong = np.isfinite(quaternion).all(axis=-1) & (np.abs(length - 1) > UNIT)
        if wrong.any():
            first = np.argmax(wrong)
            where = f"[{', '.join(map(str, np.unravel_index(first, wrong.shape)))}]"
            raise InvalidInput(
                f"the quaternion of joint '{joint.name}' in {what}{where if wrong.ndim else ''} "
                f"has length {length.flat[first]:g}; expected 1. Divide it by its length."
            )


def quaternions_of(R: Array) -> Array:
    """Unit quaternions (x, y, z, w) of rotation matrices (..., 3, 3), with w not negative.

    The products of a quaternion's numbers with each other follow from the matrix; the column with
    the largest square is taken, so that no digits are lost (Shepperd 1978).
    """
    products = np.empty((*R.shape[:-2], 4, 4))
    trace = np.trace(R, axis1=-2, axis2=-1)
    products[..., :3, :3] = R + np.swapaxes(R, -1, -2)
    diagonal = np.diagonal(R, axis1=-2, axis2=-1)
    products[..., range(3), range(3)] = 1 + 2 * diagonal - trace[..., None]
    for k, (i, j) in enumerate(((2, 1), (0, 2), (1, 0))):
        products[..., k, 3] = products[..., 3, k] = R[..., i, j] - R[..., j, i]
    products[..., 3, 3] = 1 + trace
    largest = np.argmax(np.diagonal(products, axis1=-2, axis2=-1), axis=-1)
    x: Array = np.take_along_axis(products, largest[..., None, None], axis=-2)[..., 0, :]
    x = x / np.linalg.norm(x, axis=-1, keepdims=True)
    return np.where(x[..., 3:] < 0, -x, x)
