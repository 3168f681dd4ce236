"""Skeleton of a machine for drawing: bones, joints, inertia ellipsoids.

All of it is data in a body's frame, so that a still picture draws it as polygons and the web view
as nodes that move with the body.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from phalanx.mechanism import (
    Body,
    Capsule,
    Cylinder,
    Floating,
    JointCoupling,
    Loop,
    Mechanism,
    Planar,
    Pose,
    Sphere,
    Visual,
)
from phalanx.mechanism.motion import frame_on_axis
from phalanx.mechanism.pose import Array

# of the machine's extent
BONE = 0.012
JOINT = 0.024

BODY_COLOURS = ((0.62, 0.71, 0.80, 1.0), (0.80, 0.84, 0.88, 1.0))
JOINT_COLOUR = (0.90, 0.45, 0.13, 1.0)
INERTIA_COLOUR = (0.16, 0.20, 0.25, 0.35)


def extent_of(mechanism: Mechanism, poses: Sequence[Pose]) -> float:
    """A length that marks are scaled by [m]."""
    points = [pose.translation for pose in poses]
    points += [
        pose.rotation @ body.com + pose.translation
        for pose, body in zip(poses, mechanism.bodies, strict=True)
    ]
    return max(float(np.ptp(np.array(points), axis=0).max()), 0.1)


def has_colour(visual: Visual) -> bool:
    """Whether the model says what colour a shape has."""
    return visual.colour[:3] != Visual.colour[:3]


def coloured(visual: Visual, i: int) -> Visual:
    """A shape of body ``i``: in its own colour, or in one that sets it off from its neighbours."""
    return visual if has_colour(visual) else replace(visual, colour=BODY_COLOURS[i % 2])


def bones(mechanism: Mechanism, i: int, extent: float) -> list[Visual]:
    """Sticks from the frame of body ``i`` to its joints and loops, or to its mass at a tip."""
    body = mechanism.bodies[i]
    ends = [joint.pose.translation for joint in mechanism.joints_on[i]]
    held = (mechanism.frame(name) for loop in mechanism.loops for name in _places(loop))
    ends += [frame.pose.translation for frame in held if frame.body == body.name]
    if body.mass and not ends:
        ends = [body.com]
    return [_bone(end, BONE * extent, BODY_COLOURS[i % 2]) for end in ends]


def _places(loop: Loop) -> tuple[str, ...]:
    """Frames that a loop holds together; a coupling of joints holds none."""
    return () if isinstance(loop.motion, JointCoupling) else (loop.frame_a, loop.frame_b)


def joint_marks(mechanism: Mechanism, extent: float) -> list[tuple[int, Visual]]:
    """For every joint that moves and every loop, the index of a body and a mark on that body."""
    marks = []
    for k, joint in enumerate(mechanism.joints):
        # a body that floats or slides about has nothing where its coordinates begin
        if joint.motion.nv and not isinstance(joint.motion, Floating | Planar):
            # a ball drawn at the joint would hide a smaller mark
            ball = max((_ball(visual) for visual in mechanism.bodies[k + 1].visuals), default=0.0)
            radius = max(JOINT * extent, 1.1 * ball)
            mark = _joint_mark(joint.motion, joint.pose, radius)
            marks.append((mechanism.parents[k + 1], mark))
    for loop in mechanism.loops:
        if not _places(loop):
            continue
        frame = mechanism.frame(loop.frame_a)
        mark = _joint_mark(loop.motion, frame.pose, JOINT * extent)
        marks.append((mechanism.body_index(frame.body), mark))
    return marks


def inertia_ellipsoid(body: Body) -> tuple[Pose, Array] | None:
    """The solid ellipsoid of a body's mass and inertia: its pose in the body and its radii [m].

    None for a body without mass.
    """
    if body.mass <= 0:
        return None
    moments, R = np.linalg.eigh((body.inertia + body.inertia.T) / 2)
    if np.linalg.det(R) < 0:
        R[:, 0] *= -1
    squares = 5 / (2 * body.mass) * (moments.sum() - 2 * moments)
    return Pose(R, body.com), np.sqrt(np.maximum(squares, 0.0))


def _bone(end: Array, radius: float, colour: tuple[float, float, float, float]) -> Visual:
    length = float(np.linalg.norm(end))
    if length < 1e-9:
        return Visual(Sphere(radius), colour=colour)
    return Visual(Capsule(radius, length), Pose(frame_on_axis(end / length), end / 2), colour)


def _joint_mark(motion: object, pose: Pose, radius: float) -> Visual:
    """A drum about the axis of a motion that has one, a ball for the others."""
    axis = getattr(motion, "axis", None)
    if axis is None:
        return Visual(Sphere(radius), pose, JOINT_COLOUR)
    drum = Cylinder(radius, 2.4 * radius)
    return Visual(drum, pose @ Pose(frame_on_axis(axis)), JOINT_COLOUR)


def _ball(visual: Visual) -> float:
    """Radius of a ball at the body's origin, zero for other shapes."""
    at_origin = not visual.pose.translation.any()
    return visual.geometry.radius if isinstance(visual.geometry, Sphere) and at_origin else 0.0
