"""Forward dynamics of a chain or tree at a state, each process for the bodies of its segment.

Messages beside those of the iteration: positions, velocities and joint forces of the joints that
meet those of a neighbour, so that a process has all that its own rows depend on; and from the root
outward the angular velocity of the body that the part within reach stands on, 3 numbers. A process
adds its own joints to that by a rotation and a shift that it has computed before. Linear velocities
need not travel: forces are the same in every frame that moves uniformly. Nor does gravity: all
accelerations are less free fall, which enters at the root.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from phalanx.distribute.processes.messages import Array, Message
from phalanx.distribute.programs.chains.chain import ChainModel
from phalanx.distribute.programs.chains.iteration import iterated
from phalanx.distribute.programs.chains.rows import SegmentRows
from phalanx.distribute.programs.chains.segments import Joints, Segment
from phalanx.distribute.programs.chains.spectrum import prepared
from phalanx.dynamics.evaluators.bodies import Integers
from phalanx.dynamics.evaluators.constraint_forces import blocks
from phalanx.dynamics.evaluators.constraint_forces.equations import ConstraintEquations
from phalanx.dynamics.evaluators.constraint_forces.stopping import Stopping
from phalanx.dynamics.evaluators.constraint_forces.three_term import ThreeTerm
from phalanx.dynamics.evaluators.method import still_root

_ANGULAR = 3  # numbers of an angular velocity


@final
@dataclass(frozen=True, eq=False)
class SegmentAccelerations:
    """Accelerations and constraint forces of a segment.

    Attributes:
        a: Accelerations of its joints, shape (nv of the segment,).
        f: Their constraint forces, shape (bodies, width of the segment).
        iterations: Steps of the iteration, the same at all processes.
        residual: That of the whole machine, the same at all processes.
    """

    a: Array
    f: Array
    iterations: int
    residual: float


@final
class SegmentDynamics:
    """Forward dynamics of one segment."""

    def __init__(
        self, chain: ChainModel, segment: Segment, iteration: ThreeTerm, stopping: Stopping
    ):
        """Take the part of the machine's equations that the segment needs."""
        self.segment, self.iteration, self.stopping = segment, iteration, stopping
        self.equations: ConstraintEquations = chain.equations.part(segment.reach)
        self.most = stopping.most or iteration.most_steps(chain.jointed.structure)
        self.prepared: float | None = None  # what factors know of A, found at the first state
        self.root = still_root(chain.mechanism)
        self._nq, self._nv = np.diff(chain.q_begins), np.diff(chain.v_begins)
        parent, reach = chain.jointed.structure.parent, segment.reach
        # what the parts of other processes stand on: the body before the one that carries them
        self._stands_on = -1 if segment.inboard is None else _base(parent, segment.joints)
        self._carried = {
            other.rank: int(np.searchsorted(reach, base))
            for other in segment.neighbours
            if other.rank in segment.outboard
            and (base := _base(parent, other.theirs, segment.joints)) >= 0
        }

    def evaluated(
        self,
        q: Array,
        v: Array,
        tau: Array,
        start: Array | None = None,
        external: Array | None = None,
    ) -> Generator[Message, Any, SegmentAccelerations]:
        """Evaluate accelerations at a state.

        Args:
            q: Positions of the segment's joints.
            v: Their velocities.
            tau: Their forces.
            start: Where the iteration begins, shape (bodies, width), at all processes or at none.
            external: Wrenches on the nodes of all joints within reach, shape (nodes, 6).

        Raises:
            DidNotConverge: The iteration did not; at all processes.
            InvalidInput: A number is not finite.
        """
        q, v, tau = yield from self._with_neighbours(q, v, tau)
        root = yield from self._root(q, v)
        wrenches = None if external is None else external[None]
        posed = self.equations.pose(q, v, tau, root, wrenches)
        rows = SegmentRows.of(self.segment, posed.system)
        if self.prepared is None:
            self.prepared = yield from prepared(rows, self.iteration)
        found = yield from iterated(
            rows, self.iteration, self.stopping, self.most, self.prepared, start
        )
        a = self.equations.accelerations(posed, rows.within_reach(found.f, found.beside)[None])
        mine = np.isin(self.segment.reach, self.segment.joints)
        own = np.repeat(mine, self._nv[self.segment.reach])
        return SegmentAccelerations(a[0, own], found.f, found.iterations, found.residual)

    def warm_up(self, neutral: Array) -> None:
        """Compile all machine code that is made when first used, before others wait for it.

        Args:
            neutral: Positions of all joints within reach.
        """
        still = np.zeros((1, int(self._nv[self.segment.reach].sum())))
        posed = self.equations.pose(neutral[None], still, still, self.root)
        rows = SegmentRows.of(self.segment, posed.system)
        self.equations.accelerations(posed, np.zeros_like(posed.system.b))
        rows.product(rows.b, np.zeros(posed.system.b.shape[1:]))
        blocks.apply_kernel(rows.width, 1)(rows.inverse_D, rows.b)
        blocks.three_term_kernel(rows.width, 1)

    def _with_neighbours(
        self, q: Array, v: Array, tau: Array
    ) -> Generator[Message, Any, tuple[Array, Array, Array]]:
        """Return positions, velocities and forces of all joints within reach, shapes (1, ...)."""
        joints, nq, nv = self.segment.joints, self._nq, self._nv
        parts = [
            np.split(x, np.cumsum(count[joints])[:-1]) for x, count in ((q, nq), (v, nv), (tau, nv))
        ]
        known = {int(j): list(own) for j, *own in zip(joints, *parts, strict=True)}
        arrived = yield from self.segment.exchanged(
            lambda joint: np.concatenate(known[joint]),
            lambda joint: int(nq[joint] + 2 * nv[joint]),
        )
        for joint, x in arrived.items():
            known[joint] = np.split(x, [nq[joint], nq[joint] + nv[joint]])
        rows = [known[joint] for joint in self.segment.reach.tolist()]
        whole = [np.concatenate(x)[None] for x in zip(*rows, strict=True)]
        return whole[0], whole[1], whole[2]

    def _root(self, q: Array, v: Array) -> Generator[Message, Any, Array]:
        """Return how the body moves that the part within reach stands on, shape (1, 9)."""
        segment, carried = self.segment, list(self._carried.values())
        if carried:
            shift = self.equations.turning(q, v, np.zeros((1, _ANGULAR)))[0, carried]
            columns = [self.equations.turning(q, v, x[None])[0, carried] for x in np.eye(_ANGULAR)]
            turn = np.stack(columns, axis=-1) - shift[..., None]
        root = self.root
        if segment.inboard is not None and self._stands_on >= 0:
            arrived = yield from segment.passed({}, {segment.inboard: _ANGULAR})
            root = np.concatenate([arrived[segment.inboard], np.zeros(6)])[None]
        if carried:
            w = turn @ root[0, :_ANGULAR] + shift
            yield from segment.passed(dict(zip(self._carried, w, strict=True)), {})
        return root


def _base(parent: Integers, joints: Joints, on: Joints | None = None) -> int:
    """The joint of the body that carries the inboard joint of some joints, -1 for the root.

    Args:
        parent: Inboard joint of each joint.
        joints: Those of a segment that hangs on another, or some of them with its first.
        on: Joints of the other; not in ``joints`` if not given.
    """
    inboard = parent[joints]
    there = ~np.isin(inboard, joints) if on is None else np.isin(inboard, on)
    return int(parent[inboard[there][0]])
