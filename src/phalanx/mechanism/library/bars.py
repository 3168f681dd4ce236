"""Parts of planar linkages: bars, hinges, triangles.

Upright linkages stand in the xz-plane, z up; their angles are counted from x towards z.
"""

from __future__ import annotations

from math import atan2, cos, hypot, sin, sqrt

import numpy as np

from phalanx.base.errors import InvalidInput
from phalanx.mechanism.body import Body, Capsule, Visual
from phalanx.mechanism.joint import Joint, Revolute
from phalanx.mechanism.library.visual_shapes import GREY, Colour
from phalanx.mechanism.motion import frame_on_axis
from phalanx.mechanism.pose import LARGEST, Array, Pose, rotation_about

Point = tuple[float, float]

UPRIGHT = (0.0, -1.0, 0.0)
# a joint without a drive: it can exert no force
NO_DRIVE = 0.0


def hinge(name: str, parent: str, child: str, pose: Pose, *, driven: bool = False) -> Joint:
    """A hinge of an upright linkage, with or without a drive."""
    effort = np.inf if driven else NO_DRIVE
    return Joint(name, parent, child, Revolute(np.array(UPRIGHT)), pose, effort_limit=effort)


def upright(point: Point = (0.0, 0.0), angle: float = 0.0) -> Pose:
    """A frame in the xz-plane whose x points along ``angle`` [rad]."""
    return Pose(rotation_about(UPRIGHT, angle), np.array([point[0], 0.0, point[1]]))


def along_x(x: float) -> Pose:
    """A frame shifted along x [m]."""
    return Pose(translation=np.array([x, 0.0, 0.0]))


def bar(
    name: str, length: float, mass: float, *, radius: float | None = None, colour: Colour = GREY
) -> Body:
    """A solid round bar from the origin along x, a twentieth as thick as long unless given."""
    r = length / 40 if radius is None else radius
    across = mass * (3 * r**2 + length**2) / 12
    middle = np.array([length / 2, 0.0, 0.0])
    drawn = stick(np.zeros(3), 2 * middle, r, colour)
    return Body(name, mass, middle, np.diag([mass * r**2 / 2, across, across]), (drawn,))


def stick(start: Array, end: Array, radius: float, colour: Colour = GREY) -> Visual:
    """A rounded rod between two points."""
    reach = end - start
    length = float(np.linalg.norm(reach))
    return Visual(
        Capsule(radius, length), Pose(frame_on_axis(reach / length), (start + end) / 2), colour
    )


def apex(a: Point, b: Point, from_a: float, from_b: float, *, left: bool, of: str) -> Point:
    """The point at two distances from two points, left or right of the way from a to b.

    Raises:
        InvalidInput: When no triangle has these sides; ``of`` says whose.
    """
    x, y = b[0] - a[0], b[1] - a[1]
    base = hypot(x, y)
    if not abs(from_a - from_b) <= base <= from_a + from_b or base == 0:
        raise InvalidInput(
            f"{of}: bars of {from_a:g} m and {from_b:g} m do not meet over {base:g} m. Change the "
            "lengths, or the posture in which the machine is put together."
        )
    along = (base**2 + from_a**2 - from_b**2) / (2 * base)
    aside = sqrt(max(from_a**2 - along**2, 0.0)) * (1 if left else -1)
    return a[0] + (along * x - aside * y) / base, a[1] + (along * y + aside * x) / base


def direction(a: Point, b: Point) -> float:
    """Angle of the way from a to b [rad]."""
    return atan2(b[1] - a[1], b[0] - a[0])


def beyond(a: Point, length: float, angle: float) -> Point:
    """The point at a distance from another, in a direction [rad]."""
    return a[0] + length * cos(angle), a[1] + length * sin(angle)


def check_sizes(machine: str, **sizes: float) -> None:
    """Raise InvalidInput unless every length and mass is positive and not beyond LARGEST."""
    check_numbers(machine, **sizes)
    for name, size in sizes.items():
        if not size > 0:
            raise InvalidInput(f"{name.replace('_', ' ')} of {machine} must be positive: {size}.")


def check_numbers(machine: str, **numbers: float) -> None:
    """Raise InvalidInput where a number is NaN or beyond what a model may hold."""
    for name, number in numbers.items():
        if not abs(number) <= LARGEST:
            raise InvalidInput(
                f"{name.replace('_', ' ')} of {machine} must be a number up to {LARGEST:g}: "
                f"{number}."
            )
