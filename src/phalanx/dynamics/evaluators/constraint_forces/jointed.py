"""Bodies with mass, each on one joint of up to six freedoms (data of constraint-force methods).

`Bodies` has a node for each elementary joint, and nodes without mass inside universal and
cylindrical joints. Here the nodes of one joint are one joint again, so that every body has a mass
matrix that can be inverted. A joint that is locked holds its body in all six directions.

A drive's rotor that turns with a joint ties the body to the one that carries it by a force along
the freedom, ``-R a`` for a reflected inertia R. That force is an unknown like the constraint
forces, in a direction that gives way by its acceleration: 1/R on the diagonal of A. So bodies keep
mass matrices of their own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidModel, UnknownName
from phalanx.dynamics.evaluators.bodies import FREEDOMS, Bodies
from phalanx.dynamics.evaluators.constraint_forces.structure import Structure
from phalanx.dynamics.evaluators.node_types import NodeType, node_types_of
from phalanx.equations.tree.node import Freedom
from phalanx.mechanism.pose import Array

# a body without extent along an axis has an inertia about it this small against its largest
THINNEST = 1e-12
# blocks that siblings would need; a body that carries so many joints wants another method
MOST_SIBLINGS = 200_000


@final
@dataclass(frozen=True, eq=False)
class JointKind:
    """Joints that share code: kinds of their nodes, which freedoms have rotors, whether locked.

    Attributes:
        nodes: Kind of each node of the joint, inboard first.
        rotors: Freedoms that have a rotor.
        locked: Whether the joint is held.
        members: Which joints these are, rising.
        numbers: Numbers that differ among them, an array for each node.
    """

    nodes: tuple[NodeType, ...]
    rotors: tuple[int, ...]
    locked: bool
    members: NDArray[np.intp]
    numbers: tuple[Array, ...]

    @property
    def freedoms(self) -> tuple[Freedom, ...]:
        """How its nodes move."""
        return tuple(kind.freedom for kind in self.nodes)

    @property
    def nq(self) -> int:
        """Number of positions."""
        return sum(freedom.nq for freedom in self.freedoms)

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return sum(freedom.nv for freedom in self.freedoms)

    @property
    def size(self) -> int:
        """Number of constraint forces, those of rotors with them."""
        return 6 if self.locked else 6 - self.nv + len(self.rotors)


@final
@dataclass(frozen=True, eq=False)
class JointedBodies:
    """A machine as bodies with mass: a row of every array is a body and the joint that carries it.

    Attributes:
        bodies: The nodes.
        node: Node of each body, the last of its joint, shape (n,).
        structure: Which joints meet.
        kinds: Joints by kinds.
        inverse_mass: M⁻¹ of each body, linear part first, shape (n, 6, 6).
        compliance: What the diagonal of A has beyond the bodies: 1/R for rotors, 1 in rows that
            a joint has not, shape (n, width).
    """

    bodies: Bodies
    node: NDArray[np.intp]
    structure: Structure
    kinds: tuple[JointKind, ...]
    inverse_mass: Array
    compliance: Array

    def __len__(self) -> int:
        return len(self.node)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the joints."""
        joints = self.bodies.mechanism.joints
        return tuple(joints[k].name for k in self.bodies.joint[self.node])

    @cached_property
    def first_node(self) -> NDArray[np.intp]:
        """First node of each joint, shape (n,)."""
        return np.concatenate([[0], self.node[:-1] + 1])

    @cached_property
    def inner_nodes(self) -> NDArray[np.intp]:
        """Nodes within joints, which have no body."""
        return np.setdiff1d(np.arange(len(self.bodies)), self.node)

    def columns(self, kind: JointKind) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Where positions and velocities of a kind's joints are, shapes (members, nq or nv)."""
        at = self.first_node[kind.members]
        q, v = self.bodies.q[at][:, None], self.bodies.v[at][:, None]
        return q + np.arange(kind.nq), v + np.arange(kind.nv)


def jointed_bodies(bodies: Bodies, locked: Iterable[str] = ()) -> JointedBodies:
    """A machine's bodies with joints of several freedoms.

    Args:
        bodies: The nodes.
        locked: Names of joints that are held where they are.

    Raises:
        InvalidModel: A body has no mass or no extent, or there is none, or one carries so many
            joints that a block for each pair of them is too much.
        UnknownName: There is no such joint to lock.
    """
    mechanism, count = bodies.mechanism, len(bodies)
    if not count:
        raise InvalidModel(f"mechanism '{mechanism.name}' has no body that moves.")
    last = np.append(bodies.joint[1:] != bodies.joint[:-1], True)
    node = np.flatnonzero(last)
    of_node = np.cumsum(last) - last  # body of the joint that each node belongs to
    on = bodies.parent[np.concatenate([[0], node[:-1] + 1])]
    parent = np.where(on >= 0, of_node[on], -1).astype(np.int32)

    moving = [mechanism.joints[k].name for k in bodies.joint[node]]
    held = np.zeros(len(node), bool)
    for name in locked:
        if name not in moving:
            raise UnknownName(f"mechanism '{mechanism.name}'", "moving joint", name, moving)
        held[moving.index(name)] = True

    kinds = _joint_kinds(bodies, node, held)
    sizes = np.zeros(len(node), np.int32)
    for kind in kinds:
        sizes[kind.members] = kind.size
    structure = Structure(parent, sizes, max(1, int(sizes.max())))
    _check_families(bodies, structure, node)

    compliance = np.where(structure.present, 0.0, 1.0)
    for kind in kinds:
        if kind.rotors and not kind.locked:
            v = bodies.v[node[kind.members] - len(kind.nodes) + 1]
            at = np.array(kind.rotors)
            rows = slice(kind.size - len(at), kind.size)
            compliance[kind.members, rows] = 1 / bodies.armature[v[:, None] + at]
    return JointedBodies(bodies, node, structure, kinds, _inverse_masses(bodies, node), compliance)


