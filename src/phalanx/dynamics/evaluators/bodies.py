"""Bodies of a machine as arrays: one row a node, for any number of nodes, no symbols.

The same tree of nodes as :mod:`phalanx.equations.tree` has, with one elementary joint each: fixed
joints lumped away, universal and cylindrical joints as two nodes with a massless one between,
rotations about z. There a node holds expressions; here all numbers of one kind lie side by side, so
that a machine of a hundred thousand bodies is built in NumPy, and code is compiled for the kinds of
nodes that it has, not for each of them.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidModel
from phalanx.base.short_repr import short_repr
from phalanx.equations.tree.node import Freedom
from phalanx.mechanism import (
    Continuous,
    Cylindrical,
    Fixed,
    Floating,
    Mechanism,
    Motion,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
)
from phalanx.mechanism.motion import frame_on_axis
from phalanx.mechanism.pose import LAST_DIGITS, ROUNDING, Array, snap_direction, snap_rotation

Integers = NDArray[np.int32]

FREEDOMS = tuple(Freedom)


@short_repr
@final
@dataclass(frozen=True, eq=False)
class Bodies:
    """The nodes of a machine, root first: a row of every array is one node.

    Attributes:
        mechanism: The machine.
        freedom: Index into ``FREEDOMS``, shape (n,).
        parent: Index of the parent node, smaller than its own; -1 for the root, shape (n,).
        joint: Index of the joint it stems from, shape (n,).
        rotation: Of the joint frame in the parent node, (n, 3, 3); translation: (n, 3) [m].
        slide: Shift of a slide or screw for a unit of its coordinate, in node axes, (n, 3); zeros
            for other joints.
        mass: [kg], (n,); first: ∫r dm [kg·m], (n, 3); second: ∫r rᵀ dm [kg·m²], (n, 3, 3), all
            about the node's origin and in its axes.
        q: Index of its first position, (n,); v: of its first velocity, (n,).
        armature: Reflected rotor inertia of each freedom, (nv,).
        body_node: Node that carries each body of the mechanism, -1 for the root, (bodies,).
        body_rotation: Of each body in its node, (bodies, 3, 3); body_translation: (bodies, 3) [m].
    """

    mechanism: Mechanism
    freedom: Integers
    parent: Integers
    joint: Integers
    rotation: Array
    translation: Array
    slide: Array
    mass: Array
    first: Array
    second: Array
    q: Integers
    v: Integers
    armature: Array
    body_node: Integers
    body_rotation: Array
    body_translation: Array

    def __len__(self) -> int:
        return len(self.parent)

    @cached_property
    def is_chain(self) -> bool:
        """Whether every node hangs on the one before it."""
        return bool(np.array_equal(self.parent, np.arange(-1, len(self) - 1)))

    @cached_property
    def children(self) -> Integers:
        """How many nodes hang on each, shape (n,)."""
        return np.bincount(self.parent[self.parent >= 0], minlength=len(self)).astype(np.int32)

    @cached_property
    def nv(self) -> Integers:
        """Number of velocities of each node, shape (n,)."""
        return np.array([f.nv for f in FREEDOMS], np.int32)[self.freedom]

    @cached_property
    def nq(self) -> Integers:
        """Number of positions of each node, shape (n,)."""
        return np.array([f.nq for f in FREEDOMS], np.int32)[self.freedom]

    @cached_property
    def massless(self) -> NDArray[np.bool_]:
        """Nodes without mass of their own, as between the two turns of a universal joint."""
        return (self.mass == 0) & (self.second == 0).all(axis=(1, 2))

    def of(self, freedom: Freedom) -> NDArray[np.intp]:
        """Indices of the nodes that move so."""
        return np.flatnonzero(self.freedom == FREEDOMS.index(freedom))

    def place(self, frame: str) -> tuple[int, Array, Array]:
        """The node that carries a frame, with rotation and translation of the frame in it."""
        found = self.mechanism.frame(frame)
        body = self.mechanism.body_index(found.body)
        R, p = self.body_rotation[body], self.body_translation[body]
        at = found.pose
        return int(self.body_node[body]), R @ at.rotation, p + R @ at.translation


def bodies_of(mechanism: Mechanism) -> Bodies:
    """The nodes of a mechanism.

    Raises:
        InvalidModel: It has loops or joints that follow others, which tie branches together.
    """
    if mechanism.loops:
        raise InvalidModel(
            f"mechanism '{mechanism.name}' closes on itself by the loop "
            f"'{mechanism.loops[0].name}'; sweeps over its bodies need a tree."
        )
    follower = next((joint.name for joint in mechanism.joints if joint.mimic), None)
    if follower is not None:
        raise InvalidModel(
            f"joint '{follower}' of mechanism '{mechanism.name}' follows another one, which ties "
            "branches together; sweeps over its bodies need joints that move freely."
        )
    return _RowBuilder(mechanism).bodies()


class _RowBuilder:
    """Collects rows joint by joint, and works on all rows at once where it can."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        joints = mechanism.joints
        kinds: dict[int, _MotionNodes] = {}
        for joint in joints:
            key = id(joint.motion)
            if key not in kinds:
                kinds[key] = _kind(joint.motion)
        self.kinds = [kinds[id(joint.motion)] for joint in joints]
        self.steps = np.array([len(kind.freedoms) for kind in self.kinds], np.int32)
        self.parents = np.array(mechanism.parents[1:], np.int32)
        self.poses = _stacked([joint.pose.rotation for joint in joints], (3, 3))
        self.shifts = _stacked([joint.pose.translation for joint in joints], (3,))
        # what only slides stays parallel to what it slides on
        self.parallel = np.array([k.freedoms == (Freedom.SLIDE,) for k in self.kinds], bool)
        self.first_nodes = np.cumsum(self.steps) - self.steps

    def bodies(self) -> Bodies:
        m, count = self.mechanism, int(self.steps.sum())
        node, R, p = self.placements()
        joint_of = np.repeat(np.arange(len(self.steps)), self.steps).astype(np.int32)
        within = np.arange(count) - self.first_nodes[joint_of]
        freedom = np.array([FREEDOMS.index(f) for k in self.kinds for f in k.freedoms], np.int32)
        slide = _stacked([k.slide for k in self.kinds for _ in k.freedoms], (3,))
        turns = _stacked([A for k in self.kinds for A in k.turns], (3, 3))

        parent = np.arange(-1, count - 1, dtype=np.int32)
        heads = np.flatnonzero(within == 0)
        on = self.parents[joint_of[heads]]
        parent[heads] = node[on]
        rotation, translation = turns.copy(), np.zeros((count, 3))
        rotation[heads] = _snapped(R[on] @ self.poses[joint_of[heads]] @ turns[heads])
        parallel = self.parallel[joint_of]
        rotation[parallel] = np.eye(3)
        turned = np.einsum("nij,nj->ni", R[joint_of[parallel] + 1], slide[parallel])
        slide[parallel] = _stacked([snap_direction(axis) for axis in turned], (3,))
        shifting = [FREEDOMS.index(f) for f in (Freedom.SLIDE, Freedom.SCREW)]
        slide[~np.isin(freedom, shifting)] = 0.0
        translation[heads] = p[on] + np.einsum("nij,nj->ni", R[on], self.shifts[joint_of[heads]])

        nv = np.array([f.nv for f in FREEDOMS], np.int32)[freedom]
        nq = np.array([f.nq for f in FREEDOMS], np.int32)[freedom]
        mass, first, second = self.masses(node, R, p, count)
        return Bodies(
            mechanism=m,
            freedom=freedom,
            parent=parent,
            joint=joint_of,
            rotation=rotation,
            translation=translation,
            slide=slide,
            mass=mass,
            first=first,
            second=second,
            q=(np.cumsum(nq) - nq).astype(np.int32),
            v=(np.cumsum(nv) - nv).astype(np.int32),
            armature=m.per_freedom("reflected_inertia").astype(float),
            body_node=node,
            body_rotation=R,
            body_translation=p,
        )

    def placements(self) -> tuple[Integers, Array, Array]:
        """Of every body: its node, and its pose there."""
        count = len(self.steps) + 1
        node, R = np.full(count, -1, np.int32), np.tile(np.eye(3), (count, 1, 1))
        p = np.zeros((count, 3))
        moving = self.steps > 0
        node[1:][moving] = (self.first_nodes + self.steps - 1)[moving]
        R[1:] = _stacked([kind.body for kind in self.kinds], (3, 3))
        for k in np.flatnonzero(~moving | self.parallel):  # root first, so that they add up
            on = self.parents[k]
            R[k + 1] = snap_rotation(R[on] @ self.poses[k])
            if not moving[k]:
                node[k + 1], p[k + 1] = node[on], p[on] + R[on] @ self.shifts[k]
        return node, R, p

    def masses(self, node: Integers, R: Array, p: Array, count: int) -> tuple[Array, Array, Array]:
        """Moments of mass of every node: those of its bodies together."""
        bodies = self.mechanism.bodies
        m = np.array([body.mass for body in bodies])
        com = _stacked([body.com for body in bodies], (3,))
        inertia = _stacked([body.inertia for body in bodies], (3, 3))
        inertia = (inertia + inertia.transpose(0, 2, 1)) / 2
        half = np.trace(inertia, axis1=1, axis2=2) / 2
        turned = R @ (half[:, None, None] * np.eye(3) - inertia) @ R.transpose(0, 2, 1)
        at = p + np.einsum("nij,nj->ni", R, com)
        spread = turned + m[:, None, None] * at[:, :, None] * at[:, None, :]
        mass, first, second = np.zeros(count), np.zeros((count, 3)), np.zeros((count, 3, 3))
        moved = node >= 0
        np.add.at(mass, node[moved], m[moved])
        np.add.at(first, node[moved], (m[:, None] * at)[moved])
        np.add.at(second, node[moved], spread[moved])
        return mass, _tidy(first), _tidy(second)


