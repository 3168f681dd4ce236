"""Chains of equal rods, of any length, for the evaluators of long machines."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from phalanx.base.arguments import checked
from phalanx.base.errors import InvalidInput
from phalanx.base.memory import check_memory
from phalanx.mechanism.body import Body, Capsule, Visual
from phalanx.mechanism.joint import Joint, Motion, Revolute, Spherical, Universal
from phalanx.mechanism.library.bars import check_numbers
from phalanx.mechanism.mechanism import GRAVITY, Mechanism
from phalanx.mechanism.pose import Array, Pose

A_ROD = 1000.0  # [byte] of memory that a body with its joint takes at least
JOINTS = ("revolute", "universal", "spherical")


@checked
def chain(
    n: int = 10,
    joint: str = "revolute",
    *,
    length: float = 1.0,
    mass: float = 1.0,
    radius: float | None = None,
    alternate: bool = False,
    damping: float = 0.0,
    gravity: Sequence[float] | Array = GRAVITY,
) -> Mechanism:
    """``n`` equal rods that hang from ``base`` along -z when all joints are at zero.

    Args:
        n: Number of rods.
        joint: ``revolute`` (about y), ``universal`` (about x, then y) or ``spherical``.
        length: Of a rod, joint to joint [m].
        mass: Of a rod [kg].
        radius: Of a rod [m]; a twentieth of its length unless given. It is not zero, because a
            spherical joint needs a moment about the rod's own axis.
        alternate: Turn every second revolute joint by a right angle, so that the chain leaves the
            plane.
        damping: In every joint [N·m·s/rad].
        gravity: Acceleration of free fall [m/s²].
    """
    if n < 1:
        raise InvalidInput(f"a chain has at least one rod, got n={n}.")
    check_memory(f"{n:,} rods", A_ROD * n, "Take a shorter chain.", n)
    if joint not in JOINTS:
        raise InvalidInput(f"a chain's joint is one of {', '.join(JOINTS)}, got '{joint}'.")
    if alternate and joint != "revolute":
        raise InvalidInput(f"only revolute joints alternate their axis, not {joint} ones.")
    check_numbers("a chain", length=length, mass=mass, radius=radius or 0.0)
    r = length / 20 if radius is None else radius
    middle = np.array([0.0, 0.0, -length / 2])
    across = mass * (3 * r**2 + length**2) / 12
    inertia = np.diag([across, across, mass * r**2 / 2])
    drawn = (Visual(Capsule(r, length), Pose(translation=middle)),)

    x, y = np.eye(3)[:2]
    motions: tuple[Motion, ...] = {
        "revolute": (Revolute(y), Revolute(x if alternate else y)),
        "universal": (Universal(x, y),),
        "spherical": (Spherical(),),
    }[joint]
    at_base, at_tip = Pose(), Pose(translation=2 * middle)
    names = ["base", *(f"link_{i}" for i in range(1, n + 1))]
    joints = [
        Joint(
            f"joint_{i}",
            names[i - 1],
            names[i],
            motions[(i - 1) % len(motions)],
            at_base if i == 1 else at_tip,
            damping=damping,
        )
        for i in range(1, n + 1)
    ]
    bodies = [Body("base"), *(Body(name, mass, middle, inertia, drawn) for name in names[1:])]
    return Mechanism(f"chain_{n}", bodies, joints, gravity=np.asarray(gravity))
