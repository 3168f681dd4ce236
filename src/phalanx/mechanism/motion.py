"""Joint kinematics as numbers: pose of the child and motion axes at a position."""

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
    Screw,
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
        case Screw():
            return Pose(rotation_about(motion.axis, q[0]), motion.axis * (motion.pitch * q[0]))
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


def joint_axes(motion: Motion, q: Array) -> tuple[Array, Array]:
    """Angular and linear velocity of the child's origin in the joint frame, for unit velocities.

    Args:
        motion: What the joint allows.
        q: Its position, shape (nq,).

    Returns:
        Two matrices of shape (3, nv), a column for each freedom.
    """
    none = np.zeros((3, motion.nv))
    match motion:
        case Fixed():
            return none, none
        case Revolute() | Continuous():
            return motion.axis[:, None], none
        case Prismatic():
            return none, motion.axis[:, None]
        case Screw():
            return motion.axis[:, None], motion.pitch * motion.axis[:, None]
        case Cylindrical():
            still = np.zeros(3)
            return np.column_stack([motion.axis, still]), np.column_stack([still, motion.axis])
        case Universal():
            second = rotation_about(motion.first, q[0]) @ motion.second
            return np.column_stack([motion.first, second]), none
        case Spherical():
            return joint_pose(motion, q).rotation, none
        case Planar():
            R = rotation_about(motion.axis, q[2]) @ frame_on_axis(motion.axis)
            return R * (0.0, 0.0, 1.0), R * (1.0, 1.0, 0.0)
        case Floating():
            R = joint_pose(motion, q).rotation
            return np.hstack([np.zeros((3, 3)), R]), np.hstack([R, np.zeros((3, 3))])
        case _:
            raise TypeError(f"unknown motion {motion!r}")
