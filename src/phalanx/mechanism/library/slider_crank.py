"""A slider-crank: a crank and a connecting rod that drive a slider along a line."""

from __future__ import annotations

from collections.abc import Sequence
from math import asin

import numpy as np

from phalanx.base.arguments import checked
from phalanx.base.errors import InvalidInput
from phalanx.mechanism.body import Body, Box, Frame, Visual
from phalanx.mechanism.joint import Joint, Prismatic, Revolute, X
from phalanx.mechanism.library.bars import (
    NO_DRIVE,
    UPRIGHT,
    along_x,
    bar,
    check_numbers,
    check_sizes,
    hinge,
    stick,
    upright,
)
from phalanx.mechanism.library.visual_shapes import DARK, GREY, YELLOW
from phalanx.mechanism.loop import Loop
from phalanx.mechanism.mechanism import GRAVITY, Mechanism
from phalanx.mechanism.pose import Array


@checked
def slider_crank(
    crank: float = 0.15,
    rod: float = 0.5,
    masses: tuple[float, float, float] = (1.0, 1.5, 2.0),
    *,
    offset: float = 0.0,
    gravity: Sequence[float] | Array = GRAVITY,
) -> Mechanism:
    """Crank, connecting rod and slider; the crank is driven.

    The slider runs along x, hinges turn about -y, so that angles count from x towards z. The loop
    is closed by a hinge between ``rod_end`` and the slider. All joints at zero close it, with the
    crank along x; ``slider`` then counts from there. One freedom remains.

    Args:
        crank: Its length [m].
        rod: Length of the connecting rod [m].
        masses: Of crank, rod and slider [kg].
        offset: Height of the slider's line above the crank's hinge [m].
        gravity: Acceleration of free fall [m/s²].

    Raises:
        InvalidInput: When the rod does not reach the slider's line.
    """
    check_numbers("a slider-crank", offset=offset)
    check_sizes("a slider-crank", crank=crank, rod=rod)
    if abs(offset) >= rod:
        raise InvalidInput(
            f"slider-crank: a rod of {rod:g} m does not reach a line {offset:g} m above the crank."
        )
    slope = asin(offset / rod)
    start = crank + rod * np.cos(slope)
    radius = (crank + rod) / 50
    width = 4 * radius
    rail = stick(
        np.array([start - 2.2 * crank, 0.0, offset]),
        np.array([start + 0.2 * crank, 0.0, offset]),
        radius / 2,
        DARK,
    )
    slider = Body(
        "slider",
        masses[2],
        inertia=masses[2] * width**2 / 6 * np.eye(3),
        visuals=(Visual(Box((width, width, width)), colour=GREY),),
    )
    return Mechanism(
        "slider_crank",
        [
            Body("frame", visuals=(rail,)),
            bar("crank", crank, masses[0], radius=radius, colour=YELLOW),
            bar("rod", rod, masses[1], radius=radius),
            slider,
        ],
        [
            hinge("crank", "frame", "crank", upright(), driven=True),
            hinge("rod", "crank", "rod", upright((crank, 0.0), slope)),
            Joint(
                "slider",
                "frame",
                "slider",
                Prismatic(np.array(X)),
                upright((float(start), offset)),
                effort_limit=NO_DRIVE,
            ),
        ],
        [Frame("rod_end", "rod", along_x(rod))],
        [Loop("pin", "slider", "rod_end", Revolute(np.array(UPRIGHT)))],
        np.asarray(gravity),
    )
