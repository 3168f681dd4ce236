"""Time integration of one segment of a machine, together with the processes of the others.

States stay where they are. Where a row is recorded, positions and velocities travel from the tips
to the first process, from process to process, each adding its own.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, final

import numpy as np

from phalanx.base.errors import PhalanxError
from phalanx.distribute.processes.messages import Array, Message, ProcessProgram
from phalanx.distribute.programs.chains.evaluation import SegmentDynamics
from phalanx.distribute.programs.chains.loads import LoadsOverTime
from phalanx.distribute.programs.chains.segments import Segment
from phalanx.dynamics.evaluators.traversed.positions import Positions
from phalanx.dynamics.evaluators.warm_starts import SolutionHistory
from phalanx.simulation.integrators.tableaux import CLASSIC
from phalanx.simulation.setup.forces.joint_forces import Damping, Friction, JointSprings
from phalanx.simulation.traversed.joint_forces import JointForces

if TYPE_CHECKING:
    from phalanx.distribute.programs.chains.job import ChainJob

LARGEST = 1e100  # beyond this, squares and their sums are soon no longer finite

# what happens with the state of the chain: (step number, q, v, iterations, residual since last)
Observer = Callable[[int, Array, Array, int, float], None]


class Stepping(StrEnum):
    """How processes take a step."""

    RUNGE_KUTTA = "runge-kutta"  # of order 4: four evaluations
    SEMI_IMPLICIT = "semi-implicit"  # of order 1: velocities first, then positions; one evaluation


class LostBody(PhalanxError):
    """A run of a chain in which a body's numbers are no longer finite."""

    def __init__(self, body: str, t: float, step: float) -> None:
        """Say which one, and when."""
        super().__init__(
            f"body '{body}' left finite numbers before t = {t:.6g} s. Shorten the step ({step:g} "
            "s), or look at the forces on the chain."
        )


@final
@dataclass
class IterationCounts:
    """How many iterations a run took, the same at all processes.

    Attributes:
        evaluations: How many systems were solved.
        iterations: Steps of all of them together.
        residual: The largest.
    """

    evaluations: int = 0
    iterations: int = 0
    residual: float = 0.0


@final
class _JointForces:
    """Springs, damping and dry friction of the joints of a segment."""

    def __init__(self, job: ChainJob, segment: Segment) -> None:
        """Compile; rows hold all joints of the machine, of which a segment has its own."""
        chain, m = job.chain, job.mechanism
        self._q = chain.positions_of(segment.joints)
        self._v = chain.velocities_of(segment.joints)
        own = set(self._v.tolist())
        joints = [joint for joint in m.moving_joints if m.v_slices[joint.name].start in own]
        forces = JointForces(m, (Damping(), JointSprings(), Friction()), joints)
        self._rows = (m.neutral()[None].copy(), np.zeros((1, m.nv)), np.zeros((1, m.nv)))
        self._write = forces.bound(*self._rows)

    def __call__(self, q: Array, v: Array) -> Array:
        """Forces at positions and velocities of the segment."""
        positions, velocities, total = self._rows
        positions[0, self._q], velocities[0, self._v] = q, v
        if self._write is not None:
            self._write()
        return total[0, self._v]


