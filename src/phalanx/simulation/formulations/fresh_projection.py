"""Null-space projection: states (q, v), with a fresh basis at every evaluation.

With a fresh basis there is nothing behind velocities along it that could be integrated, since the
basis turns: velocities of the joints are integrated, and projected at every evaluation.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from phalanx.equations.loops.numbers.bases import Basis, FreshBasis, jump
from phalanx.mechanism import Mechanism
from phalanx.simulation.formulations.formulation import Array, Control, Notes
from phalanx.simulation.formulations.projected import DrivenJoint, Projected

JUMP = 0.5  # of a unit vector between two steps; a smooth basis turns by the posture's change


class FreshProjection(Projected):
    """Integrates (q, v) with a basis that is decomposed at every evaluation.

    Attributes:
        as_printed: Whether velocities along the basis are integrated instead, as if it stood
            still. It does not, and jumps where it turns by itself; those are noted.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        basis: FreshBasis,
        *,
        decay: float = 0.0,
        driven: Sequence[DrivenJoint] = (),
        as_printed: bool = False,
    ) -> None:
        """Compile the terms of a machine.

        Args:
            mechanism: The machine.
            basis: How A is decomposed.
            decay: Rate at which open loops close [1/s].
            driven: Joints whose motion is given.
            as_printed: Whether velocities along the basis are integrated, as Yun and Sarkar do.
        """
        super().__init__(mechanism, decay, driven)
        self.basis, self.as_printed = basis, as_printed
        self._before: Basis | None = None

    def begin(self, q: Array, v: Array) -> Array:
        self._before = self.basis.of(self.derivative(q))
        return np.concatenate([q, self._before.S.T @ v if self.as_printed else v])

    def state(self, t: float, x: Array) -> tuple[Array, Array]:
        q = x[: self.mechanism.nq]
        demands = self.demands(t, q)
        basis = self.basis.of(demands.A)
        return q, self.velocity(demands, self._along(x, basis), basis)

    def rate(self, t: float, x: Array, control: Control) -> Array:
        q = x[: self.mechanism.nq]
        basis = self.basis.of(self.derivative(q))
        found = self.evaluate(t, q, self._along(x, basis), basis, control)
        if self.as_printed:
            return np.concatenate([found.dq, found.along])
        return np.concatenate([found.dq, basis.S @ found.along + found.across])

    def after_step(self, t: float, x: Array, notes: Notes) -> Array | None:
        """Note a basis that has turned by more than the posture has changed."""
        basis = self.basis.of(self.derivative(x[: self.mechanism.nq]))
        if self._before is not None and jump(self._before, basis) > JUMP:
            notes.jumps.append(t)
        self._before = basis
        return None

    def _along(self, x: Array, basis: Basis) -> Array:
        rest = x[self.mechanism.nq :]
        return rest if self.as_printed else basis.S.T @ rest
