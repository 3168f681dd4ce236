"""Loop closures: what holds two frames of a tree together, as data.

A closure allows the motion of a joint, or holds less than any joint does: a pin that keeps points
together in a plane, a rod that keeps them at a distance.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from phalanx.arguments import check_fields
from phalanx.errors import InvalidModel
from phalanx.mechanism.joint import Fixed, Floating, Motion, Screw, Z, unit_axis
from phalanx.mechanism.pose import Array


@dataclass(frozen=True, eq=False)
class PlanarPin:
    """Origins coincide as seen along an axis of the first frame: two equations.

    For mechanisms that are planar anyway, where the third coordinate closes by itself.
    """

    axis: Array = field(default_factory=lambda: np.array(Z))

    def __post_init__(self) -> None:
        """Scale the axis to length one."""
        object.__setattr__(self, "axis", unit_axis(self.axis))

    @property
    def kind(self) -> str:
        """The name of the kind."""
        return "planar pin"


@dataclass(frozen=True, eq=False)
class FixedDistance:
    """Origins keep a distance, as if a massless rod with ball joints joined them: one equation."""

    length: float

    def __post_init__(self) -> None:
        """Check the length."""
        check_fields(self, InvalidModel)
        if not 0 < self.length < np.inf:
            raise InvalidModel(f"a fixed distance must be positive, got {self.length}.")

    @property
    def kind(self) -> str:
        """The name of the kind."""
        return "fixed distance"


@dataclass(frozen=True, eq=False)
class Loop:
    """A closure: two frames that move against each other only as ``motion`` allows.

    Attributes:
        name: For messages and results.
        frame_a: The first frame; axes of ``motion`` are given in it, as in a joint's parent.
        frame_b: The second one, the joint's child.
        motion: What is free between them.
    """

    name: str
    frame_a: str
    frame_b: str
    motion: Motion | PlanarPin | FixedDistance = field(default_factory=Fixed)

    def __post_init__(self) -> None:
        """Check that it holds two different frames by something."""
        check_fields(self, InvalidModel, but=("motion",))
        if not isinstance(self.motion, Motion | PlanarPin | FixedDistance):
            raise InvalidModel(
                f"the motion of loop '{self.name}' must be that of a joint, such as "
                f"Revolute(axis), a PlanarPin or a FixedDistance, got {self.motion!r}."
            )
        if isinstance(self.motion, Floating):
            raise InvalidModel(f"loop '{self.name}' is floating: it leaves everything free.")
        if isinstance(self.motion, Screw):
            raise InvalidModel(
                f"loop '{self.name}' is closed by a screw, whose turns two frames do not tell. Cut "
                "the loop at another joint and keep the screw in the tree."
            )
        if self.frame_a == self.frame_b:
            raise InvalidModel(f"loop '{self.name}' holds frame '{self.frame_a}' to itself.")
