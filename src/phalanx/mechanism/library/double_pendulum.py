"""Two point masses on massless rods: the smallest machine with every term of the dynamics."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from phalanx.base.arguments import checked
from phalanx.mechanism.body import Body, Capsule, Frame, Sphere, Visual
from phalanx.mechanism.joint import Joint, Revolute
from phalanx.mechanism.mechanism import GRAVITY, Mechanism
from phalanx.mechanism.pose import Array, Pose


@checked
def double_pendulum(
    lengths: tuple[float, float] = (1.0, 1.0),
    masses: tuple[float, float] = (1.0, 1.0),
    *,
    damping: float = 0.0,
    gravity: Sequence[float] | Array = GRAVITY,
) -> Mechanism:
    """A double pendulum that swings about y and hangs along -z when both joints are at zero.

    The second angle is counted from the first rod. Frame ``tip`` is at the second mass.

    Args:
        lengths: Of the rods [m].
        masses: At their ends [kg].
        damping: In both joints [N·m·s/rad].
        gravity: Acceleration of free fall [m/s²].
    """
    upper_end, lower_end = (np.array([0.0, 0.0, -length]) for length in lengths)
    swing = Revolute(np.array([0.0, 1.0, 0.0]))
    bodies = [
        Body("base"),
        _pendulum("upper", masses[0], upper_end),
        _pendulum("lower", masses[1], lower_end),
    ]
    joints = [
        Joint("shoulder", "base", "upper", swing, damping=damping),
        Joint("elbow", "upper", "lower", swing, Pose(translation=upper_end), damping=damping),
    ]
    tip = Frame("tip", "lower", Pose(translation=lower_end))
    return Mechanism("double_pendulum", bodies, joints, [tip], gravity=np.asarray(gravity))


def _pendulum(name: str, mass: float, end: Array) -> Body:
    length = -float(end[2])
    rod = Visual(Capsule(length / 50, length), Pose(translation=end / 2))
    bob = Visual(Sphere(length / 12), Pose(translation=end))
    return Body(name, mass, end, visuals=(rod, bob))
