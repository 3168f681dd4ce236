"""Embedding: states of all positions and of velocities along a held null-space basis.

The state is (q, z), z = Nᵀ v, 2n - m numbers; when N comes near to failing, another is chosen and
the integrator begins anew.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from phalanx.base.errors import InvalidInput
from phalanx.equations.loops.numbers.bases import Gaussian, HeldBasis, condition, held, selector
from phalanx.mechanism import Mechanism
from phalanx.simulation.formulations.formulation import Array, Control, Notes, Restart
from phalanx.simulation.formulations.projected import DrivenJoint, Projected

WORST_CONDITION = 100.0
SINGULAR = 1e10  # rounding errors of the state then decide where it goes


class Embedding(Projected):
    """Integrates (q, Nᵀ v) with a held basis; changes N and begins anew before it fails."""

    def __init__(
        self,
        mechanism: Mechanism,
        basis: HeldBasis | None = None,
        *,
        decay: float = 0.0,
        driven: Sequence[DrivenJoint] = (),
        worst_condition: float = WORST_CONDITION,
    ) -> None:
        """Compile the terms of a machine.

        Args:
            mechanism: The machine.
            basis: How N is chosen; by elimination with total pivoting when not given.
            decay: Rate at which open loops close [1/s].
            driven: Joints whose motion is given; what drives them is found, not asked for.
            worst_condition: Condition number of [A; Nᵀ] at which another N is chosen.
        """
        super().__init__(mechanism, decay, driven)
        self.basis = Gaussian() if basis is None else basis
        self.worst_condition = worst_condition
        self.N = np.zeros((mechanism.nv, 0))

    def begin(self, q: Array, v: Array) -> Array:
        given = self.basis.independent if isinstance(self.basis, Gaussian) else None
        A = self.derivative(q)
        self.N = self.basis.select(A) if given is None else selector(A.shape[1], given)
        found = condition(A, self.N)
        if not found < SINGULAR:
            what = "its loops are" if given is None else "the partition by independent joints is"
            raise InvalidInput(
                f"'{self.mechanism.name}' cannot start here: {what} singular at the first "
                f"posture (condition {found:.2g}). Start a little further on, or choose others."
            )
        return np.concatenate([q, self.N.T @ v])

    def state(self, t: float, x: Array) -> tuple[Array, Array]:
        q, z = self._parts(x)
        demands = self.demands(t, q)
        return q, self.velocity(demands, z, held(demands.A, self.N))

    def rate(self, t: float, x: Array, control: Control) -> Array:
        q, z = self._parts(x)
        found = self.evaluate(t, q, z, held(self.derivative(q), self.N), control)
        return np.concatenate([found.dq, found.along])

    def after_step(self, t: float, x: Array, notes: Notes) -> Array | None:
        """Choose another N where the present one comes near to failing."""
        q, _ = self._parts(x)
        A = self.derivative(q)
        now = condition(A, self.N)
        if now <= self.worst_condition:
            return None
        better = self.basis.select(A)
        if condition(A, better) >= now:
            return None
        _, v = self.state(t, x)
        notes.restarts.append(Restart(t, now))
        self.N = better
        return np.concatenate([q, better.T @ v])

    def _parts(self, x: Array) -> tuple[Array, Array]:
        return x[: self.mechanism.nq], x[self.mechanism.nq :]
