"""A mechanism as the algorithms read it: a tree of nodes, each with one elementary joint.

Fixed joints are lumped away, universal and cylindrical joints become two nodes with a massless one
between. Node frames are turned so that a rotation is always about z, and so that a sliding body is
parallel to what it slides on: then most constants are 0 or 1 and vanish from the equations. Names
keep their meaning through ``places``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.equations.parameters import Parameters
from phalanx.equations.spatial import (
    MassMoments,
    Rotation,
    Transform,
    cleaned,
    constant,
    vector,
    zero,
)
from phalanx.errors import UnknownName
from phalanx.mechanism import (
    Continuous,
    Cylindrical,
    Fixed,
    Floating,
    Joint,
    Mechanism,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from phalanx.mechanism.motion import frame_on_axis
from phalanx.mechanism.pose import Array, snap

# Products of exact data leave errors near 1e-16 of the largest entry.
RELATIVE_ZERO = 1e-14


class Freedom(Enum):
    """Elementary joints; the value is (nq, nv, how it moves)."""

    TURN = (1, 1, "about z")
    SLIDE = (1, 1, "along an axis")
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

    def axes(self, slide: Array) -> tuple[SX, SX]:
        """Angular and linear velocity, in child axes, of each unit velocity: two 3×nv matrices."""
        eye, none = SX.eye(3), SX(3, 3)
        match self:
            case Freedom.TURN:
                return eye[:, 2], SX(3, 1)
            case Freedom.SLIDE:
                return SX(3, 1), constant(slide)
            case Freedom.BALL:
                return eye, none
            case Freedom.PLANE:
                return ca.horzcat(SX(3, 2), eye[:, 2]), ca.horzcat(eye[:, :2], SX(3, 1))
            case Freedom.FREE:
                return ca.horzcat(none, eye), ca.horzcat(eye, none)


@dataclass(frozen=True)
class Node:
    """A body (with all that is fixed to it) and the elementary joint that carries it.

    Attributes:
        joint: Name of the joint it stems from.
        parent: Index of the parent node, -1 for the root.
        freedom: How it moves.
        seat: Pose of the joint frame in the parent node, constant in time.
        axes: Angular and linear velocity of each unit velocity, in node axes: two 3×nv matrices.
        q: Index of its first position in q, and v: of its first velocity in v.
        multiplier, offset: For a mimic, its position is ``multiplier * q + offset``.
        mass: Mass moments in the node frame.
        armature: Reflected rotor inertia, shape (nv,).
    """

    joint: str
    parent: int
    freedom: Freedom
    seat: Transform
    axes: tuple[SX, SX]
    q: int
    v: int
    mass: MassMoments
    armature: SX
    multiplier: float = 1.0
    offset: float = 0.0

    @property
    def is_scaled(self) -> bool:
        """Whether its position is not the coordinate itself (a mimic joint)."""
        return (self.multiplier, self.offset) != (1.0, 0.0)

    def transform(self, q: SX) -> Transform:
        """Pose of the node in its parent at positions ``q`` of the whole mechanism."""
        x = q[self.q : self.q + self.freedom.nq]
        if self.is_scaled:
            x = self.multiplier * x + self.offset
        R, p = self.seat.rotation, self.seat.translation
        match self.freedom:
            case Freedom.TURN:
                return Transform(Rotation(R.matrix, (ca.cos(x), ca.sin(x))), p)
            case Freedom.SLIDE:
                return Transform(R, p + R.into_parent(self.axes[1] * x))
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

    def motion(self, v: SX) -> tuple[SX, SX]:
        """Angular and linear velocity of the joint itself, in child axes."""
        angular, linear = self.axes
        rate = self.rate(v)
        return angular @ rate, linear @ rate

    def along(self, n: SX, f: SX) -> SX:
        """Work of a wrench on each unit velocity, for wrenches as columns: shape (nv, k)."""
        angular, linear = self.axes
        return angular.T @ n + linear.T @ f


def quaternion_matrix(x: SX) -> SX:
    """Rotation matrix of a quaternion (x, y, z, w) of any length but zero."""
    i, j, k, w = x[0], x[1], x[2], x[3]
    s = 2 / ca.dot(x, x)
    ii, jj, kk = s * i * i, s * j * j, s * k * k
    ij, jk, ki = s * i * j, s * j * k, s * k * i
    iw, jw, kw = s * i * w, s * j * w, s * k * w
    return ca.vertcat(
        ca.horzcat(1 - (jj + kk), ij - kw, ki + jw),
        ca.horzcat(ij + kw, 1 - (ii + kk), jk - iw),
        ca.horzcat(ki - jw, jk + iw, 1 - (ii + jj)),
    )


@dataclass(frozen=True)
class Place:
    """A frame fixed in a node (or in the root, node -1)."""

    node: int
    pose: Transform


@dataclass(frozen=True)
class Model:
    """The tree of nodes of a mechanism, with numbers or symbols in it."""

    mechanism: Mechanism
    nodes: tuple[Node, ...]
    places: dict[str, Place]
    parameters: Parameters = field(repr=False)

    @cached_property
    def parents(self) -> tuple[int, ...]:
        """Parent of each node."""
        return tuple(node.parent for node in self.nodes)

    @property
    def nv(self) -> int:
        """Degrees of freedom."""
        return self.mechanism.nv

    @property
    def gravity(self) -> SX:
        """Acceleration of free fall in the root frame."""
        return self.parameters.gravity()

    @cached_property
    def has_mimics(self) -> bool:
        """Whether some coordinate moves several nodes."""
        return any(node.is_scaled for node in self.nodes) or len({n.v for n in self.nodes}) < len(
            self.nodes
        )

    def place(self, frame: str) -> Place:
        """Where a named frame or body sits."""
        if frame not in self.places:
            raise UnknownName(
                f"mechanism '{self.mechanism.name}'", "frame", frame, self.mechanism.frame_names
            )
        return self.places[frame]

    def transforms(self, q: SX) -> list[Transform]:
        """Pose of each node in its parent."""
        return [node.transform(q) for node in self.nodes]

    def gather(self, parts: Sequence[SX]) -> SX:
        """Forces on the coordinates from forces along each node's own freedoms."""
        rows: list[SX] = [SX(0)] * self.nv
        for node, part in zip(self.nodes, parts, strict=True):
            for k in range(node.freedom.nv):
                rows[node.v + k] += node.multiplier * part[k] if node.is_scaled else part[k]
        return ca.vertcat(*rows)

    def assemble(self, blocks: Mapping[tuple[int, int], SX]) -> SX:
        """An nv×nv matrix from blocks between the freedoms of pairs of nodes (row, column)."""
        A = SX(self.nv, self.nv)
        for (i, j), block in blocks.items():
            row, column = self.nodes[i], self.nodes[j]
            scale = row.multiplier * column.multiplier
            for k in range(row.freedom.nv):
                for l in range(column.freedom.nv):
                    entry = block[k, l] if scale == 1.0 else scale * block[k, l]
                    A[row.v + k, column.v + l] += entry
        return A

    def path(self, i: int) -> list[int]:
        """The ancestors of node i, nearest first, without itself."""
        path = []
        while self.parents[i] >= 0:
            i = self.parents[i]
            path.append(i)
        return path

    @cached_property
    def regrouped(self) -> Model:
        """The same dynamics with fewer inertial numbers (see :func:`regroup`)."""
        return replace(self, nodes=regroup(self.nodes))