@dataclass(frozen=True, eq=False)
class _MotionNodes:
    """Nodes of a joint's motion: their rotations, and the body's pose in the last."""

    freedoms: tuple[Freedom, ...]
    turns: tuple[Array, ...]
    slide: Array
    body: Array


def _kind(motion: Motion) -> _MotionNodes:
    match motion:
        case Fixed():
            return _MotionNodes((), (), np.zeros(3), np.eye(3))
        case Revolute(axis=axis) | Continuous(axis=axis):
            return _row((Freedom.TURN,), frame_on_axis(axis))
        case Prismatic(axis=axis):
            return _row((Freedom.SLIDE,), np.eye(3), slide=axis)
        case Screw(axis=axis, pitch=pitch):
            return replace(_row((Freedom.SCREW,), frame_on_axis(axis)), slide=pitch * np.eye(3)[2])
        case Cylindrical(axis=axis):
            z = frame_on_axis(axis)
            return _row((Freedom.TURN, Freedom.SLIDE), z, z, slide=axis)
        case Universal(first=first, second=second):
            frames = frame_on_axis(first), frame_on_axis(second)
            return _row((Freedom.TURN, Freedom.TURN), *frames)
        case Planar(axis=axis):
            return _row((Freedom.PLANE,), frame_on_axis(axis))
        case Spherical():
            return _row((Freedom.BALL,), np.eye(3))
        case Floating():
            return _row((Freedom.FREE,), np.eye(3))
        case _:
            raise TypeError(f"unknown motion {motion!r}")


