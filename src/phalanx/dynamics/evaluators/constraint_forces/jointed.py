"""Bodies with mass, each on one joint of up to six freedoms (data of constraint-force methods).

`Bodies` has a node for each elementary joint, and nodes without mass inside universal and
cylindrical joints. Here the nodes of one joint are one joint again, so that every body has a mass
matrix that can be inverted. A joint that is locked holds its body in all six directions.

A massless link is joined with the joint that it carries: the two joints are one of both freedoms.
So is a link with some inertia, but not about every axis. Its mass matrix is U Uᵀ, and its inertial
force U φ with unknown φ = -Uᵀ A: rows of A f = b with ones on the diagonal, as for a rotor.

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
    """Joints that share code: kinds of their nodes, which freedoms move and which have rotors.

    Attributes:
        nodes: Kind of each node of the joint, inboard first.
        rotors: Freedoms that have a rotor, those that move.
        free: Freedoms that move; the others are locked.
        within: Links within the joint, inboard first: node, and rank of the mass matrix.
        members: Which joints these are, rising.
        numbers: Numbers that differ among them, an array for each node, and U of links within.
    """

    nodes: tuple[NodeType, ...]
    rotors: tuple[int, ...]
    free: tuple[int, ...]
    within: tuple[tuple[int, int], ...]
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
    def locked(self) -> tuple[int, ...]:
        """Freedoms that do not move."""
        return tuple(k for k in range(self.nv) if k not in self.free)

    @property
    def held(self) -> int:
        """Number of directions that the joint holds."""
        return 6 - len(self.free)

    @property
    def size(self) -> int:
        """Number of constraint forces, those of rotors and of links within the joint with them."""
        return self.held + len(self.rotors) + sum(rank for _, rank in self.within)

    @property
    def carriers(self) -> tuple[tuple[int, int], ...]:
        """Joints of the model that it consists of: first node of each, and the one after its last.

        The last node of each carries a body.
        """
        ends = [*(node + 1 for node, _ in self.within), len(self.nodes)]
        return tuple(zip([0, *ends[:-1]], ends, strict=True))

    def freedoms_of(self, first: int, stop: int) -> tuple[int, ...]:
        """Freedoms of its nodes ``first`` to ``stop - 1``."""
        begin = sum(freedom.nv for freedom in self.freedoms[:first])
        return tuple(range(begin, begin + sum(f.nv for f in self.freedoms[first:stop])))


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
        compliance: What the diagonal of A has beyond the bodies: 1/R for rotors, 1 for links
            within a joint and in rows that a joint has not, shape (n, width).
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
        """Names of the joints of the model that move, also of those joined with others."""
        joints = self.bodies.mechanism.joints
        return tuple(joints[k].name for k in self.bodies.joint[self.link_nodes])

    @cached_property
    def first_node(self) -> NDArray[np.intp]:
        """First node of each joint, shape (n,)."""
        return np.concatenate([[0], self.node[:-1] + 1])

    @cached_property
    def link_nodes(self) -> NDArray[np.intp]:
        """Nodes that carry a body of the model, also a link within a joint."""
        return np.flatnonzero(_ends_joint(self.bodies))

    @cached_property
    def inner_nodes(self) -> NDArray[np.intp]:
        """Nodes that carry no body of the model: those within universal joints."""
        return np.setdiff1d(np.arange(len(self.bodies)), self.link_nodes)

    def within(self, kind: JointKind) -> NDArray[np.intp]:
        """Nodes of the links within a kind's joints, shape (members, links)."""
        inner = np.array([node for node, _ in kind.within], np.intp)
        return self.first_node[kind.members][:, None] + inner

    def name(self, kind: JointKind, member: int) -> str:
        """The names of the joints of the model that one joint of a kind consists of."""
        first = self.first_node[kind.members[member]]
        joints = self.bodies.mechanism.joints
        parts = [joints[self.bodies.joint[first + a]].name for a, _ in kind.carriers]
        return "', '".join(parts)

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
        InvalidModel: A body has no mass or no extent and cannot be joined with the next, or there
            is none, or one carries so many joints that a block for each pair is too much.
        UnknownName: There is no such joint to lock.
    """
    mechanism, count = bodies.mechanism, len(bodies)
    if not count:
        raise InvalidModel(f"mechanism '{mechanism.name}' has no body that moves.")
    last = _ends_joint(bodies)
    moving = [mechanism.joints[k].name for k in bodies.joint[last]]
    held = np.zeros(len(mechanism.joints), bool)
    for name in locked:
        if name not in moving:
            raise UnknownName(f"mechanism '{mechanism.name}'", "moving joint", name, moving)
        held[bodies.joint[last][moving.index(name)]] = True
    last[_joined_links(bodies, np.flatnonzero(last))] = False
    node = np.flatnonzero(last)
    of_node: NDArray[np.intp] = (
        np.cumsum(last) - last
    )  # body of the joint that each node belongs to
    on = bodies.parent[np.concatenate([[0], node[:-1] + 1])]
    parent = np.where(on >= 0, of_node[on], -1).astype(np.int32)

    kinds = _joint_kinds(bodies, node, held)
    sizes = np.zeros(len(node), np.int32)
    for kind in kinds:
        sizes[kind.members] = kind.size
    structure = Structure(parent, sizes, max(1, int(sizes.max())))
    _check_families(bodies, structure, node)

    compliance = np.where(structure.present, 0.0, 1.0)
    for kind in kinds:
        rotors = slice(kind.held, kind.held + len(kind.rotors))
        if kind.rotors:
            v = bodies.v[node[kind.members] - len(kind.nodes) + 1]
            compliance[kind.members, rotors] = (
                1 / bodies.armature[v[:, None] + np.array(kind.rotors)]
            )
        compliance[kind.members, rotors.stop : kind.size] = 1.0
    return JointedBodies(bodies, node, structure, kinds, _inverse_masses(bodies, node), compliance)


def _ends_joint(bodies: Bodies) -> NDArray[np.bool_]:
    """Which nodes are the last of their joint in the model, and so carry a body of it."""
    return np.append(bodies.joint[1:] != bodies.joint[:-1], True)


def _joint_kinds(
    bodies: Bodies, node: NDArray[np.intp], held: NDArray[np.bool_]
) -> tuple[JointKind, ...]:
    kinds = node_types_of(bodies)
    kind_of, row = np.zeros(len(bodies), int), np.zeros(len(bodies), int)
    for k, kind in enumerate(kinds):
        kind_of[kind.members], row[kind.members] = k, np.arange(len(kind.members))
    first = np.concatenate([[0], node[:-1] + 1])
    nv = np.array([f.nv for f in FREEDOMS])[bodies.freedom]
    locked = np.repeat(held[bodies.joint], nv)
    has_rotor = (bodies.armature != 0) & ~locked
    ends = _ends_joint(bodies)
    factors: dict[int, Array] = {}
    groups: dict[tuple[tuple[int, ...], ...], list[int]] = {}
    within: dict[tuple[tuple[int, ...], ...], tuple[tuple[int, int], ...]] = {}
    for i, (a, z) in enumerate(zip(first.tolist(), node.tolist(), strict=True)):
        freedoms = slice(bodies.v[a], bodies.v[a] + nv[a : z + 1].sum())
        links = []
        for k in range(a, z):
            if ends[k]:
                factors[k] = _mass_factor(bodies, k)
                links.append((k - a, factors[k].shape[1]))
        key = (
            tuple(kind_of[a : z + 1].tolist()),
            tuple(np.flatnonzero(has_rotor[freedoms]).tolist()),
            tuple(np.flatnonzero(~locked[freedoms]).tolist()),
            *links,
        )
        groups.setdefault(key, []).append(i)
        within[key] = tuple(links)
    result = []
    for key, rows in groups.items():
        nodes, rotors, free = key[:3]
        members = np.array(rows)
        numbers = [
            np.ascontiguousarray(kinds[k].numbers[row[first[members] + j]])
            for j, k in enumerate(nodes)
        ]
        if within[key]:
            of_links = [[factors[first[i] + k].T.ravel() for k, _ in within[key]] for i in rows]
            numbers.append(np.array([np.concatenate(link) for link in of_links]))
        of_nodes = tuple(
            kinds[k].renamed() if k in nodes[:j] else kinds[k] for j, k in enumerate(nodes)
        )
        result.append(JointKind(of_nodes, rotors, free, within[key], members, tuple(numbers)))
    return tuple(result)


def _inverse_masses(bodies: Bodies, node: NDArray[np.intp]) -> Array:
    """M⁻¹ of bodies; M = [[m 1, -c×], [c×, J]] for mass m, first moment c and inertia J."""
    mass, first, second = bodies.mass[node], bodies.first[node], bodies.second[node]
    unit = np.eye(3)
    inertia = np.trace(second, axis1=1, axis2=2)[:, None, None] * unit - second
    x, y, z = first.T
    none = np.zeros_like(x)
    skew = np.array([[none, -z, y], [z, none, -x], [-y, x, none]]).transpose(2, 0, 1)
    M = np.zeros((len(node), 6, 6))
    M[:, :3, :3] = mass[:, None, None] * unit
    M[:, :3, 3:], M[:, 3:, :3] = -skew, skew
    M[:, 3:, 3:] = inertia
    inverse = np.linalg.inv(M)
    return np.ascontiguousarray((inverse + inverse.transpose(0, 2, 1)) / 2)


def _central(bodies: Bodies, node: NDArray[np.intp]) -> tuple[Array, Array, Array]:
    """Centres of mass, inertias about them, and the size of inertias about the nodes' origins."""
    mass, first, second = bodies.mass[node], bodies.first[node], bodies.second[node]
    com = first / np.where(mass > 0, mass, 1.0)[:, None]
    about = second - mass[:, None, None] * com[:, :, None] * com[:, None, :]
    trace = np.trace(about, axis1=1, axis2=2)
    central = trace[:, None, None] * np.eye(3) - about
    return com, central, 2 * np.trace(second, axis1=1, axis2=2)


