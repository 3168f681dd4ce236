"""Bucket geometry for digging: cutting edge, floor, mouth."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi, radians
from typing import final

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.base.errors import InvalidInput
from phalanx.ground.fields import check_between

Direction = tuple[float, float, float]
SQUARE = 1e-9  # how far two directions may be from a right angle


@final
@dataclass(frozen=True)
class Bucket:
    """Dimensions of a bucket, and how it sits in the frame of its cutting edge.

    The defaults suit the hoe of the Caterpillar 215B: a bucket of 512 kg is about 1 m wide and
    holds about 0.8 m³ heaped.

    Attributes:
        width: Of the cutting edge [m].
        length: Of the floor, from the edge to the back [m]; a thicker cut does not enter.
        thickness: Of the edge, teeth included, where it stands on the ground [m].
        capacity: Heaped volume of loose soil [m³].
        forward: Where the teeth point, along the floor and out of the mouth, in the edge's frame.
        inward: From the floor into the bucket, square to ``forward``.
        holds: Elevation of ``forward`` [rad] from which the bucket holds all it can.
        empties: Elevation of ``forward`` [rad] below which it holds nothing.
        drag: Share of the cutting resistance that is met when the edge does not move into the
            opening: up, sideways, back.
    """

    width: float = 1.0
    length: float = 0.9
    thickness: float = 0.08
    capacity: float = 0.8
    forward: Direction = (0.0, -1.0, 0.0)
    inward: Direction = (-1.0, 0.0, 0.0)
    holds: float = radians(40)
    empties: float = radians(-30)
    drag: float = 0.3

    def __post_init__(self) -> None:
        for name in ("width", "length", "thickness", "capacity"):
            check_between(self, name, 0, low_too=False)
        check_between(self, "drag", 0, 1)
        check_between(self, "holds", 0, pi / 2, low_too=False)
        check_between(self, "empties", -pi / 2, pi / 2)
        if self.empties >= self.holds:
            raise InvalidInput(
                f"a Bucket empties at {self.empties:g} rad and holds all from {self.holds:g} rad; "
                "expected empties below holds."
            )
        forward, inward = (self._unit(name) for name in ("forward", "inward"))
        if abs(forward @ inward) > SQUARE:
            raise InvalidInput(
                f"forward {self.forward} and inward {self.inward} of Bucket are not square to each "
                "other; inward is the normal of the floor, along which forward runs."
            )

    def _unit(self, name: str) -> np.ndarray:
        given = getattr(self, name)
        try:
            axis = np.asarray(given, float)
        except (TypeError, ValueError):
            axis = np.zeros(0)
        if axis.shape != (3,) or not abs(float(axis @ axis) - 1) <= SQUARE:
            raise InvalidInput(f"{name} of Bucket is {given!r}; expected a direction of length 1.")
        object.__setattr__(self, name, tuple(axis.tolist()))
        return axis

    def held(self, forward_up: SX) -> SX:
        """Share of the capacity that stays in, from the height of ``forward`` (-1 down, 1 up)."""
        low, high = np.sin(self.empties), np.sin(self.holds)
        x = ca.fmax(0, ca.fmin(1, (forward_up - low) / (high - low)))
        return x * x * (3 - 2 * x)

    def opened(self, forward_up: SX) -> SX:
        """Share of the cut that enters: all with teeth level or down, none when it looks up."""
        return ca.fmax(0, ca.fmin(1, 1 - forward_up / np.sin(self.holds)))
