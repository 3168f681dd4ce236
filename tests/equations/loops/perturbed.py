"""Machines whose numbers are a little off, as those of a file are."""

from dataclasses import replace

import numpy as np

from phalanx.mechanism import Mechanism, Pose, library
from phalanx.mechanism.pose import rotation_about


def with_frame_moved(mechanism: Mechanism, shift, loop: int = 0) -> Mechanism:
    """The second frame of a loop moved by a shift [m], in the axes of its body."""
    name = mechanism.loops[loop].frame_b
    frames = [
        replace(f, pose=Pose(f.pose.rotation, f.pose.translation + np.asarray(shift)))
        if f.name == name
        else f
        for f in mechanism.frames
    ]
    return replace(mechanism, frames=frames)


def with_joint_tilted(mechanism: Mechanism, name: str, axis, angle: float) -> Mechanism:
    """A joint turned with all that it carries."""
    joints = [
        replace(j, pose=Pose(rotation_about(axis, angle) @ j.pose.rotation, j.pose.translation))
        if j.name == name
        else j
        for j in mechanism.joints
    ]
    return replace(mechanism, joints=joints)


def random_direction(rng: np.random.Generator) -> np.ndarray:
    """A unit vector."""
    way = rng.standard_normal(3)
    return way / np.linalg.norm(way)


def shaken(mechanism: Mechanism, size: float, rng: np.random.Generator) -> Mechanism:
    """Every joint and frame moved and turned a little."""

    def off(pose: Pose) -> Pose:
        R = rotation_about(random_direction(rng), size * rng.uniform(-1, 1))
        return Pose(R @ pose.rotation, pose.translation + size * rng.uniform(-1, 1, 3))

    return replace(
        mechanism,
        joints=[replace(joint, pose=off(joint.pose)) for joint in mechanism.joints],
        frames=[replace(frame, pose=off(frame.pose)) for frame in mechanism.frames],
    )


def too_short(by: float = 0.05) -> Mechanism:
    """A four-bar whose bars, stretched out, do not reach across the ground by a distance [m]."""
    ground, *bars = 0.7, 0.2, 0.6, 0.5
    m = library.four_bar((ground, *bars))
    farther = (sum(bars) + by) / ground
    joints = [
        replace(j, pose=Pose(j.pose.rotation, farther * j.pose.translation))
        if j.name == "rocker"
        else j
        for j in m.joints
    ]
    return replace(m, name="too_short", joints=joints)
