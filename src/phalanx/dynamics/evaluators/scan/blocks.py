"""Blocks of a chain: a few nodes each, serial within a block, parallel across blocks.

Policy: a block ends where the next one of so many nodes would begin, but not at a node that would
not resist its own joint (a massless one within a universal joint, a thin shaft about its axis): the
segment that begins there would have no inertia to divide by. The next node that does is in it too.
Stages count from the tips of blocks inward, so blocks of different lengths keep together there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from phalanx.base.errors import InvalidModel
from phalanx.dynamics.evaluators.bodies import FREEDOMS, Bodies
from phalanx.dynamics.evaluators.scan.kernels import NodeKernels
from phalanx.dynamics.evaluators.scan.rows import ColumnBlocks, RowSelection
from phalanx.dynamics.evaluators.scan.tape import Tape
from phalanx.equations.tree.node import Freedom
from phalanx.mechanism.pose import Array

# a node resists its joint if so much of its own inertia, or of the next node's, does
FIRM = 1e-9

Indices = NDArray[np.intp]


@final
class BlockStep:
    """Nodes of one kind, one of each of some blocks, equally far from the tips of these.

    Attributes:
        kernels: Of their kind.
        nodes: Their rows among all nodes, and at: among those of their stage.
        beyond: Rows of the nodes beyond them among those of the stage before.
        q: Their positions, and v: their velocities, among the machine's.
    """

    def __init__(
        self, bodies: Bodies, kernels: NodeKernels, nodes: Indices, at: Indices, beyond: Indices
    ) -> None:
        kind = kernels.kind
        self.kernels = kernels
        self.nodes, self.at, self.beyond = (
            RowSelection(nodes),
            RowSelection(at),
            RowSelection(beyond),
        )
        self.q = ColumnBlocks(bodies.q[nodes].astype(np.intp), kind.freedom.nq)
        self.v = ColumnBlocks(bodies.v[nodes].astype(np.intp), kind.freedom.nv)
        self._numbers = kind.numbers[np.searchsorted(kind.members, nodes)]

    def numbers(self, samples: int) -> Array:
        """Numbers that differ within the kind, the same for every sample."""
        return np.tile(self._numbers, (samples, 1, 1))


@final
class BlockStage:
    """Nodes equally far from the tips of their blocks.

    Attributes:
        count: How many there are: one of each block that is long enough.
        steps: The same by kind.
        beyond: Rows of the nodes beyond them among those of the stage before.
        bases: Rows of those that begin a block, and blocks: of their blocks among all.
    """

    def __init__(
        self,
        bodies: Bodies,
        kernels: Sequence[NodeKernels],
        kind_of: Indices,
        tips: Indices,
        s: int,
    ) -> None:
        """So many nodes away from the tips."""
        lengths = np.diff(tips, prepend=-1)
        members = np.flatnonzero(lengths > s)
        nodes = tips[members] - s
        beyond = np.searchsorted(np.flatnonzero(lengths >= s), members)
        kinds = kind_of[nodes]
        self.count = len(members)
        self.beyond = RowSelection(beyond)
        self.steps = [
            BlockStep(bodies, kernels[k], nodes[mine], np.flatnonzero(mine), beyond[mine])
            for k in np.unique(kinds)
            for mine in [kinds == k]
        ]
        begins = lengths[members] == s + 1
        self.bases, self.blocks = (
            RowSelection(np.flatnonzero(begins)),
            RowSelection(members[begins]),
        )

    def hand(self, tape: Tape, nodes: Array, blocks: Array) -> None:
        """What nodes that begin a block have becomes their block's."""
        if len(self.bases):
            tape.copy((nodes, self.bases), (blocks, self.blocks))

    def take(self, tape: Tape, blocks: Array, nodes: Array) -> None:
        """What blocks have becomes that of the nodes that begin them."""
        if len(self.bases):
            tape.copy((blocks, self.blocks), (nodes, self.bases))


def block_tips(bodies: Bodies, size: int) -> Indices:
    """The last node of every block of a chain, rising.

    Raises:
        InvalidModel: The last joint moves nothing that has inertia.
    """
    count = len(bodies)
    if not count:
        return np.zeros(0, np.intp)
    resistance = _resistance(bodies)
    if resistance[-1] <= 0:
        m = bodies.mechanism
        raise InvalidModel(
            f"nothing resists joint '{m.joints[bodies.joint[-1]].name}' of mechanism '{m.name}': "
            "what it moves has no inertia along it. Give the body mass, or the joint a rotor."
        )
    firm = np.append(np.flatnonzero(resistance > FIRM), count - 1)
    wanted = np.append(np.arange(size - 1, count - 1, size), count - 1)
    return np.unique(firm[np.minimum(np.searchsorted(firm, wanted), len(firm) - 1)])


def _resistance(bodies: Bodies) -> Array:
    """How much each node resists its own joint, whatever hangs on it; about 1 for most."""
    spread = np.trace(bodies.second, axis1=1, axis2=2)
    inertia = spread[:, None, None] * np.eye(3) - bodies.second
    # what is large beside it: itself, or the next node
    following = np.minimum(np.arange(1, len(bodies) + 1), len(bodies) - 1)
    mass = np.maximum(bodies.mass, bodies.mass[following])
    spread = np.maximum(spread, spread[following])
    resistance = np.zeros(len(bodies))
    for freedom in FREEDOMS:
        nodes = bodies.of(freedom)
        axes = freedom.axes(np.zeros(3))
        S = np.tile(np.array(ca.DM(axes.linear)), (len(nodes), 1, 1))
        W = np.tile(np.array(ca.DM(axes.angular)), (len(nodes), 1, 1))
        if freedom in (Freedom.SLIDE, Freedom.SCREW):
            S = bodies.slide[nodes][:, :, None]
        lever = np.cross(W, bodies.first[nodes][:, :, None], axis=1)
        coupled = S.transpose(0, 2, 1) @ lever
        D = W.transpose(0, 2, 1) @ inertia[nodes] @ W + coupled + coupled.transpose(0, 2, 1)
        D += bodies.mass[nodes][:, None, None] * (S.transpose(0, 2, 1) @ S)
        armature = bodies.armature[bodies.v[nodes][:, None] + np.arange(freedom.nv)]
        D += armature[:, :, None] * np.eye(freedom.nv)
        turns = (W**2).sum(axis=1) > 0
        large = np.where(turns, spread[nodes][:, None], mass[nodes][:, None])
        large = np.sqrt(np.maximum(large, np.diagonal(D, axis1=1, axis2=2)))
        large[large == 0] = 1.0
        relative = D / (large[:, :, None] * large[:, None, :])
        resistance[nodes] = np.linalg.eigvalsh(relative)[:, 0]
    return resistance
