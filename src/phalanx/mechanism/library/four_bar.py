"""A planar four-bar linkage: crank, coupler and rocker on a ground bar."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from phalanx.base.arguments import checked
from phalanx.mechanism.body import Body, Frame
from phalanx.mechanism.joint import Revolute
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
from phalanx.mechanism.loop import Loop
from phalanx.mechanism.mechanism import GRAVITY, Mechanism
from phalanx.mechanism.pose import Array


@checked
def four_bar(
    lengths: tuple[float, float, float, float] = (0.7, 0.2, 0.6, 0.5),
    masses: tuple[float, float, float] = (1.0, 2.0, 1.5),
    *,
    angle: float = 0.0,
    crossed: bool = False,
    gravity: Sequence[float] | Array = GRAVITY,
) -> Mechanism:
    """Crank, coupler and rocker; the crank is driven and, with the default lengths, turns fully.

    The ground bar lies along x, hinges turn about -y, so that angles count from x towards z. The
    loop is closed by a hinge between frames ``coupler_end`` and ``rocker_end``: five equations, of
    which three hold by themselves. All joints at zero close it, with the crank at ``angle``;
    one freedom remains.

    Args:
        lengths: Of ground, crank, coupler and rocker, hinge to hinge [m].
        masses: Of crank, coupler and rocker, uniform round bars [kg].
        angle: Of the crank against the ground bar where its joint is at zero [rad].
        crossed: Whether the other of the two ways to put it together is meant.
        gravity: Acceleration of free fall [m/s²].

    Raises:
        InvalidInput: When the bars do not meet at this angle of the crank.
    """
    ground, crank, coupler, rocker = lengths
    check_numbers("a four-bar", angle=angle)
    check_sizes("a four-bar", ground=ground, crank=crank, coupler=coupler, rocker=rocker)
    left, right = (0.0, 0.0), (ground, 0.0)
    knee = beyond(left, crank, angle)
    pin = apex(knee, right, coupler, rocker, left=not crossed, of="four-bar")
    radius = ground / 40
    base = stick(np.zeros(3), np.array([ground, 0.0, 0.0]), radius, DARK)
    return Mechanism(
        "four_bar",
        [
            Body("ground", visuals=(base,)),
            bar("crank", crank, masses[0], radius=radius, colour=YELLOW),
            bar("coupler", coupler, masses[1], radius=radius),
            bar("rocker", rocker, masses[2], radius=radius),
        ],
        [
            hinge("crank", "ground", "crank", upright(left, angle), driven=True),
            hinge(
                "coupler", "crank", "coupler", upright((crank, 0.0), direction(knee, pin) - angle)
            ),
            hinge("rocker", "ground", "rocker", upright(right, direction(right, pin))),
        ],
        [
            Frame("coupler_end", "coupler", along_x(coupler)),
            Frame("rocker_end", "rocker", along_x(rocker)),
        ],
        [Loop("pin", "coupler_end", "rocker_end", Revolute(np.array(UPRIGHT)))],
        np.asarray(gravity),
    )
