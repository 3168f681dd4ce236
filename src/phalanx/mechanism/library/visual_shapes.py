"""Visual shapes of library machines: a few plain shapes on the frames of their tables.

The sources give no shapes. These are for the eye alone, sized by the tables' lengths and by
pictures of the machines; nothing is computed from them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from phalanx.mechanism.body import Box, Capsule, Cylinder, Sphere, Visual
from phalanx.mechanism.mechanism import Mechanism
from phalanx.mechanism.motion import frame_on_axis
from phalanx.mechanism.pose import Pose, rotation_about

Vector = tuple[float, float, float]
Colour = tuple[float, float, float, float]

WHITE: Colour = (0.88, 0.89, 0.90, 1.0)
GREY: Colour = (0.55, 0.58, 0.62, 1.0)
DARK: Colour = (0.22, 0.24, 0.27, 1.0)
YELLOW: Colour = (0.95, 0.72, 0.12, 1.0)
GLASS: Colour = (0.30, 0.42, 0.50, 1.0)
SKIN: Colour = (0.86, 0.67, 0.54, 1.0)
SHIRT: Colour = (0.24, 0.42, 0.62, 1.0)

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def with_visual_shapes(mechanism: Mechanism, shapes: Mapping[str, Sequence[Visual]]) -> Mechanism:
    """The mechanism with these shapes on the bodies of these names, and no others."""
    return replace(
        mechanism,
        bodies=[replace(body, visuals=tuple(shapes[body.name])) for body in mechanism.bodies],
    )


def box(size: Vector, at: Vector, colour: Colour, turn: float = 0.0) -> Visual:
    """A box turned about z [rad]."""
    return Visual(Box(size), Pose(rotation_about(Z, turn), np.array(at)), colour)


def drum(radius: float, length: float, axis: Vector, at: Vector, colour: Colour) -> Visual:
    """A cylinder about an axis."""
    return Visual(
        Cylinder(radius, length), Pose(frame_on_axis(np.array(axis)), np.array(at)), colour
    )


def limb(radius: float, length: float, colour: Colour) -> Visual:
    """A capsule along y from the origin, downwards when ``length`` is negative."""
    middle = np.array([0.0, length / 2, 0.0])
    return Visual(Capsule(radius, abs(length)), Pose(frame_on_axis(np.array(Y)), middle), colour)


def ball(radius: float, at: Vector, colour: Colour) -> Visual:
    """A sphere."""
    return Visual(Sphere(radius), Pose(translation=np.array(at)), colour)


# shoulder frame at the shoulder; upper arm and forearm lie beside each other, as on the machine
PUMA560: dict[str, tuple[Visual, ...]] = {
    "base": (
        drum(0.10, 0.56, Z, (0, 0, -0.37), WHITE),
        drum(0.17, 0.05, Z, (0, 0, -0.655), DARK),
    ),
    "link_1": (
        drum(0.105, 0.17, Z, (0, 0, 0), GREY),
        drum(0.10, 0.30, Y, (0, 0.03, 0), WHITE),
    ),
    "link_2": (
        box((0.50, 0.19, 0.10), (0.17, 0, 0), WHITE),
        drum(0.105, 0.12, Z, (0, 0, 0), WHITE),
        drum(0.085, 0.16, Z, (0.4318, 0, -0.02), GREY),
    ),
    "link_3": (
        drum(0.085, 0.09, Z, (0, 0, 0), WHITE),
        box((0.13, 0.36, 0.09), (-0.01, -0.20, 0), WHITE),
    ),
    "link_4": (drum(0.047, 0.10, Z, (0, 0, -0.05), GREY),),
    "link_5": (drum(0.042, 0.08, Z, (0, 0, 0), DARK),),
    "link_6": (drum(0.030, 0.05, Z, (0, 0, 0.055), GREY),),
}

TORSO: dict[str, tuple[Visual, ...]] = {
    "base": (drum(0.17, 0.08, Z, (0, 0, -0.06), DARK),),
    "trunk": (
        box((0.20, 0.16, 0.44), (0, 0, 0.32), SHIRT),
        drum(0.07, 0.24, X, (0, 0, 0.57), SHIRT),
        drum(0.12, 0.12, Z, (0, 0, 0.06), DARK),
        drum(0.05, 0.10, Z, (0, 0, 0.63), SKIN),
    ),
    "head": (ball(0.12, (0, -0.12, 0), SKIN),),
    "right_upper_arm": (limb(0.05, -0.45, SHIRT),),
    "right_lower_arm": (limb(0.045, -0.36, SKIN),),
    "left_upper_arm": (limb(0.05, 0.45, SHIRT),),
    "left_lower_arm": (limb(0.045, 0.36, SKIN),),
}
