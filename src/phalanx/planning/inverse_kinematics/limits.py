"""Position limits of a machine's joints and of those that follow them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from phalanx.base.errors import InvalidInput
from phalanx.equations.loops.assembly.loop_sizes import translations_of
from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array

# where a joint has no limit, starts spread so far about the given posture
FARTHEST_TURN, FARTHEST_SHIFT = np.pi, 1.0  # [rad], [m]


@dataclass(frozen=True, eq=False)
class PositionLimits:
    """Limits of all positions; of quaternions and of where a free body is there are none.

    Attributes:
        lower, upper: Shape (nq,), infinite where there is none.
        middle: Of the limits, and zero where a joint has none on a side; quaternions of length one.
        span: How far starts spread either way where there is none [rad or m], shape (nq,).
    """

    lower: Array
    upper: Array
    middle: Array
    span: Array


def limits_of(mechanism: Mechanism) -> PositionLimits:
    """The limits of a machine.

    Raises:
        InvalidInput: No position of a joint keeps its own limits and those of its followers.
    """
    lower, upper = np.full(mechanism.nq, -np.inf), np.full(mechanism.nq, np.inf)
    span = np.full(mechanism.nq, FARTHEST_TURN)
    for joint in mechanism.moving_joints:
        own = mechanism.q_slices[joint.name]
        shifts = translations_of(joint)
        if joint.motion.nq == joint.motion.nv:
            lower[own], upper[own] = joint.lower, joint.upper
        else:
            shifts = np.pad(shifts[:-3], (0, 4))  # a quaternion has no span of its own
        span[own] = np.where(shifts, FARTHEST_SHIFT, FARTHEST_TURN)
    for joint in mechanism.joints:
        if joint.mimic is not None and joint.mimic.multiplier:
            own = mechanism.q_slices[joint.mimic.leader]
            ends = np.array([joint.lower, joint.upper]).ravel() - joint.mimic.offset
            ends = np.sort(ends / joint.mimic.multiplier)
            lower[own], upper[own] = (
                np.maximum(lower[own], ends[0]),
                np.minimum(upper[own], ends[1]),
            )
            if (lower[own] > upper[own]).any():
                raise InvalidInput(
                    f"joint '{joint.mimic.leader}' of '{mechanism.name}' and joint '{joint.name}', "
                    "which follows it, have no position within the limits of both."
                )
    bounded = np.isfinite(lower) & np.isfinite(upper)
    middle = np.clip(mechanism.neutral(), lower, upper)
    middle[bounded] = (lower[bounded] + upper[bounded]) / 2
    return PositionLimits(lower, upper, middle, span)
