"""What a node does, step after step: its own bodies' positions and velocities move with time.

States stay where they are. Where a row is recorded, positions and velocities travel from the tip to
the first node, from neighbour to neighbour, each adding its own.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from phalanx.base.errors import PhalanxError
from phalanx.distribute.processes.messages import Array, Message, Pass, Program
from phalanx.distribute.programs.chains.evaluation import SegmentDynamics
from phalanx.distribute.programs.chains.plan import ChainPlan, Stepping
from phalanx.distribute.programs.chains.segments import Segment
from phalanx.dynamics.evaluators.traversed.positions import Positions
from phalanx.dynamics.evaluators.warm_starts import SolutionHistory
from phalanx.simulation.integrators.tableaux import CLASSIC
from phalanx.simulation.setup.forces.joint_forces import Damping, Friction, JointSprings
from phalanx.simulation.traversed.joint_forces import JointForces

LARGEST = 1e100  # beyond this, squares and their sums are soon no longer finite

# what happens with the state of the chain: (step number, q, v, iterations, residual since last)
Observer = Callable[[int, Array, Array, int, float], None]


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
class Effort:
    """What the iterations of a run took, the same at all nodes.

    Attributes:
        evaluations: How many systems were solved.
        iterations: Steps of all of them together.
        residual: The largest.
    """

    evaluations: int = 0
    iterations: int = 0
    residual: float = 0.0


@final
class _OwnForces:
    """Springs, damping and dry friction of the joints of a segment."""

    def __init__(self, plan: ChainPlan, segment: Segment) -> None:
        """Compile; rows hold all joints of the chain, of which a segment has its own."""
        chain, m = plan.chain, plan.mechanism
        self._q, self._v = (
            slice(begins[segment.first], begins[segment.stop])
            for begins in (chain.q_begins, chain.v_begins)
        )
        joints = [
            joint
            for joint in m.moving_joints
            if self._v.start <= m.v_slices[joint.name].start < self._v.stop
        ]
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
    """The run of one node; its machine code is made now, not when it runs."""

    def __init__(self, plan: ChainPlan, node: int) -> None:
        """Take the part of the chain that is this node's."""
        self.plan, self.segment = plan, plan.segments[node]
        chain, segment = plan.chain, self.segment
        iteration, stopping = plan.solving.three_term, plan.solving.stopping
        self.dynamics = SegmentDynamics(chain, segment, iteration, stopping)
        self.q, self.v, self.tau = chain.cut(segment, *plan.state)
        self.positions = Positions(chain.equations.part(segment.first, segment.stop).jointed.bodies)
        self.own_forces = _OwnForces(plan, segment)
        self.history = SolutionHistory(plan.start)
        self.effort, self._seen = Effort(), Effort()
        # numbers of this segment and of all beyond it, which pass through this node
        q_left = len(plan.state[0]) - chain.q_begins[segment.stop]
        v_left = len(plan.state[1]) - chain.v_begins[segment.stop]
        self.beyond = int(q_left + v_left)
        first, stop = (chain.q_begins[k] for k in segment.reach)
        self.dynamics.warm_up(plan.mechanism.neutral()[first:stop])

    def program(self, observe: Observer | None = None) -> Program:
        """All steps; returns the effort as plain data. The first node shows the chain's state."""
        plan = self.plan
        for k in range(plan.steps + 1):
            if k % plan.every == 0:
                self._check(k * plan.step, self.q, self.v)
                yield from self._show(k, observe)
            if k == plan.steps:
                break
            if plan.stepping is Stepping.RUNGE_KUTTA:
                yield from self._runge_kutta(k * plan.step)
            else:
                yield from self._semi_implicit(k * plan.step)
        effort = self.effort
        return [effort.evaluations, effort.iterations, effort.residual]

    def _runge_kutta(self, t: float) -> Generator[Message, Any, None]:
        h, n = self.plan.step, len(self.q)
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
        h = self.plan.step
        a = yield from self._accelerations(t, self.q, self.v)
        self.v = self.v + h * a
        after = self.positions.after(self.q[None], h * self.v[None])
        self.q = self.positions.make_unit(after)[0]

    def _accelerations(self, t: float, q: Array, v: Array) -> Generator[Message, Any, Array]:
        tau = self.tau + self.own_forces(q, v)
        self._check(t, q, v)
        self._check(t, q, tau)
        found = yield from self.dynamics.evaluated(q, v, tau, self.history.guess(t))
        self.history.keep(t, found.f)
        self.effort.evaluations += 1
        self.effort.iterations += found.iterations
        self.effort.residual = max(self.effort.residual, found.residual)
        self._seen.iterations += found.iterations
        self._seen.residual = max(self._seen.residual, found.residual)
        return found.a

    def _show(self, k: int, observe: Observer | None) -> Generator[Message, Any, None]:
        own = np.concatenate([self.q, self.v])
        outer: Array = np.empty(0)
        if self.segment.after:
            _, outer = yield Pass(expects=(0, self.beyond))
        row = np.concatenate([own, outer])
        if self.segment.before:
            yield Pass(before=row)
        if observe is not None:
            observe(k, *self._sorted(row), self._seen.iterations, self._seen.residual)
        self._seen = Effort()

    def _sorted(self, row: Array) -> tuple[Array, Array]:
        """Positions and velocities of all segments, out of those segment by segment."""
        chain, q, v, at = self.plan.chain, [], [], 0
        for one in self.plan.segments:
            nq = int(chain.q_begins[one.stop] - chain.q_begins[one.first])
            nv = int(chain.v_begins[one.stop] - chain.v_begins[one.first])
            q.append(row[at : at + nq])
            v.append(row[at + nq : at + nq + nv])
            at += nq + nv
        return np.concatenate(q), np.concatenate(v)

    def _check(self, t: float, q: Array, of_freedoms: Array) -> None:
        """Raise LostBody for the first body whose numbers are not finite, or soon will not be."""
        chain, segment = self.plan.chain, self.segment
        for numbers, begins, body_of in (
            (of_freedoms, chain.v_begins, chain.body_of_freedom),
            (q, chain.q_begins, chain.body_of_position),
        ):
            wrong = np.flatnonzero(~(np.abs(numbers) < LARGEST))
            if len(wrong):
                body = body_of(int(wrong[0] + begins[segment.first]))
                raise LostBody(body, t, self.plan.step)
