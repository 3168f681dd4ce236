"""Position limits of a machine as arrays, in the order of its states."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from phalanx.mechanism.joint import Joint
from phalanx.mechanism.pose import Array

QUATERNION = 4


def position_limits(joints: Sequence[Joint]) -> tuple[Array, Array]:
    """Least and greatest of each position, infinite where there is no limit.

    The numbers of a quaternion have no limits: those of a ball's turns are limits of no single
    one. A body that floats keeps those of its shifts.

    Args:
        joints: Those with positions of their own.

    Returns:
        Two rows of shape (nq,), read-only.
    """
    lower = [_row(joint, np.asarray(joint.lower), -np.inf) for joint in joints]
    upper = [_row(joint, np.asarray(joint.upper), np.inf) for joint in joints]
    return read_only(*lower), read_only(*upper)


def read_only(*parts: Array) -> Array:
    """The parts in one row, which cannot be written to."""
    row = np.concatenate([np.zeros(0), *parts])
    row.flags.writeable = False
    return row


def _row(joint: Joint, limits: Array, none: float) -> Array:
    nq = joint.motion.nq
    if nq == joint.motion.nv:
        return limits
    return np.concatenate([limits[: nq - QUATERNION], np.full(QUATERNION, none)])
