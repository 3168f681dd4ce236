"""The planar 3-RRR manipulator of Khan, MEng thesis, McGill University (2002).

A triangular platform on three legs of two links each. Each leg's first joint is driven.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import pi, sqrt

import numpy as np

from phalanx.base.arguments import checked
from phalanx.mechanism.body import Body, Frame, Visual
from phalanx.mechanism.joint import Joint, Motion, Planar, Revolute, Z
from phalanx.mechanism.library.bars import NO_DRIVE, along_x, beyond, stick
from phalanx.mechanism.library.visual_shapes import DARK, GREY, WHITE, YELLOW, Colour
from phalanx.mechanism.loop import Loop, PlanarPin
from phalanx.mechanism.mechanism import Mechanism
from phalanx.mechanism.pose import Array, Pose, rotation_about

LEGS = (1, 2, 3)

# Table 4.1: length [m], mass [kg], moment about the mass centre [kg·m²]
PROXIMAL = (0.4, 3.0, 0.04)
DISTAL = (0.6, 4.0, 0.12)
PLATFORM = (0.4, 8.0, 0.0817)  # the length is the side of the triangle
# the thesis does not print the side of the base; its initial posture closes with this one
BASE_SIDE = 1.0

# angles of the driven links at the start of the thesis's motion [rad], and the pose of the platform
# that belongs to them: printed as (0.728, 0.233) m and 3.916 rad, refined until the loops close
DRIVES = (pi / 3, 4 * pi / 3, 11 * pi / 6)
PLATFORM_AT_START = (0.7277520804724514, 0.23271116471246817, 3.9155292201719405)

PERIOD = 3.0
"""Time [s] of the thesis's motion, from rest to rest."""
TURNS = (2 * pi / 6, 2 * pi / 6, 2 * pi / 12)
"""How far driven links turn [rad]: θ = θ₀ + (wt - sin wt) / 6, / 6 and / 12, w = 2π / PERIOD."""


@checked
def planar_3rrr(*, gravity: Sequence[float] | Array = (0.0, -9.81, 0.0)) -> Mechanism:
    """A platform in the plane on three driven legs, with the data of the thesis's Table 4.1.

    Everything moves in the xy-plane, gravity points along -y. Joints ``drive_1`` to ``drive_3`` are
    driven; ``elbow_1`` to ``elbow_3`` count from the leg's first link, and ``platform`` is the
    pose of the platform's centroid against its start, in base axes. Pins hold each leg's
    ``tip_i`` at ``vertex_i``: six equations, and three freedoms remain.

    All joints at zero are the start of the thesis's motion: its driven angles are those here plus
    ``DRIVES``, its platform's pose (x, y, angle) is that of ``platform`` plus
    ``PLATFORM_AT_START``, and its distal angles are those here plus (-0.8650718732,
    -2.1020965640, -0.9758722926) rad.

    Args:
        gravity: Acceleration of free fall [m/s²].
    """
    corners = _triangle(BASE_SIDE) - _triangle(BASE_SIDE)[0]
    place, turn = np.array(PLATFORM_AT_START[:2]), rotation_about(Z, PLATFORM_AT_START[2])
    vertices = _triangle(PLATFORM[0]) @ turn.T
    bodies = [Body("base", visuals=_outline(corners, DARK))]
    joints, frames, loops = [], [], []
    for i, hip, angle, vertex in zip(LEGS, corners, DRIVES, vertices, strict=True):
        proximal, distal = f"proximal_{i}", f"distal_{i}"
        reach = place + vertex[:2] - beyond((hip[0], hip[1]), PROXIMAL[0], angle)
        bend = float(np.arctan2(reach[1], reach[0])) - angle
        elbow = np.array([PROXIMAL[0], 0.0, 0.0])
        bodies += [_rod(proximal, PROXIMAL, YELLOW), _rod(distal, DISTAL, GREY)]
        joints += [
            Joint(f"drive_{i}", "base", proximal, Revolute(), _turned(hip, angle)),
            _passive(f"elbow_{i}", proximal, distal, Revolute(), _turned(elbow, bend)),
        ]
        frames += [
            Frame(f"tip_{i}", distal, along_x(DISTAL[0])),
            Frame(f"vertex_{i}", "platform", Pose(translation=vertex)),
        ]
        loops.append(Loop(f"leg_{i}", f"vertex_{i}", f"tip_{i}", PlanarPin()))
    _, mass, moment = PLATFORM
    plate = np.diag([moment / 2, moment / 2, moment])
    bodies.append(Body("platform", mass, inertia=plate, visuals=_outline(vertices, WHITE)))
    start = Pose(translation=np.array([*place, 0.0]))
    joints.append(_passive("platform", "base", "platform", Planar(), start))
    return Mechanism("planar_3rrr", bodies, joints, frames, loops, np.asarray(gravity))


def _passive(name: str, parent: str, child: str, motion: Motion, pose: Pose) -> Joint:
    return Joint(name, parent, child, motion, pose, effort_limit=NO_DRIVE)


def _rod(name: str, data: tuple[float, float, float], colour: Colour) -> Body:
    """A thin rod along x."""
    length, mass, moment = data
    end = np.array([length, 0.0, 0.0])
    drawn = stick(np.zeros(3), end, 0.012, colour)
    return Body(name, mass, end / 2, np.diag([0.0, moment, moment]), (drawn,))


def _turned(point: Array, angle: float) -> Pose:
    return Pose(rotation_about(Z, angle), point)


def _triangle(side: float) -> Array:
    """Corners of an equilateral triangle about its centroid, the first edge along x."""
    low, high = -sqrt(3) / 6, sqrt(3) / 3
    return side * np.array([[-0.5, low, 0.0], [0.5, low, 0.0], [0.0, high, 0.0]])


def _outline(corners: Array, colour: Colour) -> tuple[Visual, ...]:
    return tuple(stick(corners[i - 1], corners[i], 0.015, colour) for i in range(3))
