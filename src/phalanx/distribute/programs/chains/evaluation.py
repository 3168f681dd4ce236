"""Forward dynamics of a chain at a state, each process for the bodies of its segment.

Messages beside those of the iteration: positions, velocities and joint forces of the joints next to
a neighbour, so that a process has all that its own rows depend on; and from the root outward, rank
after rank, the angular velocity of the second last body, 3 numbers. A process adds its own joints
to that by a rotation and a shift that it has computed before. Linear velocities need not travel:
forces are the same in every frame that moves uniformly. Nor does gravity: all accelerations are
less free fall, which enters at the root.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from phalanx.distribute.processes.messages import Array, Message, NeighbourExchange
from phalanx.distribute.programs.chains.chain import ChainModel
from phalanx.distribute.programs.chains.iteration import iterated
from phalanx.distribute.programs.chains.rows import NeighbourValues, SegmentRows
from phalanx.distribute.programs.chains.segments import ChainSegment
from phalanx.distribute.programs.chains.spectrum import prepared
from phalanx.dynamics.evaluators.constraint_forces import blocks
from phalanx.dynamics.evaluators.constraint_forces.equations import ConstraintEquations
from phalanx.dynamics.evaluators.constraint_forces.stopping import Stopping
from phalanx.dynamics.evaluators.constraint_forces.three_term import ThreeTerm
from phalanx.dynamics.evaluators.method import still_root


@final
@dataclass(frozen=True, eq=False)
class SegmentAccelerations:
    """Accelerations and constraint forces of a segment.

    Attributes:
        a: Accelerations of its joints, shape (nv of the segment,).
        f: Their constraint forces, shape (bodies, width).
        iterations: Steps of the iteration, the same at all processes.
        residual: That of the whole chain, the same at all processes.
    """

    a: Array
    f: Array
    iterations: int
    residual: float


@final
class SegmentDynamics:
    """Forward dynamics of one segment."""

    def __init__(
        self, chain: ChainModel, segment: ChainSegment, iteration: ThreeTerm, stopping: Stopping
    ):
        """Take the part of the chain's equations that the segment needs."""
        self.segment, self.iteration, self.stopping = segment, iteration, stopping
        self.equations: ConstraintEquations = chain.equations.part(*segment.reach)
        self.most = stopping.most or iteration.most_steps(chain.jointed.structure)
        self.prepared: float | None = None  # what factors know of A, found at the first state
        self.root = still_root(chain.mechanism)
        first, stop = segment.reach
        self.q_begins = chain.q_begins[first : stop + 1] - chain.q_begins[first]
        self.v_begins = chain.v_begins[first : stop + 1] - chain.v_begins[first]

    def evaluated(
        self, q: Array, v: Array, tau: Array, start: Array | None = None
    ) -> Generator[Message, Any, SegmentAccelerations]:
        """Evaluate accelerations at a state.

        Args:
            q: Positions of the segment's joints.
            v: Their velocities.
            tau: Their forces.
            start: Where the iteration begins, shape (bodies, width), at all processes or at none.

        Raises:
            DidNotConverge: The iteration did not; at all processes.
            InvalidInput: A number is not finite.
        """
        q, v, tau = yield from self._with_neighbours(q, v, tau)
        root = yield from self._root(q, v)
        posed = self.equations.pose(q, v, tau, root)
        rows = SegmentRows.of(self.segment, posed.system)
        if self.prepared is None:
            self.prepared = yield from prepared(rows, self.iteration)
        found = yield from iterated(
            rows, self.iteration, self.stopping, self.most, self.prepared, start
        )
        beside = found.beside
        parts = [found.f]
        if self.segment.before:
            parts.insert(0, beside.before[None])
        if self.segment.after:
            parts.append(beside.after[None])
        a = self.equations.accelerations(posed, np.concatenate(parts)[None])
        own = self.segment.own
        return SegmentAccelerations(
            a[0, self.v_begins[own.start] : self.v_begins[own.stop]],
            found.f,
            found.iterations,
            found.residual,
        )

    def warm_up(self, neutral: Array) -> None:
        """Compile all machine code that is made when first used, before others wait for it.

        Args:
            neutral: Positions of all joints within reach.
        """
        still = np.zeros((1, int(self.v_begins[-1])))
        posed = self.equations.pose(neutral[None], still, still, self.root)
        rows = SegmentRows.of(self.segment, posed.system)
        none = np.zeros(rows.width)
        self.equations.accelerations(posed, np.zeros_like(posed.system.b))
        rows.product(rows.b, NeighbourValues(none, none))
        blocks.apply_kernel(rows.width, 1)(rows.inverse_D, rows.b)
        blocks.three_term_kernel(rows.width, 1)

    def _with_neighbours(
        self, q: Array, v: Array, tau: Array
    ) -> Generator[Message, Any, tuple[Array, Array, Array]]:
        """Return positions, velocities and forces of all joints within reach, shapes (1, ...)."""
        segment, own = self.segment, self.segment.own
        nq, nv = np.diff(self.q_begins), np.diff(self.v_begins)
        first, last = own.start, own.stop - 1
        own_ends = (
            np.concatenate([q[: nq[first]], v[: nv[first]], tau[: nv[first]]]),
            np.concatenate(
                [q[len(q) - nq[last] :], v[len(v) - nv[last] :], tau[len(v) - nv[last] :]]
            ),
        )
        expects = (
            segment.before * int(nq[0] + 2 * nv[0]),
            segment.after * int(nq[-1] + 2 * nv[-1]),
        )
        before, after = yield NeighbourExchange(*own_ends, expects)
        parts = []
        if segment.before:
            parts.append(np.split(before, [nq[0], nq[0] + nv[0]]))
        parts.append([q, v, tau])
        if segment.after:
            parts.append(np.split(after, [nq[-1], nq[-1] + nv[-1]]))
        return tuple(np.concatenate(x)[None] for x in zip(*parts, strict=True))  # type: ignore[return-value]

    def _root(self, q: Array, v: Array) -> Generator[Message, Any, Array]:
        """Return how the body moves that the part within reach stands on, shape (1, 9)."""
        segment = self.segment
        turn, shift = np.eye(3), np.zeros(3)
        last = segment.stop - 2 - segment.reach[0]  # what the part of the next rank stands on
        if segment.after and last >= 0:
            shift = self.equations.turning(q, v, np.zeros((1, 3)))[0, last]
            columns = [self.equations.turning(q, v, x[None])[0, last] for x in np.eye(3)]
            turn = np.array(columns).T - shift[:, None]
        root = self.root
        if segment.before:
            arrived, _ = yield NeighbourExchange(expects=(3, 0))
            root = np.concatenate([arrived, np.zeros(6)])[None]
        if segment.after:
            yield NeighbourExchange(after=turn @ root[0, :3] + shift)
        return root