def _joint_kinds(
    bodies: Bodies, node: NDArray[np.intp], held: NDArray[np.bool_]
) -> tuple[JointKind, ...]:
    kinds = node_types_of(bodies)
    kind_of, row = np.zeros(len(bodies), int), np.zeros(len(bodies), int)
    for k, kind in enumerate(kinds):
        kind_of[kind.members], row[kind.members] = k, np.arange(len(kind.members))
    first = np.concatenate([[0], node[:-1] + 1])
    has_rotor = bodies.armature != 0
    nv = np.array([f.nv for f in FREEDOMS])[bodies.freedom]
    groups: dict[tuple[tuple[int, ...], tuple[int, ...], bool], list[int]] = {}
    for i, (a, z) in enumerate(zip(first.tolist(), node.tolist(), strict=True)):
        begin = bodies.v[a]
        rotors = np.flatnonzero(has_rotor[begin : begin + nv[a : z + 1].sum()])
        key = tuple(kind_of[a : z + 1].tolist()), tuple(rotors.tolist()), bool(held[i])
        groups.setdefault(key, []).append(i)
    result = []
    for (nodes, turned, locked), rows in groups.items():
        members = np.array(rows)
        numbers = tuple(
            np.ascontiguousarray(kinds[k].numbers[row[first[members] + j]])
            for j, k in enumerate(nodes)
        )
        result.append(JointKind(tuple(kinds[k] for k in nodes), turned, locked, members, numbers))
    return tuple(result)


def _inverse_masses(bodies: Bodies, node: NDArray[np.intp]) -> Array:
    """M⁻¹ of bodies; M = [[m 1, -c×], [c×, J]] for mass m, first moment c and inertia J."""
    mass, first, second = bodies.mass[node], bodies.first[node], bodies.second[node]
    unit = np.eye(3)
    inertia = np.trace(second, axis1=1, axis2=2)[:, None, None] * unit - second
    _check_masses(bodies, node, mass, first, inertia)
    x, y, z = first.T
    none = np.zeros_like(x)
    skew = np.array([[none, -z, y], [z, none, -x], [-y, x, none]]).transpose(2, 0, 1)
    M = np.zeros((len(node), 6, 6))
    M[:, :3, :3] = mass[:, None, None] * unit
    M[:, :3, 3:], M[:, 3:, :3] = -skew, skew
    M[:, 3:, 3:] = inertia
    inverse = np.linalg.inv(M)
    return np.ascontiguousarray((inverse + inverse.transpose(0, 2, 1)) / 2)


def _check_masses(
    bodies: Bodies, node: NDArray[np.intp], mass: Array, first: Array, inertia: Array
) -> None:
    joints = bodies.mechanism.joints

    def refuse(i: int, lack: str) -> InvalidModel:
        name = joints[bodies.joint[node[i]]].child
        return InvalidModel(
            f"body '{name}' of mechanism '{bodies.mechanism.name}' has no {lack}; constraint "
            "forces need the inverse of every body's mass matrix. Give it one, fix it to its "
            "neighbour, or choose another method."
        )

    empty = np.flatnonzero(~(mass > 0))
    if len(empty):
        raise refuse(int(empty[0]), "mass")
    com = first / mass[:, None]
    square = np.einsum("ni,ni->n", com, com)[:, None, None] * np.eye(3)
    central = inertia - mass[:, None, None] * (square - com[:, :, None] * com[:, None, :])
    principal = np.linalg.eigvalsh(central)
    size = np.trace(inertia, axis1=1, axis2=2)
    thin = np.flatnonzero(~(principal[:, 0] > THINNEST * size))
    if len(thin):
        raise refuse(int(thin[0]), "inertia about some axis")


def _check_families(bodies: Bodies, structure: Structure, node: NDArray[np.intp]) -> None:
    parent = structure.parent[structure.parent >= 0]
    children = np.bincount(parent, minlength=len(structure)).astype(np.int64)
    if (children * (children - 1) // 2).sum() > MOST_SIBLINGS:
        most = int(np.argmax(children))
        name = bodies.mechanism.joints[bodies.joint[node[most]]].child
        raise InvalidModel(
            f"body '{name}' of mechanism '{bodies.mechanism.name}' carries {children[most]} "
            "joints, whose constraint forces all meet: too many blocks. Choose another method."
        )
