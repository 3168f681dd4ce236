"""General arm: no offset, centre of mass or moment of inertia is zero."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from phalanx.base.errors import InvalidInput
from phalanx.mechanism import Body, Joint, Mechanism, Prismatic, Revolute
from phalanx.mechanism.pose import Pose, rotation_about

_TWISTS = (-90.0, 0.0, 90.0, -90.0, 90.0)  # [degrees]


def general_arm(joints: int = 6, *, sliding: Collection[int] = ()) -> Mechanism:
    """The source's general arm as a machine: twists of quarter turns, all else different from zero.

    Args:
        joints: How many.
        sliding: Numbers of the joints, from 1, that slide.
    """
    if joints < 1:
        raise InvalidInput(f"an arm has at least one joint, got joints={joints}.")
    bodies, chain = [Body("base")], []
    for i in range(1, joints + 1):
        wave = np.sin(i + np.arange(9.0))  # different from link to link, and never zero
        twist = 0.0 if i == 1 else np.deg2rad(_TWISTS[(i - 2) % len(_TWISTS)])
        pose = Pose(rotation_about((1, 0, 0), twist), 0.2 + 0.1 * wave[:3])
        motion = Prismatic() if i in sliding else Revolute()
        chain.append(Joint(f"joint_{i}", bodies[-1].name, f"link_{i}", motion, pose))
        moments = 0.1 + 0.02 * wave[6:]
        com = 0.1 + 0.05 * wave[3:6]
        bodies.append(Body(f"link_{i}", 1.0 + 5.0 / i, com, np.diag(moments)))
    return Mechanism(f"general_arm_{joints}", bodies, chain)