@final
class SegmentRun:
    """The run of one process; its machine code is made now, not when it runs."""

    def __init__(self, job: ChainJob, segments: tuple[Segment, ...], rank: int) -> None:
        """Take the part of the machine that is this process's."""
        self.job, self.segments, self.segment = job, segments, segments[rank]
        chain, segment = job.chain, self.segment
        iteration, stopping = job.solving.three_term, job.solving.stopping
        self.dynamics = SegmentDynamics(chain, segment, iteration, stopping)
        self.q, self.v, _ = chain.cut(segment, *job.state)
        self.loads = LoadsOverTime(chain, segment, *job.loads)
        self.positions = Positions(chain.equations.part(segment.joints).jointed.bodies)
        self.own_forces = _JointForces(job, segment)
        self.history = SolutionHistory(job.start)
        self.counts, self._since_row = IterationCounts(), IterationCounts()
        self._collected = {
            one.rank: _collected_by(segments, one.rank) for one in segments if one.collector == rank
        }
        self.dynamics.warm_up(job.mechanism.neutral()[chain.positions_of(segment.reach)])

    def program(self, observe: Observer | None = None) -> ProcessProgram:
        """Take all steps; return the counts as plain data. The first process observes them."""
        job = self.job
        for k in range(job.steps + 1):
            if k % job.every == 0:
                self._check(k * job.step, self.q, self.v)
                yield from self._pass_row(k, observe)
            if k == job.steps:
                break
            if job.stepping == Stepping.RUNGE_KUTTA:
                yield from self._runge_kutta(k * job.step)
            else:
                yield from self._semi_implicit(k * job.step)
        counts = self.counts
        return [counts.evaluations, counts.iterations, counts.residual]

    def _runge_kutta(self, t: float) -> Generator[Message, Any, None]:
        h, n = self.job.step, len(self.q)
        x = np.concatenate([self.q, self.v])
        slopes: list[Array] = []
        for c, ahead in CLASSIC.stages:
            here = ahead(x, h, *slopes)
            q, v = here[:n], here[n:]
            a = yield from self._accelerations(t + c * h, q, v)
            slopes.append(np.concatenate([self.positions.rate(q[None], v[None])[0], a]))
        x = CLASSIC.end(x, h, *slopes)
        self.q, self.v = self.positions.make_unit(x[None, :n].copy())[0], x[n:].copy()

    def _semi_implicit(self, t: float) -> Generator[Message, Any, None]:
        h = self.job.step
        a = yield from self._accelerations(t, self.q, self.v)
        self.v = self.v + h * a
        after = self.positions.after(self.q[None], h * self.v[None])
        self.q = self.positions.make_unit(after)[0]

    def _accelerations(self, t: float, q: Array, v: Array) -> Generator[Message, Any, Array]:
        tau = self.loads.forces(t) + self.own_forces(q, v)
        self._check(t, q, v)
        self._check(t, q, tau)
        found = yield from self.dynamics.evaluated(
            q, v, tau, self.history.guess(t), self.loads.external(t)
        )
        self.history.keep(t, found.f)
        self.counts.evaluations += 1
        self.counts.iterations += found.iterations
        self.counts.residual = max(self.counts.residual, found.residual)
        self._since_row.iterations += found.iterations
        self._since_row.residual = max(self._since_row.residual, found.residual)
        return found.a

    def _pass_row(self, k: int, observe: Observer | None) -> Generator[Message, Any, None]:
        chain = self.job.chain
        expects = {
            rank: sum(
                len(chain.positions_of(one.joints)) + len(chain.velocities_of(one.joints))
                for one in passed
            )
            for rank, passed in self._collected.items()
        }
        arrived = yield from self.segment.passed({}, expects)
        row = np.concatenate([self.q, self.v, *(arrived[rank] for rank in expects)])
        if self.segment.collector is not None:
            yield from self.segment.passed({self.segment.collector: row}, {})
        if observe is not None:
            observe(k, *self._sorted(row), self._since_row.iterations, self._since_row.residual)
        self._since_row = IterationCounts()

    def _sorted(self, row: Array) -> tuple[Array, Array]:
        """Return positions and velocities of the machine, out of those segment by segment."""
        chain, m, at = self.job.chain, self.job.mechanism, 0
        q, v = np.empty(m.nq), np.empty(m.nv)
        for one in _collected_by(self.segments, self.segment.rank):
            for whole, own in (
                (q, chain.positions_of(one.joints)),
                (v, chain.velocities_of(one.joints)),
            ):
                whole[own] = row[at : at + len(own)]
                at += len(own)
        return q, v

    def _check(self, t: float, q: Array, of_freedoms: Array) -> None:
        """Raise LostBody for the first body whose numbers are not finite, or soon will not be."""
        chain, joints = self.job.chain, self.segment.joints
        for numbers, of_segment, body_of in (
            (of_freedoms, chain.velocities_of(joints), chain.body_of_freedom),
            (q, chain.positions_of(joints), chain.body_of_position),
        ):
            wrong = np.flatnonzero(~(np.abs(numbers) < LARGEST))
            if len(wrong):
                body = body_of(int(of_segment[wrong[0]]))
                raise LostBody(body, t, self.job.step)


def _collected_by(segments: Sequence[Segment], rank: int) -> list[Segment]:
    """The segment of a process, and those whose rows pass through it, as they stand in a row."""
    found = [segments[rank]]
    for one in segments:
        if one.collector == rank:
            found += _collected_by(segments, one.rank)
    return found
