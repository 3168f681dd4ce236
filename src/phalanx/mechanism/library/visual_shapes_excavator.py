"""Visual shapes of the library's excavators.

The thesis gives hinges and masses only. Sizes here fit its hinges and pictures of machines of 18 t;
nothing is computed from them. Booms, sticks and buckets are drawn in the xy-planes of their frames,
tracks and cab in those of the base, whose z is up.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import atan2, cos, hypot, pi, sin

import numpy as np

from phalanx.mechanism.body import Prism, Visual
from phalanx.mechanism.library.visual_shapes import (
    DARK,
    GLASS,
    GREY,
    YELLOW,
    Colour,
    Vector,
    Y,
    Z,
    box,
    drum,
)
from phalanx.mechanism.pose import Array, Pose, rotation_about

Point = tuple[float, float]

BLACK: Colour = (0.12, 0.13, 0.14, 1.0)
PANE: Colour = (*GLASS[:3], 0.18)
EXHAUST: Colour = (0.35, 0.33, 0.32, 1.0)
STEEL: Colour = (0.42, 0.44, 0.47, 1.0)
UPRIGHT = rotation_about((1.0, 0.0, 0.0), pi / 2)  # outlines in the xz-plane, width along y

GROUND = -0.925  # where the tracks stand, below the swing bearing [m]
TRACK = (3.9, 0.74, 0.60)  # length, height and width [m]
TRACK_AT = 1.05  # its middle, left and right [m]


def plate(
    outline: Sequence[Point],
    width: float,
    colour: Colour,
    at: Vector = (0.0, 0.0, 0.0),
    turn: Array | None = None,
) -> Visual:
    """A convex outline in the xy-plane, or turned out of it."""
    pose = Pose(np.eye(3) if turn is None else turn, np.array(at))
    return Visual(Prism(tuple(outline), width), pose, colour)


def beam(path: Sequence[Point], heights: Sequence[float], width: float) -> list[Visual]:
    """A yellow beam along points of the xy-plane, as high at each as given, with mitred bends."""
    ways = [atan2(b[1] - a[1], b[0] - a[0]) for a, b in pairwise(path)]
    leans = [(before + after) / 2 for before, after in pairwise([ways[0], *ways, ways[-1]])]
    edges = []
    for (x, y), height, lean in zip(path, heights, leans, strict=True):
        up = (-height / 2 * sin(lean), height / 2 * cos(lean))
        edges.append(((x - up[0], y - up[1]), (x + up[0], y + up[1])))
    return [plate((a[0], b[0], b[1], a[1]), width, YELLOW) for a, b in pairwise(edges)]


def pin(at: Point, radius: float, width: float) -> Visual:
    """A pin across the xy-plane."""
    return drum(radius, width, Z, (*at, 0.0), DARK)


def _sheet(a: Point, b: Point, thickness: float, width: float) -> Visual:
    """A plate of the bucket's shell between two points of the xy-plane."""
    middle = ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2, 0.0)
    x, y = b[0] - a[0], b[1] - a[1]
    return box((hypot(x, y) + thickness / 2, thickness, width), middle, GREY, atan2(y, x))


# -- undercarriage -------------------------------------------------------------------------------


def _track(side: float) -> list[Visual]:
    length, height, width = TRACK
    y, z, r = side * TRACK_AT, GROUND + height / 2, height / 2
    straight = length / 2 - r
    turns = np.linspace(-pi / 2, pi / 2, 9)
    front = [(straight + r * cos(t), r * sin(t)) for t in turns]
    belt = plate([*front, *((-x, -z) for x, z in front)], width, BLACK, (0.0, y, z), UPRIGHT)
    wheels = [drum(0.27, width + 0.04, Y, (x, y, z), GREY) for x in (-straight, straight)]
    rollers = [
        drum(0.10, width + 0.03, Y, (x, y, GROUND + 0.16), STEEL) for x in (-0.75, 0.0, 0.75)
    ]
    frame = box((2 * straight, width + 0.02, 0.24), (0.0, y, z + 0.06), DARK)
    return [belt, frame, *wheels, *rollers]


BASE = (
    *_track(1.0),
    *_track(-1.0),
    box((1.5, 1.7, 0.30), (0, 0, -0.42), DARK),
    drum(0.62, 0.28, Z, (0, 0, -0.14), STEEL),
)

# -- house ---------------------------------------------------------------------------------------

DECK = 0.28  # its top, above the bearing [m]
CAB_FRONT, CAB_REAR, CAB_LEFT, CAB_RIGHT = 1.20, -0.15, 1.17, 0.33  # of the operator's cab [m]
SILL, ROOF = 0.85, 1.95  # lower edge of the windows, and the roof [m]
POST = 0.06


def _wall(low: Vector, high: Vector, colour: Colour) -> Visual:
    """A box between two corners."""
    x, y, z = (b - a for a, b in zip(low, high, strict=True))
    u, v, w = ((a + b) / 2 for a, b in zip(low, high, strict=True))
    return box((x, y, z), (u, v, w), colour)


