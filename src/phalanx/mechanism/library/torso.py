"""A human torso, the branched example of Wong, PhD thesis, University of British Columbia (1991).

A trunk that turns on the hips carries a head and two arms of two segments each.
"""

from __future__ import annotations

from phalanx.mechanism.library.hinges import HingedLink, Vector, hinged
from phalanx.mechanism.library.visual_shapes import TORSO, with_visual_shapes
from phalanx.mechanism.mechanism import Mechanism

# masses and dimensions of the torso table [kg, m]
TRUNK, HEAD, UPPER, LOWER = 41.0, 5.0, 2.8, 1.4
HEAD_RADIUS, ARM_RADIUS = 0.12, 0.05
UPPER_LENGTH, LOWER_LENGTH = 0.45, 0.40

THROUGH = 2 / 5 * HEAD * HEAD_RADIUS**2
HEAD_MOMENTS = (THROUGH, THROUGH, THROUGH)
SLIM, WIDE = 0.40, 2.7


def torso() -> Mechanism:
    """The torso with its long axes where its segments are long.

    The trunk stands along z and both arms lie along y; the printed moments are turned to match,
    and the lower left arm has its own length (the thesis uses the upper arm's).
    """
    upper, lower = _rod_along_y(UPPER, UPPER_LENGTH), _rod_along_y(LOWER, LOWER_LENGTH)
    return _torso("torso", (WIDE, WIDE, SLIM), (upper, lower), (upper, lower))


def torso_as_printed() -> Mechanism:
    """The torso with the inertias as the thesis prints them, which its results use.

    The trunk's thin axis is y, that of the left arm x, and the lower left arm has the length of the
    upper one.
    """
    right = _rod_along_y(UPPER, UPPER_LENGTH), _rod_along_y(LOWER, LOWER_LENGTH)
    left = _rod_along_x(UPPER, UPPER_LENGTH), _rod_along_x(LOWER, UPPER_LENGTH)
    return _torso("torso_as_printed", (WIDE, SLIM, WIDE), right, left)


def _torso(
    name: str, trunk: Vector, right: tuple[Vector, Vector], left: tuple[Vector, Vector]
) -> Mechanism:
    # torso table: twists, k, and the trunk's l to head, right and left arm
    tree = hinged(
        name,
        (
            HingedLink("trunk", 0, TRUNK, (0, 0, -0.42), trunk),
            HingedLink("head", -90, HEAD, (0, 0.12, 0), HEAD_MOMENTS, (0, 0, 0.242), "trunk"),
            HingedLink(
                "right_upper_arm", 90, UPPER, (0, 0.2, 0), right[0], (0.15, 0, 0.15), "trunk"
            ),
            HingedLink("right_lower_arm", 0, LOWER, (0, 0.2, 0), right[1], (0, -0.25, 0)),
            HingedLink(
                "left_upper_arm", -90, UPPER, (0, -0.2, 0), left[0], (-0.15, 0, 0.15), "trunk"
            ),
            HingedLink("left_lower_arm", 0, LOWER, (0, -0.2, 0), left[1], (0, 0.25, 0)),
        ),
    )
    return with_visual_shapes(tree, TORSO)


def _rod_along_y(mass: float, length: float) -> Vector:
    along, across = _rod(mass, length)
    return across, along, across


def _rod_along_x(mass: float, length: float) -> Vector:
    along, across = _rod(mass, length)
    return along, across, across


def _rod(mass: float, length: float) -> tuple[float, float]:
    return mass * ARM_RADIUS**2 / 2, mass * (ARM_RADIUS**2 / 4 + length**2 / 12)
