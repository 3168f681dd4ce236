"""Three-term iterations, in which all joints take a step at the same time.

    f_next = rho (f + gamma z) + (1 - rho) f_before,   D z = b - A f

Jacobi, its Chebyshev acceleration (J-SI) and its conjugate-gradient acceleration (J-CG) differ in
the factors alone. A joint needs of others the z of its neighbours, and for J-CG two sums over all.

Reference:
    Sharf and D'Eleuterio (1993), eq. 15 and table 1.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from phalanx.dynamics.evaluators.constraint_forces import blocks
from phalanx.dynamics.evaluators.constraint_forces.solution import (
    ForceSolution,
    IterationProgress,
    LinearSolver,
    checked_start,
    may_diverge,
)
from phalanx.dynamics.evaluators.constraint_forces.stopping import Stopping
from phalanx.dynamics.evaluators.constraint_forces.structure import Structure
from phalanx.dynamics.evaluators.constraint_forces.system import ConstraintSystem, total
from phalanx.mechanism.pose import Array


@final
@dataclass(frozen=True, eq=False)
class Factors:
    """Factors of one step, each of shape (samples,)."""

    gamma: Array
    rho: Array


class ThreeTerm(LinearSolver):
    """An iteration of three terms.

    Attributes:
        uses_zAz: Whether its factors depend on (z, A z), a sum over all joints.
    """

    uses_zAz: ClassVar[bool] = False

    @abstractmethod
    def most_steps(self, structure: Structure) -> int:
        """Largest number of steps if none is given."""

    def prepare(self, system: ConstraintSystem) -> Array:
        """What the factors need to know of A, shape (samples,)."""
        return np.zeros(system.samples)

    @abstractmethod
    def factors(
        self, prepared: Array, before: Factors | None, zDz: Array, zDz_before: Array, zAz: Array
    ) -> Factors:
        """Of the next step.

        Args:
            prepared: What :meth:`prepare` gave.
            before: Factors of the step before; None in the first.
            zDz: (z, D z), shape (samples,).
            zDz_before: The same before the step before.
            zAz: (z, A z).
        """

    @may_diverge
    def solve(
        self,
        system: ConstraintSystem,
        start: Array | None = None,
        *,
        stopping: Stopping | None = None,
        fallback: LinearSolver | None = None,
    ) -> ForceSolution:
        stopping = stopping or Stopping()
        whole, width = system, system.structure.width
        apply = blocks.apply_kernel(width, system.threads)
        step = blocks.three_term_kernel(width, system.threads)
        f = checked_start(system, start)
        r = system.b - system.product(f) if f.any() else system.b.copy()
        z, zr = apply(system.inverse_D, r)
        zDz, scale = total(zr), np.sqrt(total(apply(system.inverse_D, system.b).zr))
        prepared, factors, zDz_before = self.prepare(system), None, zDz
        f_before, r_before = f, r

        progress = IterationProgress.of(self.name, whole, f)
        good = zDz == 0
        if stopping.change is None:
            good |= stopping.met(zDz, zDz, np.sqrt(zDz), scale)
        progress.at_start(good)
        for _ in range(stopping.most or self.most_steps(whole.structure)):
            kept = progress.narrowed()
            if progress.is_over:
                break
            if kept is not None:
                system = system.take(kept)
                f, f_before, r, r_before, z = (x[kept] for x in (f, f_before, r, r_before, z))
                zDz, zDz_before, scale = zDz[kept], zDz_before[kept], scale[kept]
                prepared = prepared[kept]
                if factors is not None:
                    factors = Factors(factors.gamma[kept], factors.rho[kept])
            Az = system.product(z)
            zAz = total(np.einsum("snw,snw->sn", z, Az))
            factors = self.factors(prepared, factors, zDz, zDz_before, zAz)
            f_next, r_next, z, zr, change, norm = blocks.over_joints(
                step,
                f,
                f_before,
                r,
                r_before,
                z,
                Az,
                system.inverse_D,
                factors.gamma[:, None],
                factors.rho[:, None],
            )
            f_before, f, r_before, r = f, f_next, r, r_next
            zDz_before, zDz = zDz, total(zr)
            changed, size = np.sqrt(total(change)), np.sqrt(total(norm))
            left = np.sqrt(np.maximum(zDz, 0.0))
            met = stopping.met(changed, size, left, scale) | (zDz == 0)
            progress.record(f, ratio(changed, size), ratio(left, scale), met)
        return progress.solution(f, fallback)


def ratio(x: Array, y: Array) -> Array:
    """X / y, and x where y is zero."""
    return np.asarray(x / np.where(y == 0, 1.0, y))
