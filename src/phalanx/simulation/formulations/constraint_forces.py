"""Formulations by constraint forces: velocities of joints, or of all bodies (maximal coordinates).

`JointLayout` integrates positions and velocities of the joints: no more than needed.
`BodyLayout` integrates velocities of all bodies, as the source does: every body can be moved by a
processor of its own, but there are more numbers than freedoms, and bodies drift apart. How far is
watched, and can be held.

Iterations begin near the forces of the moments before, and stop at a tolerance that goes with the
integrator's: noise in accelerations that it can see makes it take short steps.

Reference:
    Sharf and D'Eleuterio (1993), sec. 5.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, field
from typing import final

import numpy as np

from phalanx.base.arguments import check_fields, checked
from phalanx.base.errors import InvalidInput
from phalanx.dynamics.evaluators.bodies import bodies_of
from phalanx.dynamics.evaluators.constraint_forces.body_velocities import (
    BodyVelocities,
    VelocityFit,
)
from phalanx.dynamics.evaluators.constraint_forces.conjugate_gradient import ConjugateGradientJacobi
from phalanx.dynamics.evaluators.constraint_forces.equations import ConstraintEquations
from phalanx.dynamics.evaluators.constraint_forces.jointed import jointed_bodies
from phalanx.dynamics.evaluators.constraint_forces.solution import LinearSolver
from phalanx.dynamics.evaluators.constraint_forces.stopping import Stopping
from phalanx.dynamics.evaluators.constraint_forces.system import ConstraintSystem
from phalanx.dynamics.evaluators.method import still_root
from phalanx.dynamics.evaluators.warm_starts import CUBIC, Polynomial, SolutionHistory
from phalanx.mechanism import Mechanism
from phalanx.simulation.formulations.formulation import Array, Control, Formulation, Notes
from phalanx.simulation.integrators.integrators import ErrorControlled

SHARE = 0.1  # of the integrator's tolerance


@checked
def tied_stopping(
    integrator: ErrorControlled, share: float = SHARE, *, by_residual: bool = True
) -> Stopping:
    """Stopping criterion whose errors an integrator does not see.

    Args:
        integrator: A method that chooses its own steps.
        share: Of its relative tolerance. Above 1, accelerations are noise to it: it takes short
            steps, and many more evaluations are spent than iterations saved.
        by_residual: Whether the residual has to be as small as the change of the last iteration.
            After a good guess the change is small before the forces are right.
    """
    if not 0 < share < math.inf:
        raise InvalidInput(f"share={share}; expected a positive part of the tolerance.")
    tolerance = share * integrator.relative
    return Stopping(change=tolerance, residual=tolerance if by_residual else None)


@final
@dataclass(frozen=True)
class ForcesOverTime:
    """Settings of the iterations for constraint forces over time.

    Attributes:
        solver: Of A f = b.
        stopping: When it may stop; `tied_stopping` ties it to an integrator.
        start: Where it begins; None for zero every time.
        fallback: What solves where it does not converge; an error if not given.
    """

    solver: LinearSolver = field(default_factory=ConjugateGradientJacobi)
    stopping: Stopping = field(default_factory=lambda: Stopping(1e-7, 1e-7))
    start: Polynomial | None = CUBIC
    fallback: LinearSolver | None = None

    def __post_init__(self) -> None:
        check_fields(self)


class _Layout(Formulation):
    """Common part of both layouts.

    Attributes:
        forces: How constraint forces are found.
        iterations: How many each evaluation of the present run took.
    """

    def __init__(
        self, mechanism: Mechanism, forces: ForcesOverTime | None = None, *, threads: int = 1
    ) -> None:
        """Compile the equations of a machine.

        Args:
            mechanism: A tree, all of whose bodies have mass.
            forces: How constraint forces are found.
            threads: How many threads may work on them.

        Raises:
            InvalidModel: It has loops, or a body that cannot be accelerated by itself.
        """
        self.mechanism, self.forces = mechanism, forces or ForcesOverTime()
        self.equations = ConstraintEquations(jointed_bodies(bodies_of(mechanism)), threads)
        self.bodies = BodyVelocities(self.equations)
        self.iterations: list[int] = []
        self._history = SolutionHistory(self.forces.start)
        self._root = still_root(mechanism)

    def begin(self, q: Array, v: Array) -> Array:
        """Return the numbers to integrate, and forget what an earlier run left."""
        self.iterations.clear()
        self._history.clear()
        return self._packed(q, v)

    def forget(self) -> None:
        """Begin without a guess: after a jump of the state or of what acts on the machine."""
        self._history.clear()

    @abstractmethod
    def _packed(self, q: Array, v: Array) -> Array: ...

    def _solved(self, t: float, system: ConstraintSystem) -> Array:
        found = self.forces.solver.solve(
            system,
            self._history.guess(t),
            stopping=self.forces.stopping,
            fallback=self.forces.fallback,
        )
        self._history.keep(t, found.f)
        self.iterations.append(int(found.iterations[0]))
        return found.f


@final
class JointLayout(_Layout):
    """Integrates positions and velocities of the joints."""

    def _packed(self, q: Array, v: Array) -> Array:
        return np.concatenate([q, v])

    def state(self, t: float, x: Array) -> tuple[Array, Array]:
        return x[: self.mechanism.nq], x[self.mechanism.nq :]

    def rate(self, t: float, x: Array, control: Control) -> Array:
        q, v = (part.reshape(1, -1) for part in self.state(t, x))
        tau = control(t, q[0], v[0]).reshape(1, -1)
        posed = self.equations.pose(q, v, tau, self._root)
        a = self.equations.accelerations(posed, self._solved(t, posed.system))
        return np.concatenate([self.bodies.position_rates(q, v)[0], a[0]])


@final
class BodyLayout(_Layout):
    """Integrates positions of the joints and velocities of the bodies.

    Attributes:
        drifts: Time [s] and length of velocities that joints do not allow [m/s and rad/s], after
            each step of the present run.
        projections: Times at which bodies were brought together again [s].
    """

    def __init__(
        self,
        mechanism: Mechanism,
        forces: ForcesOverTime | None = None,
        *,
        decay: float = 0.0,
        largest_drift: float = math.inf,
        threads: int = 1,
    ) -> None:
        """Compile the equations of a machine.

        Args:
            mechanism: A tree, all of whose bodies have mass.
            forces: How constraint forces are found.
            decay: Rate at which velocities that joints do not allow fade [1/s].
            largest_drift: Length of these at which bodies are brought together, and the
                integrator begins anew [m/s and rad/s].
            threads: How many threads may work on them.

        Raises:
            InvalidModel: It has loops, or a body that cannot be accelerated by itself.
            InvalidInput: A rate or a length is negative.
        """
        if not 0 <= decay < math.inf or not largest_drift > 0:
            raise InvalidInput(
                f"decay={decay} and largest_drift={largest_drift}; expected a rate of 0 or more "
                "and a positive length."
            )
        super().__init__(mechanism, forces, threads=threads)
        self.decay, self.largest_drift = decay, largest_drift
        self.drifts: list[tuple[float, float]] = []
        self.projections: list[float] = []

    def begin(self, q: Array, v: Array) -> Array:
        self.drifts.clear()
        self.projections.clear()
        return super().begin(q, v)

    def state(self, t: float, x: Array) -> tuple[Array, Array]:
        """Positions and velocities of the joints; the velocities are a least-squares fit."""
        q, _, fit = self._fitted(x)
        return q[0], fit.v[0]

    def rate(self, t: float, x: Array, control: Control) -> Array:
        q, V, fit = self._fitted(x)
        tau = control(t, q[0], fit.v[0]).reshape(1, -1)
        posed = self.bodies.pose(q, V, tau, self._root, fit, decay=self.decay)
        rates = self.bodies.rates(posed, self._solved(t, posed.system), fit)
        return np.concatenate([self.bodies.position_rates(q, fit.v)[0], rates.ravel()])

    def after_step(self, t: float, x: Array, notes: Notes) -> Array | None:
        """Measure how far bodies have drifted apart, and correct it if it is too far."""
        q, _, fit = self._fitted(x)
        drift = float(fit.drift[0])
        self.drifts.append((t, drift))
        if drift <= self.largest_drift:
            return None
        self.projections.append(t)
        self.forget()
        return self._packed(q[0], fit.v[0])

    def _packed(self, q: Array, v: Array) -> Array:
        V = self.equations.velocities(q[None], v[None], self._root)
        return np.concatenate([q, V.ravel()])

    def _fitted(self, x: Array) -> tuple[Array, Array, VelocityFit]:
        q, V = x[None, : self.mechanism.nq], x[self.mechanism.nq :].reshape(1, -1, 6)
        return q, V, self.bodies.fit(q, V, self._root)
