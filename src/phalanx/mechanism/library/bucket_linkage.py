"""Bucket linkage of an excavator: a hydraulic cylinder, a tipping link, a coupler.

Sizes are those of a machine of 18 t: a stick of 1.8 m and the bucket of the library's Caterpillar
215B (512 kg, 130 kg·m²). The linkage's own lengths are chosen to look like the machine's; no source
gives them.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot, radians

import numpy as np

from phalanx.base.arguments import checked
from phalanx.mechanism.body import Body, Box, Frame, Visual
from phalanx.mechanism.joint import Joint, Prismatic, Revolute, X
from phalanx.mechanism.library.bars import (
    UPRIGHT,
    Point,
    along_x,
    apex,
    bar,
    beyond,
    direction,
    hinge,
    stick,
    upright,
)
from phalanx.mechanism.library.visual_shapes import DARK, GREY, YELLOW
from phalanx.mechanism.loop import Loop
from phalanx.mechanism.mechanism import GRAVITY, Mechanism
from phalanx.mechanism.pose import Array, Pose

# in the stick's frame, x towards the bucket and z up its back [m]
BARREL_PIN: Point = (0.15, 0.30)
TIPPING_PIN: Point = (1.45, 0.04)
BUCKET_PIN: Point = (1.80, 0.0)
TIPPING_LINK, COUPLER = 0.42, 0.45  # pin to pin [m]
EAR = 0.36  # from the bucket's hinge to the coupler's pin [m]
TIPPED = radians(105.0)  # of the tipping link against the stick, all joints at zero

# masses [kg] of barrel, rod, tipping link and coupler; the bucket's after Wong 1991
BARREL, ROD, TIPPING, COUPLING, BUCKET = 45.0, 25.0, 28.0, 22.0, 512.0
BUCKET_MOMENT = 130.0  # [kg·m²]
BUCKET_CENTRE: Point = (0.10, -0.55)  # from its hinge, x towards the ear [m]
STROKE = 0.22  # of the cylinder, either way from zero [m]


@checked
def bucket_linkage(*, gravity: Sequence[float] | Array = GRAVITY) -> Mechanism:
    """Stick, cylinder, tipping link, coupler and bucket in the xz-plane; one freedom.

    The stick is the root and lies along x; tilt it by the direction of gravity. ``barrel`` swings
    on the stick and ``cylinder``, the driven joint, pushes its rod out of it: the rod's end drives
    the tipping link, whose pin also carries the coupler, whose other end turns the bucket. Two
    hinges close the loops: ``rod_pin`` at the tipping link's end and ``bucket_ear``. All joints at
    zero close them. Frame ``teeth`` is at the bucket's edge.

    Args:
        gravity: Acceleration of free fall in the stick's frame [m/s²].
    """
    knee = beyond(TIPPING_PIN, TIPPING_LINK, TIPPED)
    ear = apex(knee, BUCKET_PIN, COUPLER, EAR, left=True, of="bucket linkage")
    reach = hypot(knee[0] - BARREL_PIN[0], knee[1] - BARREL_PIN[1])
    swing = Revolute(np.array(UPRIGHT))
    rod = bar("rod", 0.6 * reach, ROD, radius=0.035)
    # the rod's frame stands at its end, and the rod reaches back into the barrel
    rod_end = Pose(np.diag([-1.0, -1.0, 1.0]))
    drawn = tuple(Visual(v.geometry, rod_end @ v.pose, v.colour) for v in rod.visuals)
    return Mechanism(
        "bucket_linkage",
        [
            Body("stick", visuals=_stick()),
            bar("barrel", 0.6 * reach, BARREL, radius=0.06, colour=YELLOW),
            Body("rod", ROD, -rod.com, rod.inertia, drawn),
            bar("tipping_link", TIPPING_LINK, TIPPING, radius=0.04, colour=DARK),
            bar("coupler", COUPLER, COUPLING, radius=0.04, colour=DARK),
            _bucket(),
        ],
        [
            hinge("barrel", "stick", "barrel", upright(BARREL_PIN, direction(BARREL_PIN, knee))),
            Joint(
                "cylinder",
                "barrel",
                "rod",
                Prismatic(np.array(X)),
                along_x(reach),
                lower=-STROKE,
                upper=STROKE,
            ),
            hinge("tipping_link", "stick", "tipping_link", upright(TIPPING_PIN, TIPPED)),
            hinge(
                "coupler",
                "tipping_link",
                "coupler",
                upright((TIPPING_LINK, 0.0), direction(knee, ear) - TIPPED),
            ),
            hinge("bucket", "stick", "bucket", upright(BUCKET_PIN, direction(BUCKET_PIN, ear))),
        ],
        [
            Frame("tipping_end", "tipping_link", along_x(TIPPING_LINK)),
            Frame("coupler_end", "coupler", along_x(COUPLER)),
            Frame("ear", "bucket", along_x(EAR)),
            Frame("teeth", "bucket", upright((-0.55, -0.95))),
        ],
        [
            Loop("rod_pin", "tipping_end", "rod", swing),
            Loop("bucket_ear", "ear", "coupler_end", swing),
        ],
        np.asarray(gravity),
    )


def _bucket() -> Body:
    centre = np.array([BUCKET_CENTRE[0], 0.0, BUCKET_CENTRE[1]])

    def plate(size: tuple[float, float, float], at: Point) -> Visual:
        return Visual(Box(size), Pose(translation=np.array([at[0], 0.0, at[1]])), GREY)

    shell = (
        plate((0.50, 1.0, 0.08), (0.20, -0.04)),
        plate((0.08, 1.0, 0.90), (0.45, -0.45)),
        plate((1.05, 1.0, 0.08), (-0.04, -0.93)),
    )
    return Body("bucket", BUCKET, centre, BUCKET_MOMENT * np.eye(3), shell)


def _stick() -> tuple[Visual, ...]:
    def beam(a: Point, b: Point, radius: float) -> Visual:
        return stick(np.array([a[0], 0.0, a[1]]), np.array([b[0], 0.0, b[1]]), radius, YELLOW)

    return beam((0.0, 0.0), BUCKET_PIN, 0.12), beam((0.15, 0.0), BARREL_PIN, 0.06)
