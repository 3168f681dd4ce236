"""Joints: how a body may move against its parent, as data.

The joint frame is fixed in the parent body. The child's body frame coincides with it when the joint
is at zero, and moves with the child. Axes are given in the joint frame.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from phalanx.base.arguments import check_fields
from phalanx.base.errors import InvalidModel, shown
from phalanx.base.short_repr import short_repr
from phalanx.mechanism.frozen import Frozen
from phalanx.mechanism.joint_numbers import (
    NUMBERS,
    check_isotropic,
    magnitudes,
    number_rows,
    rest_position,
)
from phalanx.mechanism.pose import (
    SHARED,
    Array,
    Pose,
    check_size,
    frozen_array,
    snap_direction,
)

X = (1.0, 0.0, 0.0)
Y = (0.0, 1.0, 0.0)
Z = (0.0, 0.0, 1.0)


def unit_axis(axis: ArrayLike) -> Array:
    """``axis`` scaled to length one, exact when it is a coordinate axis."""
    return _unit(frozen_array(axis, (3,), "a joint axis").tobytes())


@lru_cache(SHARED)
def _unit(content: bytes) -> Array:
    vector = np.frombuffer(content)
    length = np.linalg.norm(vector)
    if length < 1e-9:
        raise InvalidModel("a joint axis has length zero.")
    return frozen_array(snap_direction(vector / length), (3,), "a joint axis")


@dataclass(frozen=True, eq=False)
class Motion(Frozen):
    """Motion that a joint allows: ``nq`` position and ``nv`` velocity coordinates."""

    nq: ClassVar[int]
    nv: ClassVar[int]

    @property
    def kind(self) -> str:
        """The name of the kind, in lower case."""
        return type(self).__name__.lower()

    def neutral(self) -> Array:
        """The position at which child and joint frame coincide, shape (nq,)."""
        return np.zeros(self.nq)


@dataclass(frozen=True, eq=False)
class _AboutAxis(Motion):
    axis: Array = field(default_factory=lambda: np.array(Z))

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit_axis(self.axis))


@dataclass(frozen=True, eq=False)
class Fixed(Motion):
    """No motion."""

    nq = 0
    nv = 0


@short_repr
@dataclass(frozen=True, eq=False)
class Revolute(_AboutAxis):
    """Rotation about an axis: q [rad]."""

    nq = 1
    nv = 1


@short_repr
@dataclass(frozen=True, eq=False)
class Continuous(_AboutAxis):
    """Rotation about an axis without end stops: q [rad], any number of turns."""

    nq = 1
    nv = 1


@short_repr
@dataclass(frozen=True, eq=False)
class Prismatic(_AboutAxis):
    """Translation along an axis: q [m]."""

    nq = 1
    nv = 1


@short_repr
@dataclass(frozen=True, eq=False)
class Screw(_AboutAxis):
    """Rotation about an axis that shifts along it, as a nut on a thread: q [rad], any turns.

    Attributes:
        axis: Of turn and shift.
        pitch: Shift along the axis per radian [m/rad]; negative for a left-hand thread. A thread
            of lead L metres a turn has pitch L / 2π. It has to be given: no pitch is usual.
    """

    pitch: float = 0.0

    nq = 1
    nv = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        check_fields(self, InvalidModel, but=("axis",))
        if not np.isfinite(self.pitch) or self.pitch == 0:
            raise InvalidModel(
                f"the pitch of a screw is {self.pitch} m/rad; expected a number other than zero. "
                "Without a pitch it is a Revolute or Continuous joint."
            )
        check_size("the pitch of a screw", [self.pitch])


@short_repr
@dataclass(frozen=True, eq=False)
class Cylindrical(_AboutAxis):
    """Rotation about and translation along one axis: q = (angle, shift)."""

    nq = 2
    nv = 2


@short_repr
@dataclass(frozen=True, eq=False)
class Universal(Motion):
    """Rotation about a first axis, then about a second that the first carries: q = two angles."""

    first: Array = field(default_factory=lambda: np.array(X))
    second: Array = field(default_factory=lambda: np.array(Y))

    nq = 2
    nv = 2

    def __post_init__(self) -> None:
        """Check that the axes differ."""
        object.__setattr__(self, "first", unit_axis(self.first))
        object.__setattr__(self, "second", unit_axis(self.second))
        if np.linalg.norm(np.cross(self.first, self.second)) < 1e-6:
            raise InvalidModel("the two axes of a universal joint are parallel.")


@dataclass(frozen=True, eq=False)
class Spherical(Motion):
    """Rotation about a point: q = quaternion (x, y, z, w), v = angular velocity, child axes."""

    nq = 4
    nv = 3

    def neutral(self) -> Array:
        """The unit quaternion."""
        return np.array([0.0, 0.0, 0.0, 1.0])


@short_repr
@dataclass(frozen=True, eq=False)
class Planar(_AboutAxis):
    """Motion in a plane: q = (x, y, angle), v in child axes; ``axis`` is the plane's normal.

    x and y are taken along the two axes that complete the normal to a right-handed frame:
    the joint's own x and y when the normal is z.
    """

    nq = 3
    nv = 3


@dataclass(frozen=True, eq=False)
class Floating(Motion):
    """Free motion: q = (position, quaternion), v = (linear, angular) velocity in child axes."""

    nq = 7
    nv = 6

    def neutral(self) -> Array:
        """No shift, unit quaternion."""
        return np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])


@dataclass(frozen=True)
class Mimic:
    """A joint that follows another: ``q = multiplier * q_leader + offset``."""

    leader: str
    multiplier: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        check_fields(self, InvalidModel)


@dataclass(frozen=True, eq=False)
class Joint(Frozen):
    """A joint between two bodies.

    Numbers per degree of freedom may be given once for all: ``damping=0.1``.

    Attributes:
        name: Unique within a mechanism.
        parent: Name of the parent body.
        child: Name of the child body.
        motion: What it allows.
        pose: Pose of the joint frame in the parent body.
        lower, upper: Position limits [rad or m], shape (nv,); infinite where there are none.
        velocity_limit, effort_limit: [rad/s or m/s], [N·m or N], shape (nv,).
        damping: Viscous friction [N·m·s/rad or N·s/m], shape (nv,).
        stiffness: Of a spring in the joint [N·m/rad or N/m], shape (nv,). It acts along the
            positions of the joint frame, as -stiffness (q - rest); rotations of a spherical or
            floating joint have one number for all axes, and a spring about the rotation vector
            from the rest attitude.
        friction: Dry friction [N·m or N], shape (nv,); a magnitude, against the motion.
        backward_friction: The same while it moves backwards (v < 0); as ``friction`` where it is
            not given.
        rotor_inertia: Of the motor, about its own axis [kg·m²], shape (nv,).
        gear_ratio: Motor turns per turn of the joint, shape (nv,).
        mimic: The joint it follows, if any.
        rest: Position at which its spring is relaxed, shape (nq,); neutral where not given.
    """

    name: str
    parent: str
    child: str
    motion: Motion = field(default_factory=Fixed)
    pose: Pose = field(default_factory=Pose)
    lower: ArrayLike = -np.inf
    upper: ArrayLike = np.inf
    velocity_limit: ArrayLike = np.inf
    effort_limit: ArrayLike = np.inf
    damping: ArrayLike = 0.0
    friction: ArrayLike = 0.0
    rotor_inertia: ArrayLike = 0.0
    gear_ratio: ArrayLike = 1.0
    mimic: Mimic | None = None
    stiffness: ArrayLike = 0.0
    rest: ArrayLike | None = None
    backward_friction: ArrayLike | None = None

    def __post_init__(self) -> None:
        """Bring every number to shape (nv,) and check it."""
        check_fields(self, InvalidModel, but=("motion", "rest", "backward_friction", *NUMBERS))
        if not isinstance(self.motion, Motion):
            raise InvalidModel(
                f"the motion of joint '{self.name}' must be a Motion such as Revolute(axis), got "
                f"{shown(self.motion)}."
            )
        for name, row in number_rows(self, self.name, self.motion.nv):
            object.__setattr__(self, name, row)
        check_isotropic(self.name, self.motion, np.asarray(self.stiffness))
        if self.rest is not None:
            rest = rest_position(self.name, self.motion, self.rest)
            object.__setattr__(self, "rest", rest)
        if self.backward_friction is not None:
            row = magnitudes("backward friction", self.name, self.backward_friction, self.motion.nv)
            object.__setattr__(self, "backward_friction", row)
        if self.mimic is not None:
            if self.motion.nv != 1:
                raise InvalidModel(
                    f"joint '{self.name}' is {self.motion.kind} and cannot mimic another: "
                    "only joints with one degree of freedom can."
                )
            follows = [self.mimic.multiplier, self.mimic.offset]
            if not np.isfinite(follows).all():
                raise InvalidModel(f"the mimic of joint '{self.name}' holds a NaN or infinity.")
            check_size(f"the mimic of joint '{self.name}'", follows)

    @property
    def rest_position(self) -> Array:
        """Position at which its spring is relaxed, shape (nq,)."""
        return self.motion.neutral() if self.rest is None else np.asarray(self.rest)

    @property
    def dry_friction(self) -> tuple[Array, Array]:
        """Dry friction while it moves forth (v > 0) and back (v < 0), magnitudes, (nv,) each."""
        forth = np.asarray(self.friction)
        back = self.backward_friction
        return forth, forth if back is None else np.asarray(back)

    @property
    def reflected_inertia(self) -> Array:
        """Rotor inertia as the joint feels it, ratio² times itself [kg·m²], shape (nv,)."""
        return np.asarray(self.rotor_inertia) * np.asarray(self.gear_ratio) ** 2

    def __repr__(self) -> str:
        follows = "" if self.mimic is None else f", follows '{self.mimic.leader}'"
        return f"<Joint '{self.name}': '{self.parent}' to '{self.child}', {self.motion!r}{follows}>"


# of joints that do not only turn, in the order of v
UNITS: dict[str, tuple[str, ...]] = {
    "prismatic": ("m",),
    "cylindrical": ("rad", "m"),
    "planar": ("m", "m", "rad"),
    "floating": ("m",) * 3 + ("rad",) * 3,
}


def velocity_units(joint: Joint) -> tuple[str, ...]:
    """Unit of each velocity times a second: ``rad`` or ``m``."""
    return UNITS.get(joint.motion.kind, ("rad",) * joint.motion.nv)


def position_units(joint: Joint) -> tuple[str, ...]:
    """Unit of each position: ``rad``, ``m``, or nothing for parts of a quaternion."""
    motion = joint.motion
    if motion.nq == motion.nv:
        return velocity_units(joint)
    return ("m",) * (motion.nq - 4) + ("",) * 4