def model_of(mechanism: Mechanism | Model, parameters: Sequence[str] = ()) -> Model:
    """The node tree of a mechanism; a Model passes through."""
    if isinstance(mechanism, Model):
        return mechanism
    return _Builder(mechanism, Parameters(mechanism, parameters)).model()


def regroup(nodes: Sequence[Node]) -> tuple[Node, ...]:
    """Move to each parent the part of a body's mass that the joint does not set in motion.

    Mass strung along a joint's axis does not notice a turn about it: moments m, h_z and J_zz of a
    turning node act as if they sat on the parent. A slide does not change its body's attitude, so
    all of J can go; a ball joint leaves the mass at its centre in place. Joint forces are equal to
    the last digit but one; reactions inside the joints are not, so energy, momentum and constraint
    forces read the original nodes.

    Reference:
        Khalil and Dombre, Modeling, Identification and Control of Robots (2002), ch. 9.4.
    """
    masses = [node.mass for node in nodes]
    for i in reversed(range(len(nodes))):
        node, (m, h, J) = nodes[i], (masses[i].m, masses[i].h, masses[i].J)
        match node.freedom:
            case Freedom.TURN:
                J_zz = SX(3, 3)
                J_zz[2, 2] = J[2, 2]
                still = MassMoments(m, vector(0, 0, h[2]), ca.densify(J_zz))
            case Freedom.SLIDE:
                still = MassMoments(SX(0), zero(), J)
            case Freedom.BALL:
                still = MassMoments(m, zero(), SX.zeros(3, 3))
            case _:
                continue
        masses[i] = MassMoments(m - still.m, h - still.h, J - still.J)
        if node.parent >= 0:
            masses[node.parent] = tidy(masses[node.parent] + still.into_parent(node.seat))
    return tuple(replace(node, mass=mass) for node, mass in zip(nodes, masses, strict=True))


