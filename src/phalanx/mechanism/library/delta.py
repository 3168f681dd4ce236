"""A Delta robot: three driven arms carry a platform that translates and never turns.

Each forearm is a parallelogram of two rods, modelled rod by rod: a universal joint on the arm, a
ball joint on the platform. The platform is a free body. That it keeps its attitude is therefore
not assumed but follows from the six rods, and a machine with rods of unequal length, or a wrench
on its platform, shows what the parallelograms do.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import pi, sqrt

import numpy as np

from phalanx.base.arguments import checked
from phalanx.base.errors import InvalidInput
from phalanx.mechanism.body import Body, Frame, Visual
from phalanx.mechanism.joint import Floating, Joint, Revolute, Spherical, Universal, Y
from phalanx.mechanism.library.bars import NO_DRIVE, bar, check_sizes, stick
from phalanx.mechanism.library.visual_shapes import DARK, GREY, WHITE, YELLOW, Colour
from phalanx.mechanism.loop import Loop
from phalanx.mechanism.mechanism import GRAVITY, Mechanism
from phalanx.mechanism.pose import Array, Pose, rotation_about

ARMS = (1, 2, 3)
SIDES = {"a": 1, "b": -1}


@checked
def delta(
    *,
    base_radius: float = 0.2,
    arm: float = 0.3,
    forearm: float = 0.7,
    platform_radius: float = 0.07,
    spacing: float = 0.1,
    masses: tuple[float, float, float] = (0.5, 0.1, 0.6),
    gravity: Sequence[float] | Array = GRAVITY,
) -> Mechanism:
    """Three driven arms, six rods and a free platform that hangs below the base.

    Joints ``drive_1`` to ``drive_3`` lower their arm when they turn forward. Of arm i, rods ``i_a``
    and ``i_b`` hang on universal joints ``knee_i_a``, ``knee_i_b`` and end in ball joints on the
    platform: 18 equations, none redundant, against 21 velocities. All joints at zero close
    them, with the arms level; three freedoms remain. Frame ``tool`` is the platform's centre.

    Args:
        base_radius: From the axis to the hinge of an arm [m].
        arm: Length of an arm [m].
        forearm: Length of a rod [m].
        platform_radius: From the platform's centre to the middle of a pair of ball joints [m].
        spacing: Between the two rods of a forearm [m].
        masses: Of an arm, of a rod (uniform round bars) and of the platform (a disc) [kg].
        gravity: Acceleration of free fall [m/s²].

    Raises:
        InvalidInput: When the rods are too short for level arms.
    """
    check_sizes("a Delta robot", base_radius=base_radius, arm=arm, forearm=forearm)
    check_sizes("a Delta robot", platform_radius=platform_radius, spacing=spacing)
    inwards = base_radius + arm - platform_radius
    if forearm <= abs(inwards):
        raise InvalidInput(
            f"Delta robot: rods of {forearm:g} m do not reach over {abs(inwards):g} m from a level "
            "arm to the platform."
        )
    drop = sqrt(forearm**2 - inwards**2)
    down_the_rod = np.array([-inwards, 0.0, -drop]) / forearm
    # seen from the arm: z down the rod, x along the hinge of the arm, about which a forearm swings
    swing = np.column_stack([Y, np.cross(down_the_rod, Y), down_the_rod])

    bodies = [Body("base", visuals=_star(base_radius, DARK)), _platform(platform_radius, masses[2])]
    joints = [
        Joint(
            "platform",
            "base",
            "platform",
            Floating(),
            Pose(translation=np.array([0.0, 0.0, -drop])),
            effort_limit=NO_DRIVE,
        )
    ]
    frames, loops = [Frame("tool", "platform")], []
    for i in ARMS:
        outwards = rotation_about((0, 0, 1), 2 * pi * (i - 1) / 3)
        pose = Pose(outwards, outwards @ np.array([base_radius, 0.0, 0.0]))
        bodies.append(bar(f"arm_{i}", arm, masses[0], colour=YELLOW))
        joints.append(Joint(f"drive_{i}", "base", f"arm_{i}", Revolute(np.array(Y)), pose))
        for side, sign in SIDES.items():
            name, aside = f"{i}_{side}", sign * spacing / 2
            knee = Pose(swing, np.array([arm, aside, 0.0]))
            bodies.append(_rod(f"rod_{name}", forearm, masses[1]))
            joints.append(
                Joint(
                    f"knee_{name}",
                    f"arm_{i}",
                    f"rod_{name}",
                    Universal(),
                    knee,
                    effort_limit=NO_DRIVE,
                )
            )
            ball = outwards @ np.array([platform_radius, aside, 0.0])
            frames += [
                Frame(f"ball_{name}", "platform", Pose(translation=ball)),
                Frame(f"end_{name}", f"rod_{name}", Pose(translation=np.array([0, 0, forearm]))),
            ]
            loops.append(Loop(f"rod_{name}", f"ball_{name}", f"end_{name}", Spherical()))
    return Mechanism("delta", bodies, joints, frames, loops, np.asarray(gravity))


def _rod(name: str, length: float, mass: float) -> Body:
    """A solid round bar along z."""
    radius = length / 100
    across = mass * (3 * radius**2 + length**2) / 12
    end = np.array([0.0, 0.0, length])
    drawn = stick(np.zeros(3), end, radius, GREY)
    return Body(name, mass, end / 2, np.diag([across, across, mass * radius**2 / 2]), (drawn,))


def _platform(radius: float, mass: float) -> Body:
    inertia = mass * radius**2 / 4 * np.diag([1.0, 1.0, 2.0])
    return Body("platform", mass, inertia=inertia, visuals=_star(radius, WHITE))


def _star(radius: float, colour: Colour) -> tuple[Visual, ...]:
    """Three spokes."""
    spokes = [rotation_about((0, 0, 1), 2 * pi * (i - 1) / 3)[:, 0] * radius for i in ARMS]
    return tuple(stick(np.zeros(3), spoke, radius / 8, colour) for spoke in spokes)
