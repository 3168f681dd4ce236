"""A Stewart-Gough platform: six cylinders carry a platform with all six freedoms (6-UPS)."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, pi, sin

import numpy as np

from phalanx.base.arguments import checked
from phalanx.mechanism.body import Body, Frame, Visual
from phalanx.mechanism.joint import Floating, Joint, Prismatic, Spherical, Universal
from phalanx.mechanism.library.bars import NO_DRIVE, check_sizes, stick
from phalanx.mechanism.library.visual_shapes import DARK, GREY, WHITE, YELLOW, Colour
from phalanx.mechanism.loop import Loop
from phalanx.mechanism.mechanism import GRAVITY, Mechanism
from phalanx.mechanism.pose import Array, Pose

LEGS = (1, 2, 3, 4, 5, 6)
# of the leg's length at zero
BARREL, ROD = 0.55, 0.6


@checked
def stewart(
    *,
    base_radius: float = 0.5,
    platform_radius: float = 0.3,
    height: float = 0.6,
    spread: float = pi / 15,
    masses: tuple[float, float, float] = (3.0, 1.5, 10.0),
    gravity: Sequence[float] | Array = GRAVITY,
) -> Mechanism:
    """Six legs of variable length between pairs of joints on a base and on a platform.

    Leg i is a barrel on a universal joint ``universal_i``, in which a rod slides: ``leg_i``, the
    driven joint, from 40 % of the leg shorter to 15 % longer. A ball joint holds its end at the
    platform's ``ball_i``. The platform is a free body. 18 equations, none redundant, against 24
    velocities; six freedoms remain. All joints at zero close the loops, with the platform level
    above the base.

    Pairs of base joints stand at 0°, 120° and 240°, pairs of platform joints at 60°, 180° and 300°;
    neighbours are joined. Frame ``tool`` is the platform's centre.

    Args:
        base_radius: Of the circle of universal joints [m].
        platform_radius: Of the circle of ball joints [m].
        height: Of the platform above the base, all joints at zero [m].
        spread: Angle of each joint from the middle of its pair [rad].
        masses: Of a barrel, of a rod and of the platform (a disc) [kg].
        gravity: Acceleration of free fall [m/s²].
    """
    check_sizes("a Stewart platform", base_radius=base_radius, platform_radius=platform_radius)
    check_sizes("a Stewart platform", spread=spread)
    check_sizes("a Stewart platform", height=height)
    feet = _pairs(base_radius, (0, 0, 2, 2, 4, 4), spread)
    balls = _pairs(platform_radius, (-1, 1, 1, 3, 3, 5), -spread)
    middle = np.array([0.0, 0.0, height])
    disc = masses[2] * platform_radius**2 / 4 * np.diag([1.0, 1.0, 2.0])
    bodies = [
        Body("base", visuals=_ring(feet, DARK)),
        Body("platform", masses[2], inertia=disc, visuals=_ring(balls, WHITE)),
    ]
    start = Pose(translation=middle)
    joints = [Joint("platform", "base", "platform", Floating(), start, effort_limit=NO_DRIVE)]
    frames, loops = [Frame("tool", "platform")], []
    for i, foot, ball in zip(LEGS, feet, balls, strict=True):
        length = float(np.linalg.norm(middle + ball - foot))
        pose = Pose(_swing((middle + ball - foot) / length), foot)
        barrel, rod = f"barrel_{i}", f"rod_{i}"
        bodies += [
            _tube(barrel, masses[0], 0.0, BARREL * length, 0.03, YELLOW),
            _tube(rod, masses[1], -ROD * length, 0.0, 0.018, GREY),
        ]
        end = Pose(translation=np.array([0.0, 0.0, length]))
        joints += [
            Joint(f"universal_{i}", "base", barrel, Universal(), pose, effort_limit=NO_DRIVE),
            # from the rod at the barrel's bottom to its end in the barrel's mouth
            Joint(
                f"leg_{i}",
                barrel,
                rod,
                Prismatic(),
                end,
                lower=(ROD - 1) * length,
                upper=(BARREL + ROD - 1) * length,
            ),
        ]
        frames.append(Frame(f"ball_{i}", "platform", Pose(translation=ball)))
        loops.append(Loop(f"ball_{i}", f"ball_{i}", rod, Spherical()))
    return Mechanism("stewart", bodies, joints, frames, loops, np.asarray(gravity))


def _pairs(radius: float, sixths: tuple[int, ...], spread: float) -> Array:
    """Points on a circle at multiples of 60°, every second one ahead and the others behind it."""
    angles = [s * pi / 3 + spread * (1 if k % 2 else -1) for k, s in enumerate(sixths)]
    return np.array([[radius * cos(a), radius * sin(a), 0.0] for a in angles])


def _swing(direction: Array) -> Array:
    """A rotation whose z is a leg's direction and whose x, its first hinge, is level."""
    level = np.cross((0.0, 0.0, 1.0), direction)
    length = np.linalg.norm(level)
    level = level / length if length > 1e-9 else np.array([1.0, 0.0, 0.0])
    return np.column_stack([level, np.cross(direction, level), direction])


def _tube(name: str, mass: float, start: float, end: float, radius: float, colour: Colour) -> Body:
    """A solid round bar along z."""
    across = mass * (3 * radius**2 + (end - start) ** 2) / 12
    points = np.array([[0.0, 0.0, start], [0.0, 0.0, end]])
    drawn = stick(points[0], points[1], radius, colour)
    inertia = np.diag([across, across, mass * radius**2 / 2])
    return Body(name, mass, points.mean(axis=0), inertia, (drawn,))


def _ring(corners: Array, colour: Colour) -> tuple[Visual, ...]:
    return tuple(stick(corners[k - 1], corners[k], 0.015, colour) for k in range(len(corners)))
