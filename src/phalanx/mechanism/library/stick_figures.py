"""Stick figures as visual shapes, for machines whose tables give none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from phalanx.mechanism.body import Body, Capsule, Sphere, Visual
from phalanx.mechanism.mechanism import Mechanism
from phalanx.mechanism.motion import frame_on_axis
from phalanx.mechanism.pose import Array, Pose

# of the longest stick
THICKNESS = 0.08


def with_stick_figure(mechanism: Mechanism) -> Mechanism:
    """The mechanism with a stick from every body's joint to its centre of mass and next joints."""
    reach: dict[str, list[Array]] = {body.name: [body.com] for body in mechanism.bodies}
    for joint in mechanism.joints:
        reach[joint.parent].append(joint.pose.translation)
    longest = max(np.linalg.norm(end) for ends in reach.values() for end in ends)
    radius = float(THICKNESS * longest / 2)

    def drawn(body: Body) -> Body:
        sticks = [_stick(end, radius) for end in reach[body.name] if np.linalg.norm(end) > radius]
        return replace(body, visuals=(Visual(Sphere(1.5 * radius)), *sticks))

    return replace(mechanism, bodies=[drawn(body) for body in mechanism.bodies])


def _stick(end: Array, radius: float) -> Visual:
    length = float(np.linalg.norm(end))
    return Visual(Capsule(radius, length), Pose(frame_on_axis(end / length), end / 2))
