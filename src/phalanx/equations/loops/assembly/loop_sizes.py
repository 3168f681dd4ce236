"""Characteristic sizes of loops, to scale openings, equations and steps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from phalanx.mechanism import (
    Cylindrical,
    FixedDistance,
    Floating,
    Frame,
    Joint,
    JointCoupling,
    Loop,
    Mechanism,
    Planar,
    Prismatic,
)
from phalanx.mechanism.pose import Array


@dataclass(frozen=True)
class LoopSize:
    """A loop's largest length and what it runs through.

    Attributes:
        length: Of the longest distance between places on one of its bodies [m]; may be zero.
        joints: Names of the joints between its ends.
    """

    length: float
    joints: frozenset[str]


def loop_sizes(mechanism: Mechanism) -> dict[str, LoopSize]:
    """The size of every loop, by name; what carries the whole loop does not count."""
    return {loop.name: _size(mechanism, loop) for loop in mechanism.loops}


def velocity_scales(mechanism: Mechanism) -> Array:
    """Scale of each velocity: a radian, or the size of the machine [m]."""
    places = [joint.pose for joint in mechanism.joints] + [x.pose for x in mechanism.frames]
    size = max((float(np.linalg.norm(pose.translation)) for pose in places), default=0.0)
    scales = np.ones(mechanism.nv)
    for joint in mechanism.moving_joints:
        scales[mechanism.v_slices[joint.name]] = np.where(translations_of(joint), size or 1.0, 1.0)
    return scales


def translations_of(joint: Joint) -> NDArray[np.bool_]:
    """Return which velocities of a joint are translations [m/s], not rotations."""
    shifts = np.zeros(joint.motion.nv, dtype=bool)
    match joint.motion:
        case Prismatic():
            shifts[:] = True
        case Cylindrical():
            shifts[1] = True
        case Planar():
            shifts[:2] = True
        case Floating():
            shifts[:3] = True
    return shifts


def _size(mechanism: Mechanism, loop: Loop) -> LoopSize:
    if isinstance(loop.motion, JointCoupling):
        return _size_of_coupling(mechanism, loop.motion)
    ends = [mechanism.frame(name) for name in (loop.frame_a, loop.frame_b)]
    chains = [_chain(mechanism, end) for end in ends]
    shared = {joint.name for joint in chains[0]} & {joint.name for joint in chains[1]}
    branches = [[j for j in chain if j.name not in shared] for chain in chains]
    # where both branches begin, on the last body that they have in common
    roots = [
        (branch[-1].pose if branch else end.pose).translation
        for branch, end in zip(branches, ends, strict=True)
    ]
    spans = [roots[0] - roots[1]]
    for branch, end in zip(branches, ends, strict=True):
        spans += [joint.pose.translation for joint in branch[:-1]]
        spans += [end.pose.translation] if branch else []
    lengths = [float(np.linalg.norm(span)) for span in spans]
    if isinstance(loop.motion, FixedDistance):
        lengths.append(loop.motion.length)
    joints = frozenset(joint.name for branch in branches for joint in branch)
    return LoopSize(max(lengths), joints)


def _size_of_coupling(mechanism: Mechanism, coupling: JointCoupling) -> LoopSize:
    """Joints of a coupling, and the length that a radian is worth to it."""
    names = [name for name in (coupling.follower, coupling.leader) if name is not None]
    slides = [bool(translations_of(mechanism.joint(name)).any()) for name in names]
    steepest = sum(abs(x) for x in coupling.coefficients[1:])
    length = 0.0
    if len(slides) == 2 and steepest and slides[0] != slides[1]:
        length = steepest if slides[0] else 1 / steepest
    # what moves a joint that follows another is the joint it follows
    leaders = [mimic.leader for name in names if (mimic := mechanism.joint(name).mimic)]
    return LoopSize(length, frozenset([*names, *leaders]))


def _chain(mechanism: Mechanism, frame: Frame) -> list[Joint]:
    """The joints from a frame to the root."""
    chain, body = [], mechanism.body_index(frame.body)
    while body > 0:
        chain.append(mechanism.joints[body - 1])
        body = mechanism.parents[body]
    return chain
