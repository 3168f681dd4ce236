"""Node types: nodes that share compiled code, and the numbers that differ among them.

Nodes that move alike and have all numbers in common (links of a chain) are a kind of their own,
with these numbers in the code: zeros and ones vanish from it. The few most frequent ones are found,
all others that move alike share one more kind, in which a number that differs is an argument and
one that all have in common is not.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, final

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import NDArray

from phalanx.dynamics.evaluators.bodies import FREEDOMS, Bodies
from phalanx.equations.spatial import MassMoments, Rotation, Transform, symmetric
from phalanx.equations.tree.node import Freedom, Node
from phalanx.mechanism.pose import Array

# kinds with all numbers in the code, of each freedom
MOST_FREQUENT = 4
# and how many nodes one of them has at least, of all that move alike
LEAST_NODES, LEAST_SHARE = 8, 0.04

_UPPER = np.triu_indices(3)


@final
@dataclass(frozen=True, eq=False)
class NodeType:
    """Nodes that share code.

    Attributes:
        freedom: How they move.
        members: Their indices in the machine, rising.
        node: One of them over symbols: its own positions and velocities begin at 0.
        arguments: Symbols of the numbers that differ, a column.
        numbers: What they are, shape (members, arguments).
    """

    freedom: Freedom
    members: NDArray[np.intp]
    node: Node
    arguments: SX
    numbers: Array

    @property
    def is_massless(self) -> bool:
        """Whether its nodes have no mass, all of them."""
        return bool(self.node.mass.m.is_zero() and self.node.mass.J.is_zero())

    def renamed(self) -> NodeType:
        """The same with symbols of its own, for a joint that has two nodes of one type."""
        node, fresh = self.node, SX.sym("numbers", self.arguments.numel())
        X, mass = node.placement, node.mass
        old = [X.rotation.matrix, X.translation, node.axes.angular, node.axes.linear]
        old += [mass.m, mass.h, mass.J, node.armature]
        R, p, turn, slide, m, h, J, armature = ca.substitute(old, [self.arguments], [fresh])
        changed = replace(
            node,
            placement=Transform(Rotation(R), p),
            axes=type(node.axes)(turn, slide),
            mass=MassMoments(m, h, J),
            armature=armature,
        )
        return replace(self, node=changed, arguments=fresh)


def node_types_of(bodies: Bodies, most_frequent: int = MOST_FREQUENT) -> tuple[NodeType, ...]:
    """The kinds of a machine; every node belongs to one of them.

    Args:
        bodies: The machine.
        most_frequent: How many kinds of each freedom have all their numbers in the code, at most.
    """
    found = _KINDS.setdefault(bodies, {})
    if most_frequent not in found:
        found[most_frequent] = tuple(_kinds(bodies, most_frequent))
    return found[most_frequent]


# found once for a machine, as long as it is there
_KINDS: weakref.WeakKeyDictionary[Bodies, dict[int, tuple[NodeType, ...]]] = (
    weakref.WeakKeyDictionary()
)


def _kinds(bodies: Bodies, most_frequent: int) -> Iterator[NodeType]:
    for freedom in FREEDOMS:
        nodes = bodies.of(freedom)
        if not len(nodes):
            continue
        table = _table(bodies, freedom, nodes)
        example, of_row, counts = _distinct(table)
        least = max(LEAST_NODES, LEAST_SHARE * len(nodes))
        frequent = [
            row
            for row in np.argsort(-counts, kind="stable")[:most_frequent]
            if counts[row] >= least
        ]
        for row in sorted(frequent, key=lambda row: int(example[row])):
            alike = of_row == row
            yield _kind(freedom, nodes[alike], table[alike])
        others = ~np.isin(of_row, frequent)
        bare = others & bodies.massless[nodes]  # nodes within a joint, which cost much less
        for group in (bare, others & ~bare):
            if group.any():
                yield _kind(freedom, nodes[group], table[group])


def _distinct(table: Array) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Of each distinct row its first place; of each row which it is; how often each comes."""
    numbers: dict[bytes, int] = {}
    of_row = np.array([numbers.setdefault(row.tobytes(), len(numbers)) for row in table])
    _, example, counts = np.unique(of_row, return_index=True, return_counts=True)
    return example, of_row, counts


def _table(bodies: Bodies, freedom: Freedom, nodes: NDArray[np.intp]) -> Array:
    """All numbers of nodes, a row each."""
    armature = bodies.armature[bodies.v[nodes][:, None] + np.arange(freedom.nv)]
    return (
        np.column_stack(
            [
                bodies.rotation[nodes].reshape(-1, 9),
                bodies.translation[nodes],
                bodies.slide[nodes],
                bodies.mass[nodes],
                bodies.first[nodes],
                bodies.second[nodes][:, *_UPPER],
                armature,
            ]
        )
        + 0.0
    )  # no negative zeros, which would be other numbers


def _kind(freedom: Freedom, members: NDArray[np.intp], table: Array) -> NodeType:
    differs = (table != table[0]).any(axis=0)
    arguments = SX.sym("numbers", int(differs.sum()))
    values = SX(ca.DM(table[0]))
    values[np.flatnonzero(differs).tolist()] = arguments
    numbers = iter(ca.vertsplit(ca.sparsify(values)))

    def take(count: int) -> SX:
        return ca.vertcat(*(next(numbers) for _ in range(count)))

    rotation = ca.reshape(take(9), 3, 3).T
    translation, slide, mass, first = take(3), take(3), take(1), take(3)
    moments = MassMoments(mass, first, symmetric(*ca.vertsplit(take(6))))
    axes = freedom.axes(np.zeros(3))
    if freedom in (Freedom.SLIDE, Freedom.SCREW):
        axes = type(axes)(axes.angular, slide)
    node = Node(
        joint="",
        parent=-1,
        freedom=freedom,
        placement=Transform(Rotation(rotation), translation),
        axes=axes,
        q=0,
        v=0,
        mass=moments,
        armature=take(freedom.nv),
    )
    return NodeType(freedom, members, node, arguments, np.ascontiguousarray(table[:, differs]))
