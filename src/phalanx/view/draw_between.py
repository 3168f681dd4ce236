"""What is drawn between frames of two bodies: where these are, and how it is turned."""

from __future__ import annotations

import math

import numpy as np

from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array

TOUCHING = 1e-9  # [m]: frames so near have no direction between them


def seat_of(mechanism: Mechanism, name: str) -> tuple[int, Array]:
    """A frame's body, and its pose there, shape (4, 4).

    Raises:
        UnknownName: When the machine has no frame of that name.
    """
    frame = mechanism.frame(name)
    return mechanism.body_index(frame.body), frame.pose.matrix


def direction_between(a: Array, b: Array) -> Array:
    """From a frame (4, 4) towards another, a unit vector; the other's x where they touch."""
    reach = b[:3, 3] - a[:3, 3]
    length = float(np.linalg.norm(reach))
    return reach / length if length > TOUCHING else b[:3, 0]


def turn_of_z(axis: Array) -> tuple[float, float, float, float]:
    """The shortest rotation of z to an axis, as a quaternion (w, x, y, z)."""
    x, y, z = axis.tolist()
    norm = math.hypot(1 + z, x, y)
    if norm < TOUCHING:
        return 0.0, 1.0, 0.0, 0.0  # half a turn, about any axis across
    return (1 + z) / norm, -y / norm, x / norm, 0.0
