"""Quaternions among positions: where they are, and whether they are of length one."""

from __future__ import annotations

import numpy as np

from phalanx.errors import InvalidInput
from phalanx.mechanism.mechanism import Mechanism
from phalanx.mechanism.pose import Array

# How far the length of a quaternion may be from one where a run begins: single precision leaves
# 1e-7, numbers printed with seven digits 1e-6.
UNIT = 1e-6


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