def _mass_factor(bodies: Bodies, node: int) -> Array:
    """U with M = U Uᵀ, a column for each direction in which the body has inertia; (6, rank)."""
    com, central, size = (x[0] for x in _central(bodies, np.array([node])))
    mass, columns = bodies.mass[node], []
    if mass > 0:
        columns += [np.concatenate([e, np.cross(com, e)]) * np.sqrt(mass) for e in np.eye(3)]
    moments, axes = np.linalg.eigh(central)
    for moment, axis in zip(moments, axes.T, strict=True):
        if moment > THINNEST * size:
            columns.append(np.concatenate([np.zeros(3), axis]) * np.sqrt(moment))
    return np.array(columns).reshape(-1, 6).T


def _joined_links(bodies: Bodies, links: NDArray[np.intp]) -> list[int]:
    """Nodes of links whose mass matrix has no inverse: each is joined with the one joint on it.

    Raises:
        InvalidModel: One of them cannot be.
    """
    mass, (_, central, size) = bodies.mass[links], _central(bodies, links)
    least = np.linalg.eigvalsh(central)[:, 0]
    singular = np.flatnonzero(~(mass > 0) | ~(least > THINNEST * size))
    first = np.concatenate([[0], links[:-1] + 1])
    own = bodies.v[links] + bodies.nv[links] - bodies.v[first]
    freedoms = own.copy()  # of each joint together with those joined with it before
    for i in singular.tolist():
        node, why = links[i], None
        if mass[i] < 0 or least[i] < -THINNEST * size[i]:
            why = "what it has is negative"
        elif not bodies.children[node]:
            why = "there is no joint beyond it that it could be joined with"
        elif bodies.children[node] > 1:
            why = f"it carries {bodies.children[node]} joints, but can be joined with one only"
        elif bodies.parent[node + 1] != node:
            why = "the joint that it carries does not come next to its own in the model"
        elif freedoms[i] + own[i + 1] > 6:
            why = "with the joints next to it, it makes a joint of more than six freedoms"
        if why is not None:
            name = bodies.mechanism.joints[bodies.joint[node]].child
            lack = "inertia about some axis" if mass[i] > 0 else "mass"
            raise InvalidModel(
                f"body '{name}' of mechanism '{bodies.mechanism.name}' has no {lack}, and {why}. "
                "Constraint forces need a mass matrix that can be inverted: give the body one, "
                "fix it to its neighbour, or choose another method."
            )
        freedoms[i + 1] += freedoms[i]
    return [int(node) for node in links[singular]]


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