def _row(freedoms: tuple[Freedom, ...], *axes: Array, slide: Array | None = None) -> _MotionNodes:
    """Nodes whose axes are given in the joint frame, one after the other."""
    turns = [axes[0]]
    for before, after in itertools.pairwise(axes):
        turns.append(snap_rotation(before.T @ after))
    last = axes[-1]
    along = np.zeros(3) if slide is None else snap_direction(last.T @ slide)
    return _MotionNodes(freedoms, tuple(turns), along, snap_rotation(last.T))


def _stacked(rows: Any, shape: tuple[int, ...]) -> Array:
    return np.array(rows, float).reshape(-1, *shape)


def _snapped(R: Array) -> Array:
    """Rotations with exact zeros and ones where rounding left something close to them.

    As :func:`snap_rotation`, all at once; it has the few that are not rotations with such zeros.
    """
    zero = np.abs(R) < ROUNDING
    near = np.where(zero, 0.0, R)
    for _ in range(3):
        excess = near.transpose(0, 2, 1) @ near - np.eye(3)
        near = np.where(zero, 0.0, near - near @ excess / 2)
    excess = near.transpose(0, 2, 1) @ near - np.eye(3)
    for k in np.flatnonzero(np.abs(excess).max(axis=(1, 2), initial=0.0) >= LAST_DIGITS):
        near[k] = snap_rotation(R[k])
    ones = np.rint(near)
    return np.where(np.abs(near - ones) < LAST_DIGITS, ones, near)


def _tidy(moments: Array) -> Array:
    """Moments with what rounding left of zeros removed."""
    own = tuple(range(1, moments.ndim))
    floor = ROUNDING * np.abs(moments).max(axis=own, keepdims=True, initial=0.0)
    return np.where(np.abs(moments) < floor, 0.0, moments)


def runs(bodies: Bodies) -> list[range]:
    """Runs of nodes in which each hangs on the one before, and on that nothing else does."""
    count = len(bodies)
    if not count:
        return []
    begins = (bodies.parent[1:] != np.arange(count - 1)) | (bodies.children[:-1] != 1)
    firsts = [0, *(np.flatnonzero(begins) + 1).tolist(), count]
    return [range(a, b) for a, b in itertools.pairwise(firsts)]


def checked_chain(bodies: Bodies, method: str) -> Bodies:
    """The same, if every node hangs on the one before it.

    Raises:
        InvalidModel: It is a tree; the first body that carries several joints is named.
    """
    if bodies.is_chain:
        return bodies
    m = bodies.mechanism
    node = int(bodies.parent[np.flatnonzero(bodies.parent != np.arange(-1, len(bodies) - 1))[0]])
    body = m.bodies[0].name if node < 0 else m.joints[bodies.joint[node]].child
    raise InvalidModel(
        f"mechanism '{m.name}' branches at body '{body}'; {method} takes chains only. "
        "Choose a method for trees, such as the serial sweep."
    )