def tidy(mass: MassMoments) -> MassMoments:
    """Mass moments with what rounding left of zeros removed."""

    def scale(x: SX) -> float:
        known = [abs(float(x[k])) for k in range(x.numel()) if x[k].is_constant()]
        return RELATIVE_ZERO * max(known, default=0.0)

    return MassMoments(mass.m, cleaned(mass.h, scale(mass.h)), cleaned(mass.J, scale(mass.J)))


class _Builder:
    """Walks the joints root first and collects nodes, masses and places."""

    def __init__(self, mechanism: Mechanism, parameters: Parameters) -> None:
        self.mechanism = mechanism
        self.parameters = parameters
        self.nodes: list[Node] = []
        # pose of each body in its node: a numeric rotation (snapped) and a possibly symbolic shift
        self.seats: dict[str, tuple[int, Array, SX]] = {
            mechanism.bodies[0].name: (-1, np.eye(3), zero())
        }

    def model(self) -> Model:
        for joint in self.mechanism.joints:
            self.add(joint)
        masses = [MassMoments.none() for _ in self.nodes]
        for body in self.mechanism.bodies:
            node, R, p = self.seats[body.name]
            if node >= 0 and (body.mass or f"{body.name}.mass" in self.parameters.symbols):
                own = MassMoments.of(
                    self.parameters.mass(body),
                    self.parameters.com(body),
                    self.parameters.inertia(body),
                )
                masses[node] += own.into_parent(Transform(Rotation(constant(R)), p))
        nodes = (replace(n, mass=tidy(m)) for n, m in zip(self.nodes, masses, strict=True))
        return Model(self.mechanism, tuple(nodes), self.places(), self.parameters)

    def places(self) -> dict[str, Place]:
        places = {
            name: Place(node, Transform(Rotation(constant(R)), p))
            for name, (node, R, p) in self.seats.items()
        }
        for frame in self.mechanism.frames:
            node, R, p = self.seats[frame.body]
            turned = Rotation(constant(snap(R @ frame.pose.rotation)))
            shift = p + constant(R) @ constant(frame.pose.translation)
            places[frame.name] = Place(node, Transform(turned, shift))
        return places

    def add(self, joint: Joint) -> None:
        node, R, p = self.seats[joint.parent]
        p = p + constant(R) @ self.parameters.position(joint)
        R = snap(R @ joint.pose.rotation)
        match joint.motion:
            case Fixed():
                self.seats[joint.child] = (node, R, p)
            case Revolute(axis=axis) | Continuous(axis=axis):
                self.hang(joint, node, R, p, [(Freedom.TURN, frame_on_axis(axis))])
            case Prismatic(axis=axis):
                self.hang(joint, node, R, p, [(Freedom.SLIDE, R.T)], axis)
            case Cylindrical(axis=axis):
                z = frame_on_axis(axis)
                self.hang(joint, node, R, p, [(Freedom.TURN, z), (Freedom.SLIDE, z)], axis)
            case Universal(first=first, second=second):
                turns = [(Freedom.TURN, frame_on_axis(axis)) for axis in (first, second)]
                self.hang(joint, node, R, p, turns)
            case Planar(axis=axis):
                self.hang(joint, node, R, p, [(Freedom.PLANE, frame_on_axis(axis))])
            case Spherical():
                self.hang(joint, node, R, p, [(Freedom.BALL, np.eye(3))])
            case Floating():
                self.hang(joint, node, R, p, [(Freedom.FREE, np.eye(3))])
            case _:
                raise TypeError(f"unknown motion {joint.motion!r}")

    def hang(
        self,
        joint: Joint,
        parent: int,
        R: Array,
        p: SX,
        steps: list[tuple[Freedom, Array]],
        slide: Array | None = None,
    ) -> None:
        """Add a node for every elementary freedom.

        Each step gives the node's axes in the joint frame; ``slide`` is the direction of a slide
        there.
        """
        leader = joint if joint.mimic is None else self.mechanism.joint(joint.mimic.leader)
        q = self.mechanism.q_slices[leader.name].start
        v = self.mechanism.v_slices[leader.name].start
        armature = self.parameters.reflected_inertia(joint)
        used = 0
        for freedom, axes in steps:
            self.nodes.append(
                Node(
                    joint.name,
                    parent,
                    freedom,
                    Transform(Rotation(constant(snap(R @ axes))), p),
                    freedom.axes(np.zeros(3) if slide is None else snap(axes.T @ slide)),
                    q=q + used,
                    v=v + used,
                    mass=MassMoments.none(),
                    armature=armature[used : used + freedom.nv],
                    multiplier=joint.mimic.multiplier if joint.mimic else 1.0,
                    offset=joint.mimic.offset if joint.mimic else 0.0,
                )
            )
            used += freedom.nv
            parent, R, p = len(self.nodes) - 1, axes.T, zero()
        self.seats[joint.child] = (parent, snap(R), zero())
