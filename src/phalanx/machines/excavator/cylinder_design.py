"""Design of an excavator's stick cylinder: pins and bore against torque, stroke and oil flow.

A cylinder between two pins pulls its joint with a lever that changes with the angle, dL/dθ of its
length L. A design is good when the least torque over the whole joint is large, the cylinder is no
longer than cylinders can be, and moving it takes little oil.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from math import degrees, pi

import numpy as np

from phalanx.base.errors import InvalidInput
from phalanx.mechanism.library.cat215b_cylinders import (
    LIMITS,
    STICK_BASE,
    STICK_ROD,
    cat215b_cylinders,
)
from phalanx.mechanism.pose import Array

HINGE = "stick_hinge"
ANGLES = 121  # at which a design is looked at
PRESSURE = 28e6  # of the pump [Pa]
FLOW = 200e-3 / 60  # through the stick's valve [m³/s]
BORE = 0.110  # [m]
# two strokes and the ends of a cylinder that is out, against one stroke and the ends
LONGEST_RATIO = 1.7
USUAL = {"base_x": STICK_BASE[0], "base_y": STICK_BASE[1], "bore": BORE}


def stick_cylinder(case: Mapping[str, float]) -> dict[str, float]:
    """Evaluate a design of the Caterpillar 215B's stick cylinder.

    Args:
        case: ``base_x`` and ``base_y``, where the cylinder is pinned to the boom [m], and ``bore``,
            its diameter [m]; what is missing is the library's.

    Returns:
        Least and greatest torque that pulls the stick in at 28 MPa [N·m], the cylinder's greatest
        length over its least, its stroke [m], the oil for it [m³], and the least time to pull the
        stick in from one end to the other [s].

    Raises:
        InvalidInput: When the cylinder passes a dead centre, or has a length that none has.
    """
    design = {**USUAL, **case}
    base, bore = (design["base_x"], design["base_y"]), design["bore"]
    angles = np.linspace(*LIMITS[HINGE], ANGLES)
    lengths, levers = lengths_and_levers(base, angles)
    pulling = -levers  # longer cylinders pull the stick in, towards negative angles
    if pulling.min() <= 0:
        dead = degrees(angles[int(pulling.argmin())])
        raise InvalidInput(f"the cylinder has no lever to pull with at {dead:.0f}° of the stick.")
    ratio = float(lengths.max() / lengths.min())
    if ratio > LONGEST_RATIO:
        raise InvalidInput(
            f"the cylinder would be {ratio:.3f} times as long when it is out; a stroke and its "
            f"ends allow {LONGEST_RATIO}."
        )
    area = pi / 4 * bore**2
    stroke = float(np.ptp(lengths))
    return {
        "weakest_torque": float(pulling.min()) * PRESSURE * area,
        "strongest_torque": float(pulling.max()) * PRESSURE * area,
        "length_ratio": ratio,
        "stroke": stroke,
        "oil": area * stroke,
        "time_in": area * stroke / FLOW,
    }


def lengths_and_levers(base: tuple[float, float], angles: Array) -> tuple[Array, Array]:
    """Length of the stick's cylinder [m] and its derivative by the joint's angle [m/rad].

    Args:
        base: Its pin on the boom [m].
        angles: Of the stick [rad].
    """
    arm = _turned(STICK_ROD, angles)
    along = arm + _hinge() - np.asarray(base)
    lengths = np.hypot(along[:, 0], along[:, 1])
    # the rod's pin moves across its arm: (-y, x)
    levers = (along[:, 1] * arm[:, 0] - along[:, 0] * arm[:, 1]) / lengths
    return lengths, levers


@cache
def _hinge() -> Array:
    """The stick's hinge on the boom [m]."""
    return cat215b_cylinders().joint(HINGE).pose.translation[:2]


def _turned(point: tuple[float, float], angles: Array) -> Array:
    c, s = np.cos(angles), np.sin(angles)
    return np.stack([c * point[0] - s * point[1], s * point[0] + c * point[1]], axis=1)
