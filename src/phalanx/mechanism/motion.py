"""Where a joint at a given position puts its child, as numbers."""

from __future__ import annotations

import numpy as np

from phalanx.mechanism.joint import (
    Continuous,
    Cylindrical,
    Fixed,
    Floating,
    Motion,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from phalanx.mechanism.pose import Array, Pose, rotation_about, snap_rotation


def frame_on_axis(axis: Array) -> Array:
    """A rotation whose z is ``axis``: a permutation for coordinate axes, so that zeros survive."""
    if axis[2] == 1.0:
        return np.eye(3)
    # the coordinate axis that leans least on the joint axis gives the best-conditioned normal
    least = np.eye(3)[int(np.argmin(np.abs(axis)))]
    first = np.cross(least, axis)
    first /= np.linalg.norm(first)
    return snap_rotation(np.column_stack([first, np.cross(axis, first), axis]))


def joint_pose(motion: Motion, q: Array) -> Pose:
    """Pose of the child in the joint frame at position ``q`` (nq,)."""
    match motion:
        case Fixed():
            return Pose()
        case Revolute() | Continuous():
            return Pose(rotation_about(motion.axis, q[0]))
        case Prismatic():
            return Pose(translation=motion.axis * q[0])
        case Cylindrical():
            return Pose(rotation_about(motion.axis, q[0]), motion.axis * q[1])
        case Universal():
            return Pose(rotation_about(motion.first, q[0]) @ rotation_about(motion.second, q[1]))
        case Spherical():
            return Pose.from_quaternion(np.zeros(3), q)
        case Planar():
            R = frame_on_axis(motion.axis)
            return Pose(rotation_about(motion.axis, q[2]), R @ np.array([q[0], q[1], 0.0]))
        case Floating():
            return Pose.from_quaternion(q[:3], q[3:])
        case _:
            raise TypeError(f"unknown motion {motion!r}")
