"""Loop closures (constraints between two frames of a tree), as data.

A closure allows the motion of a joint, or holds less than any joint does: a pin that keeps points
together in a plane, a rod that keeps them at a distance, a cam that makes one joint follow another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from phalanx.base.arguments import check_fields, is_number
from phalanx.base.errors import InvalidModel, shown
from phalanx.base.short_repr import short_repr
from phalanx.mechanism.frozen import Frozen
from phalanx.mechanism.joint import Fixed, Floating, Joint, Motion, Screw, Z, unit_axis
from phalanx.mechanism.pose import Array, check_size


@short_repr
@dataclass(frozen=True, eq=False)
class PlanarPin(Frozen):
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
class FixedDistance(Frozen):
    """Origins keep a distance, as if a massless rod with ball joints joined them: one equation."""

    length: float

    def __post_init__(self) -> None:
        check_fields(self, InvalidModel)
        if not 0 < self.length < np.inf:
            raise InvalidModel(f"a fixed distance must be positive, got {self.length}.")

    @property
    def kind(self) -> str:
        """The name of the kind."""
        return "fixed distance"


@short_repr
@dataclass(frozen=True)
class JointCoupling:
    """The position of a joint is a polynomial of another's: one equation, q = p(q_leader).

    A cam, a rolling knee, fingers of a hand. Both joints keep coordinates of their own, and the
    coupling is a closure with a force in it; where the polynomial is a line, a
    :class:`~phalanx.mechanism.Mimic` says the same with fewer coordinates.

    Attributes:
        follower: The joint, which has one degree of freedom.
        leader: The joint it follows, which has one too; none where the follower is held still.
        coefficients: Of p, the constant first [m or rad, over powers of m or rad].
    """

    follower: str
    leader: str | None
    coefficients: tuple[float, ...]

    def __post_init__(self) -> None:
        given = self.coefficients
        numbers = [float(x) for x in given] if all(is_number(x) for x in given) else []
        object.__setattr__(self, "coefficients", tuple(numbers))
        check_fields(self, InvalidModel)
        what = f"the coupling of joint '{self.follower}'"
        if not numbers or not np.isfinite(numbers).all():
            raise InvalidModel(f"{what} needs finite coefficients, got {given!r}.")
        check_size(what, numbers)
        if self.leader == self.follower:
            raise InvalidModel(f"{what} makes it follow itself.")
        if self.leader is None and len(numbers) > 1:
            raise InvalidModel(
                f"{what} has no leader, so that p is one number; got {len(numbers)} coefficients."
            )

    @property
    def kind(self) -> str:
        """The name of the kind."""
        return "joint coupling"

    def held(self, position: float) -> JointCoupling:
        """The same where the leader stands at a position for good."""
        return replace(self, leader=None, coefficients=(float(self.position(position)),))

    def position(self, leader: Any) -> Any:
        """P at a position of the leader, a number or a symbol, by Horner's rule."""
        value = self.coefficients[-1]
        for coefficient in reversed(self.coefficients[:-1]):
            value = value * leader + coefficient
        return value

    def slope(self, leader: Any) -> Any:
        """dp/dq at a position of the leader."""
        value = 0.0
        for k in reversed(range(1, len(self.coefficients))):
            value = value * leader + k * self.coefficients[k]
        return value


@dataclass(frozen=True, eq=False)
class Loop(Frozen):
    """A closure: two frames that move against each other only as ``motion`` allows.

    Attributes:
        name: For messages and results.
        frame_a: The first frame; axes of ``motion`` are given in it, as in a joint's parent.
        frame_b: The second one, the joint's child.
        motion: What is free between them. A coupling is between joints, and its frames are the
            bodies they move: see :meth:`coupled`.
    """

    name: str
    frame_a: str
    frame_b: str
    motion: Motion | PlanarPin | FixedDistance | JointCoupling = field(default_factory=Fixed)

    def __post_init__(self) -> None:
        """Check that it holds two different frames by something."""
        check_fields(self, InvalidModel, but=("motion",))
        if not isinstance(self.motion, Motion | PlanarPin | FixedDistance | JointCoupling):
            raise InvalidModel(
                f"the motion of loop '{self.name}' must be that of a joint, such as "
                "Revolute(axis), a PlanarPin, a FixedDistance or a JointCoupling, got "
                f"{shown(self.motion)}."
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

    @classmethod
    def coupled(
        cls, name: str, follower: Joint, leader: Joint | None, coefficients: Sequence[float]
    ) -> Loop:
        """The closure that makes a joint follow another by a polynomial.

        Args:
            name: For messages and results.
            follower: A joint with one degree of freedom.
            leader: Another one; none to hold the follower still.
            coefficients: Of q_follower = p(q_leader), the constant first.
        """
        if not isinstance(follower, Joint) or not isinstance(leader, Joint | None):
            raise InvalidModel(
                f"coupling '{name}' is of {follower!r} and {leader!r}; expected joints, such as "
                "mechanism.joint('lift'), not their names."
            )
        base, leads = (follower.parent, None) if leader is None else (leader.child, leader.name)
        motion = JointCoupling(follower.name, leads, tuple(coefficients))
        return cls(name, base, follower.child, motion)

    def __repr__(self) -> str:
        return f"<Loop '{self.name}': '{self.frame_a}' to '{self.frame_b}', {self.motion!r}>"
