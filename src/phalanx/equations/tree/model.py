"""Model: the node tree of a mechanism, each node with one elementary joint.

Fixed joints are lumped away, universal and cylindrical joints become two nodes with a massless one
between. Node frames are turned so that a rotation is always about z, and so that a sliding body is
parallel to what it slides on: then most constants are 0 or 1 and vanish from the equations. Names
keep their meaning through ``places``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import casadi as ca
from casadi import SX

from phalanx.base.cached import cached_property
from phalanx.base.errors import UnknownName
from phalanx.equations.spatial import Transform
from phalanx.equations.tree.node import Node
from phalanx.equations.tree.parameters import Parameters
from phalanx.equations.tree.regroup import regroup, separate_rotors
from phalanx.mechanism import Loop, Mechanism


@dataclass(frozen=True)
class Place:
    """A frame fixed in a node (or in the root, node -1)."""

    node: int
    pose: Transform


@dataclass(frozen=True)
class Model:
    """The tree of nodes of a mechanism, with numbers or symbols in it.

    ``frame_offsets`` has the loops that are closed as assembled: by name, the pose in their second
    frame of the place that they hold instead of its origin (see
    `equations.loops.assembly.closed_loops`).
    """

    mechanism: Mechanism
    nodes: tuple[Node, ...]
    places: dict[str, Place]
    parameters: Parameters = field(repr=False)
    frame_offsets: Mapping[str, Transform] = field(default_factory=dict, repr=False)

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

    def ends(self, loop: Loop) -> tuple[Place, Place]:
        """The two places that a loop holds together."""
        a, b = self.place(loop.frame_a), self.place(loop.frame_b)
        shift = self.frame_offsets.get(loop.name)
        return a, b if shift is None else Place(b.node, b.pose.then(shift))

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

    @cached_property
    def lightest(self) -> Model:
        """Regrouped, with round bodies at the ends replaced by their spin (`separate_rotors`).

        Frames on such bodies do not turn; ask the model itself for places on them.
        """
        return replace(self, nodes=separate_rotors(self.regrouped.nodes))