def _operator_cab() -> list[Visual]:
    """Low walls, posts, panes, roof, seat and levers; the front window is open."""
    front, rear, left, right = CAB_FRONT, CAB_REAR, CAB_LEFT, CAB_RIGHT
    thin = 0.04
    posts = [
        _wall((x, y, SILL), (x + POST, y + POST, ROOF), DARK)
        for x in (rear, front - POST)
        for y in (right, left - POST)
    ]
    panes = [
        _wall((rear, y, SILL), (front, y + 0.01, ROOF), PANE) for y in (right + 0.02, left - 0.03)
    ]
    return [
        _wall((rear, right, DECK), (rear + thin, left, SILL), YELLOW),
        _wall((front - thin, right, DECK), (front, left, SILL - 0.25), YELLOW),
        _wall((rear, right, DECK), (front, right + thin, SILL), YELLOW),
        _wall((rear, left - thin, DECK), (front, left, SILL), YELLOW),
        *posts,
        *panes,
        _wall((rear - 0.03, right - 0.02, ROOF), (front + 0.05, left + 0.02, ROOF + 0.08), YELLOW),
        box((0.45, 0.48, 0.12), (0.35, 0.75, 0.72), BLACK),
        box((0.10, 0.46, 0.60), (0.10, 0.75, 1.02), BLACK),
        *(drum(0.02, 0.32, Z, (0.72, 0.75 + y, 0.92), BLACK) for y in (-0.30, 0.30)),
    ]


def _house() -> list[Visual]:
    rear = [(-1.95 - 0.7 * cos(t), 1.28 * sin(t)) for t in np.linspace(1.25, -1.25, 9)]
    weight = [(-1.75, -1.25), (-1.75, 1.25), *rear]
    foot = [(0.95, 0.10), (1.95, 0.28), (2.0, 0.45), (1.56, 1.05), (1.40, 1.14), (1.24, 1.05)]
    vents = [box((0.9, 0.02, 0.35), (-1.15, y, 0.85), BLACK) for y in (-1.16, 1.16)]
    return [
        _wall((-1.9, -1.22, 0.02), (1.20, 1.22, DECK), DARK),
        plate(weight, 1.05, YELLOW, (0.0, 0.0, 0.62)),
        _wall((-1.85, -1.15, DECK), (-0.25, 1.15, 1.12), YELLOW),
        _wall((-1.70, -0.85, 1.12), (-0.55, 0.55, 1.24), YELLOW),
        *vents,
        drum(0.07, 0.55, Z, (-1.25, -0.60, 1.48), EXHAUST),
        _wall((-0.15, -1.15, DECK), (1.05, -0.55, 0.95), YELLOW),
        *(plate(foot, 0.08, YELLOW, (0.0, -0.16 + y, 0.0), UPRIGHT) for y in (-0.27, 0.27)),
        drum(0.09, 0.72, Y, (1.40, -0.16, 1.0), DARK),
    ]


CAB = (*_house(), *_operator_cab())

# -- boom, stick, bucket -------------------------------------------------------------------------

BOOM = (
    *beam(
        [(-0.05, 0.0), (0.6, 0.28), (1.95, 0.86), (2.75, 0.86), (5.28, -0.02)],
        [0.34, 0.50, 0.66, 0.64, 0.30],
        0.42,
    ),
    plate([(2.30, 1.10), (2.95, 1.02), (2.72, 1.36), (2.48, 1.36)], 0.16, YELLOW),
    pin((2.60, 1.30), 0.07, 0.34),
    pin((2.30, 0.65), 0.08, 0.78),
    pin((5.2, 0.0), 0.09, 0.50),
)

STICK = (
    *beam(
        [(-0.86, 0.33), (-0.10, 0.12), (0.25, 0.09), (1.84, 0.0)], [0.18, 0.50, 0.48, 0.20], 0.30
    ),
    plate([(-0.28, 0.30), (0.14, 0.30), (-0.02, 0.53), (-0.16, 0.53)], 0.12, YELLOW),
    pin((-0.74, 0.30), 0.06, 0.36),
    pin((-0.09, 0.46), 0.05, 0.24),
    pin((1.80, 0.0), 0.06, 0.46),
)

# the shell from the hinge's side around to the cutting edge; the teeth go on to (1.2, -0.1)
SHELL = (
    (0.08, -0.06),
    (0.05, 0.24),
    (0.10, 0.50),
    (0.23, 0.71),
    (0.42, 0.79),
    (0.62, 0.71),
    (0.82, 0.50),
    (1.12, 0.04),
)
BUCKET_WIDTH = 1.0
TOOTH = ((1.02, 0.11), (1.20, -0.10), (1.10, 0.15))
EARS = ((-0.08, -0.07), (0.10, -0.10), (0.16, 0.52), (0.04, 0.46), (-0.10, 0.38))

BUCKET = (
    *(
        plate(tuple(reversed(SHELL)), 0.04, GREY, (0, 0, side * BUCKET_WIDTH / 2))
        for side in (-1, 1)
    ),
    *(_sheet(a, b, 0.04, BUCKET_WIDTH) for a, b in pairwise(SHELL)),
    *(plate(EARS, 0.05, STEEL, (0, 0, side * 0.19)) for side in (-1, 1)),
    *(plate(TOOTH, 0.10, DARK, (0, 0, z)) for z in (-0.44, -0.22, 0.0, 0.22, 0.44)),
)

CAT215B = {"base": BASE, "cab": CAB, "boom": BOOM, "stick": STICK, "bucket": BUCKET}


def tipping_link(length: float) -> tuple[Visual, ...]:
    """Two bars along x, left and right of the stick."""
    size, middle = (length + 0.14, 0.12, 0.04), length / 2
    bars = [box(size, (middle, 0.0, side * 0.19), STEEL) for side in (-1, 1)]
    return (*bars, pin((0.0, 0.0), 0.05, 0.44), pin((length, 0.0), 0.05, 0.44))


def coupler(length: float) -> tuple[Visual, ...]:
    """A bar along x between the bucket's ears."""
    return (
        box((length, 0.14, 0.26), (length / 2, 0.0, 0.0), STEEL),
        pin((length, 0.0), 0.05, 0.46),
    )
