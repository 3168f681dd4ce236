"""Rolling and gliding contacts without slip (nonholonomic constraints), as data.

A wheel that rolls may come to every place and every heading, though at any moment it can go one way
only: what it may not do is no equation of its position. Such constraints are called non-holonomic.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from phalanx.base.errors import InvalidModel
from phalanx.base.short_repr import short_repr
from phalanx.mechanism.frozen import Frozen
from phalanx.mechanism.joint import X, unit_axis
from phalanx.mechanism.pose import Array


@short_repr
@dataclass(frozen=True, eq=False)
class RollingContact(Frozen):
    """A thin wheel, or a ball, that rolls on a plane without slip.

    The lowest point of the wheel touches the plane: one equation of positions, which holds by
    itself where joints keep the wheel at its height. It has no velocity along the plane: two
    equations of velocities. It holds in both directions: nothing lifts off.

    Attributes:
        name: For messages and results.
        frame: Of the body that rolls; its origin is the centre.
        radius: [m].
        axis: The axle of a wheel, in that frame; None for a ball.
        ground: A frame whose x and y span the plane; the root body when not given.
    """

    name: str
    frame: str
    radius: float
    axis: Array | None = None
    ground: str | None = None

    def __post_init__(self) -> None:
        if not 0 < self.radius < np.inf:
            raise InvalidModel(
                f"the radius of rolling contact '{self.name}' must be positive, got {self.radius}."
            )
        if self.axis is not None:
            object.__setattr__(self, "axis", unit_axis(self.axis))
        _check_frames(self.name, self.frame, self.ground)


@short_repr
@dataclass(frozen=True, eq=False)
class Blade(Frozen):
    """An edge that glides along itself and not sideways: a skate, a keel, an idle wheel.

    One equation of velocities: the origin of the frame has none across the edge, along the plane.

    Attributes:
        name: For messages and results.
        frame: Its origin is where the edge touches.
        forward: Direction of the edge, in that frame.
        ground: A frame whose x and y span the plane; the root body when not given.
    """

    name: str
    frame: str
    forward: Array = field(default_factory=lambda: np.array(X))
    ground: str | None = None

    def __post_init__(self) -> None:
        """Scale the direction to length one."""
        object.__setattr__(self, "forward", unit_axis(self.forward))
        _check_frames(self.name, self.frame, self.ground)


Contact = RollingContact | Blade


def _check_frames(name: str, frame: str, ground: str | None) -> None:
    if frame == ground:
        raise InvalidModel(f"contact '{name}' holds frame '{frame}' to itself.")
