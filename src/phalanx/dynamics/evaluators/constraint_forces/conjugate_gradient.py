"""Conjugate-gradient acceleration of the Jacobi iteration (J-CG), as a three-term recurrence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from phalanx.dynamics.evaluators.constraint_forces.structure import Structure
from phalanx.dynamics.evaluators.constraint_forces.three_term import Factors, ThreeTerm
from phalanx.mechanism.pose import Array


@final
@dataclass(frozen=True)
class ConjugateGradientJacobi(ThreeTerm):
    """gamma = (z, D z) / (z, A z); rho so that the next z is square to those before.

    Without rounding it ends after as many steps as there are forces. The source prints (z, z)
    for the denominator of gamma, with which it does not converge.
    """

    name: ClassVar[str] = "ConjugateGradientJacobi"
    uses_zAz: ClassVar[bool] = True

    def most_steps(self, structure: Structure) -> int:
        """Largest number of steps if none is given."""
        return max(2 * structure.dimension, 50)

    def factors(
        self, prepared: Array, before: Factors | None, zDz: Array, zDz_before: Array, zAz: Array
    ) -> Factors:
        """Of the next step; zero steps where z is zero."""
        gamma = np.divide(zDz, zAz, out=np.zeros_like(zDz), where=zAz > 0)
        if before is None:
            return Factors(gamma, np.ones_like(gamma))
        below = before.gamma * zDz_before * before.rho
        part = np.divide(gamma * zDz, below, out=np.zeros_like(gamma), where=below != 0)
        room = 1 - part
        return Factors(gamma, np.divide(1.0, room, out=np.ones_like(room), where=room != 0))
