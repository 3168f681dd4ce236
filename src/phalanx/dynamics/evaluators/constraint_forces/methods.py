"""Constraint-force methods of forward dynamics, as values to choose."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, final

import numpy as np

from phalanx.base.arguments import check_fields
from phalanx.dynamics.evaluators.bodies import Bodies, checked_chain
from phalanx.dynamics.evaluators.constraint_forces.conjugate_gradient import ConjugateGradientJacobi
from phalanx.dynamics.evaluators.constraint_forces.cyclic_reduction import CyclicElimination
from phalanx.dynamics.evaluators.constraint_forces.direct import BlockElimination
from phalanx.dynamics.evaluators.constraint_forces.equations import ConstraintEquations, Posed
from phalanx.dynamics.evaluators.constraint_forces.jointed import jointed_bodies
from phalanx.dynamics.evaluators.constraint_forces.loads import JointLoads, loads_of
from phalanx.dynamics.evaluators.constraint_forces.solution import ForceSolution, LinearSolver
from phalanx.dynamics.evaluators.constraint_forces.stopping import Stopping
from phalanx.dynamics.evaluators.method import Method, Solver
from phalanx.mechanism.pose import Array

# bodies times samples that are worked on at a time: some 300 numbers each
LARGEST_BATCH = 100_000


@final
@dataclass(frozen=True)
class BlockTridiagonal(Method):
    """Constraint forces by block elimination of A, for chains and trees; exact but for rounding."""

    name: ClassVar[str] = "block tridiagonal"

    def solver(self, bodies: Bodies, threads: int) -> ConstraintForceSolver:
        return ConstraintForceSolver(bodies, threads, BlockElimination(), Stopping(), None)


@final
@dataclass(frozen=True)
class CyclicReduction(Method):
    """Constraint forces by cyclic reduction of A, for chains: every second joint at a time."""

    name: ClassVar[str] = "cyclic reduction"

    def solver(self, bodies: Bodies, threads: int) -> ConstraintForceSolver:
        checked_chain(bodies, "cyclic reduction")
        return ConstraintForceSolver(bodies, threads, CyclicElimination(), Stopping(), None)


@final
@dataclass(frozen=True)
class ConstraintIteration(Method):
    """Constraint forces by iteration.

    Attributes:
        iteration: Which one.
        stopping: When it may stop, and after how many steps it gives up.
        fallback: What solves where it does not converge; an error if not given.
    """

    name: ClassVar[str] = "constraint iteration"

    iteration: LinearSolver = field(default_factory=ConjugateGradientJacobi)
    stopping: Stopping = field(default_factory=lambda: Stopping(change=1e-10, residual=1e-10))
    fallback: LinearSolver | None = None

    def __post_init__(self) -> None:
        check_fields(self)

    def solver(self, bodies: Bodies, threads: int) -> ConstraintForceSolver:
        return ConstraintForceSolver(bodies, threads, self.iteration, self.stopping, self.fallback)


@final
class ConstraintForceSolver(Solver):
    """Accelerations by constraint forces.

    Attributes:
        equations: Machine code of the machine.
        linear: What solves A f = b.
        depth: Body steps that follow each other; of an iteration, those of one step and of the
            velocities.
    """

    def __init__(
        self,
        bodies: Bodies,
        threads: int,
        linear: LinearSolver,
        stopping: Stopping,
        fallback: LinearSolver | None,
    ) -> None:
        """Compile what the machine needs."""
        self.equations = ConstraintEquations(jointed_bodies(bodies), threads)
        self.linear, self.stopping, self.fallback = linear, stopping, fallback
        structure = self.equations.jointed.structure
        self.depth = int(structure.depths.max()) + 1 + linear.depth(structure)

    def solve(
        self, q: Array, v: Array, tau: Array, root: Array, external: Array | None = None
    ) -> tuple[Posed, ForceSolution]:
        """The machine in states, and its constraint forces; arguments as for accelerations."""
        posed = self.equations.pose(q, v, tau, root, external)
        return posed, self.linear.solve(
            posed.system, stopping=self.stopping, fallback=self.fallback
        )

    def joint_loads(
        self, q: Array, v: Array, tau: Array, root: Array, external: Array | None = None
    ) -> JointLoads:
        """Forces and moments in all joints; arguments as for accelerations."""
        posed, found = self.solve(q, v, tau, root, external)
        return loads_of(self.equations, posed, found.f)

    def accelerations(
        self, q: Array, v: Array, tau: Array, root: Array, external: Array | None = None
    ) -> Array:
        a = np.empty(v.shape)
        together = max(1, LARGEST_BATCH // len(self.equations.jointed))
        for first in range(0, len(q), together):
            some = slice(first, first + together)
            wrenches = None if external is None else external[some]
            posed, found = self.solve(q[some], v[some], tau[some], root[some], wrenches)
            a[some] = self.equations.accelerations(posed, found.f)
        return a
