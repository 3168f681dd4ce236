"""A planar five-bar: two driven arms whose forearms meet in one pin, which carries the tool."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi

import numpy as np

from phalanx.base.arguments import checked
from phalanx.mechanism.body import Body, Frame
from phalanx.mechanism.library.bars import (
    UPRIGHT,
    along_x,
    apex,
    bar,
    beyond,
    check_numbers,
    check_sizes,
    direction,
    hinge,
    stick,
    upright,
)
from phalanx.mechanism.library.visual_shapes import DARK, YELLOW
from phalanx.mechanism.loop import Loop, PlanarPin
from phalanx.mechanism.mechanism import GRAVITY, Mechanism
from phalanx.mechanism.pose import Array


@checked
def five_bar(
    width: float = 0.2,
    arm: float = 0.25,
    forearm: float = 0.35,
    masses: tuple[float, float] = (0.6, 0.5),
    *,
    angle: float = pi / 3,
    gravity: Sequence[float] | Array = GRAVITY,
) -> Mechanism:
    """Two arms side by side, both driven at the base; their forearms share a pin, the ``tool``.

    Stands in the xz-plane, z up; hinges turn about -y. A pin holds ``right_tip`` at ``tool``: two
    equations. All joints at zero close the loop in the symmetric posture, with the right arm at
    ``angle`` and the left one mirrored; two freedoms remain.

    Args:
        width: Between the hinges of the arms [m].
        arm: Length of each arm [m].
        forearm: Length of each forearm [m].
        masses: Of an arm and of a forearm, uniform round bars [kg].
        angle: Of the right arm against x where its joint is at zero [rad].
        gravity: Acceleration of free fall [m/s²].

    Raises:
        InvalidInput: When the forearms do not meet at this angle of the arms.
    """
    check_numbers("a five-bar", angle=angle)
    check_sizes("a five-bar", width=width, arm=arm, forearm=forearm)
    hinges = {"left": (-width / 2, 0.0), "right": (width / 2, 0.0)}
    angles = {"left": pi - angle, "right": angle}
    elbows = {side: beyond(hinges[side], arm, angles[side]) for side in hinges}
    tool = apex(elbows["left"], elbows["right"], forearm, forearm, left=True, of="five-bar")
    radius = arm / 20
    base = stick(np.array([-width / 2, 0.0, 0.0]), np.array([width / 2, 0.0, 0.0]), radius, DARK)
    bodies, joints = [Body("base", visuals=(base,))], []
    for side, elbow in elbows.items():
        bodies += [
            bar(f"{side}_arm", arm, masses[0], radius=radius, colour=YELLOW),
            bar(f"{side}_forearm", forearm, masses[1], radius=radius),
        ]
        bend = direction(elbow, tool) - angles[side]
        pose = upright(hinges[side], angles[side])
        joints += [
            hinge(f"{side}_drive", "base", f"{side}_arm", pose, driven=True),
            hinge(f"{side}_elbow", f"{side}_arm", f"{side}_forearm", upright((arm, 0.0), bend)),
        ]
    return Mechanism(
        "five_bar",
        bodies,
        joints,
        [
            Frame("tool", "left_forearm", along_x(forearm)),
            Frame("right_tip", "right_forearm", along_x(forearm)),
        ],
        [Loop("pin", "tool", "right_tip", PlanarPin(np.array(UPRIGHT)))],
        np.asarray(gravity),
    )
