"""A node: a rigid body and the elementary joint that carries it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import casadi as ca
from casadi import SX

from phalanx.equations.spatial import (
    MassMoments,
    Rotation,
    Transform,
    Twist,
    Wrench,
    constant,
    vector,
)
from phalanx.mechanism.pose import Array


class Freedom(Enum):
    """Elementary joints; the value is (nq, nv, how it moves)."""

    TURN = (1, 1, "about z")
    SLIDE = (1, 1, "along an axis")
    SCREW = (1, 1, "about and along z")
    BALL = (4, 3, "about a point")
    PLANE = (3, 3, "in the xy-plane")
    FREE = (7, 6, "everywhere")

    @property
    def nq(self) -> int:
        """Number of positions."""
        return self.value[0]

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return self.value[1]

    def axes(self, slide: Array) -> Twist:
        """Motion of each unit velocity, in child axes: nv columns; ``slide`` of slide or screw."""
        eye, none = SX.eye(3), SX(3, 3)
        match self:
            case Freedom.TURN:
                return Twist(eye[:, 2], SX(3, 1))
            case Freedom.SLIDE:
                return Twist(SX(3, 1), constant(slide))
            case Freedom.SCREW:
                return Twist(eye[:, 2], constant(slide))
            case Freedom.BALL:
                return Twist(eye, none)
            case Freedom.PLANE:
                return Twist(ca.horzcat(SX(3, 2), eye[:, 2]), ca.horzcat(eye[:, :2], SX(3, 1)))
            case Freedom.FREE:
                return Twist(ca.horzcat(none, eye), ca.horzcat(eye, none))


@dataclass(frozen=True)
class Node:
    """A body (with all that is fixed to it) and the elementary joint that carries it.

    Attributes:
        joint: Name of the joint it stems from.
        parent: Index of the parent node, -1 for the root.
        freedom: How it moves.
        placement: Pose of the joint frame in the parent node, constant in time.
        axes: S, the motion of each unit velocity, in node axes: nv columns.
        q: Index of its first position in q, and v: of its first velocity in v.
        multiplier, offset: For a mimic, its position is ``multiplier * q + offset``.
        mass: Mass moments in the node frame.
        armature: Reflected rotor inertia, shape (nv,).
        phase: Angle of a turn when its coordinate is zero [rad].
        spin: For a turning body of revolution that carries nothing: its moment of inertia about
            the axis [kg·m²]. Its mass is counted with its parent, and its frame does not turn
            with it, for nothing but its spin tells one angle from another.
    """

    joint: str
    parent: int
    freedom: Freedom
    placement: Transform
    axes: Twist
    q: int
    v: int
    mass: MassMoments
    armature: SX
    multiplier: float = 1.0
    offset: float = 0.0
    phase: float = 0.0
    spin: SX | None = None

    @property
    def is_scaled(self) -> bool:
        """Whether its position is not the coordinate itself (a mimic joint)."""
        return (self.multiplier, self.offset) != (1.0, 0.0)

    def transform(self, q: SX) -> Transform:
        """Pose of the node in its parent at positions ``q`` of the whole mechanism."""
        x = q[self.q : self.q + self.freedom.nq]
        if self.is_scaled:
            x = self.multiplier * x + self.offset
        R, p = self.placement.rotation, self.placement.translation
        match self.freedom:
            case Freedom.TURN:
                if self.spin is not None:
                    return self.placement
                x = x + self.phase
                return Transform(Rotation(R.matrix, (ca.cos(x), ca.sin(x))), p)
            case Freedom.SLIDE:
                return Transform(R, p + R.into_parent(self.axes.linear * x))
            case Freedom.SCREW:
                turned = Rotation(R.matrix, (ca.cos(x), ca.sin(x)))
                return Transform(turned, p + R.into_parent(self.axes.linear * x))
            case Freedom.BALL:
                return Transform(Rotation(R.matrix @ quaternion_matrix(x)), p)
            case Freedom.PLANE:
                turned = Rotation(R.matrix, (ca.cos(x[2]), ca.sin(x[2])))
                return Transform(turned, p + R.into_parent(vector(x[0], x[1], 0)))
            case Freedom.FREE:
                turned = Rotation(R.matrix @ quaternion_matrix(x[3:]))
                return Transform(turned, p + R.into_parent(x[:3]))

    def rate(self, v: SX) -> SX:
        """Its own velocities (or accelerations) out of the mechanism's."""
        x = v[self.v : self.v + self.freedom.nv]
        return self.multiplier * x if self.is_scaled else x

    def motion(self, v: SX) -> Twist:
        """Motion of the joint itself, in child axes."""
        return self.axes @ self.rate(v)

    def along(self, F: Wrench) -> SX:
        """Work of a wrench on each unit velocity, for wrenches as columns: shape (nv, k)."""
        return self.axes.dot(F)

    def joint_force(self, F: Wrench, a: SX) -> SX:
        """Force along its freedoms, from the wrench it carries and from its own rotor."""
        return self.along(F) + self.armature * self.rate(a)

    def twice_kinetic_energy(self, V: Twist, v: SX) -> SX:
        """Of the body that moves by V, and of the rotor of its joint."""
        rate = self.rate(v)
        return V.dot(self.mass.momentum(V)) + ca.dot(self.armature, rate * rate)

    def rates_of(self, V: Twist) -> SX:
        """Velocities with which it moves by V; for unit motions square to each other: Sᵀ V."""
        return self.axes.angular.T @ V.angular + self.axes.linear.T @ V.linear

    def load(self, tau: SX) -> Wrench:
        """The wrench that forces along its freedoms are; likewise S tau."""
        return Wrench(self.axes.angular @ tau, self.axes.linear @ tau)


def quaternion_matrix(x: SX) -> SX:
    """Rotation matrix of a quaternion (x, y, z, w) of any length whose square is a number.

    Where the square is zero or infinite, entries are NaN.
    """
    i, j, k, w = x[0], x[1], x[2], x[3]
    s = 2 / ca.dot(x, x)
    # squares first: an infinite one times s = 0 is NaN, where s i = 0 would make it no rotation
    ii, jj, kk = s * (i * i), s * (j * j), s * (k * k)
    ij, jk, ki = s * i * j, s * j * k, s * k * i
    iw, jw, kw = s * i * w, s * j * w, s * k * w
    return ca.vertcat(
        ca.horzcat(1 - (jj + kk), ij - kw, ki + jw),
        ca.horzcat(ij + kw, 1 - (ii + kk), jk - iw),
        ca.horzcat(ki - jw, jk + iw, 1 - (ii + jj)),
    )
