"""Chebyshev acceleration of the Jacobi iteration (J-SI, semi-iterative method)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from phalanx.base.arguments import check_fields
from phalanx.base.errors import InvalidInput
from phalanx.dynamics.evaluators.constraint_forces.jacobi import MOST_STATIONARY
from phalanx.dynamics.evaluators.constraint_forces.spectrum import spectral_radius
from phalanx.dynamics.evaluators.constraint_forces.structure import Structure
from phalanx.dynamics.evaluators.constraint_forces.system import ConstraintSystem
from phalanx.dynamics.evaluators.constraint_forces.three_term import Factors, ThreeTerm
from phalanx.mechanism.pose import Array


@final
@dataclass(frozen=True)
class ChebyshevJacobi(ThreeTerm):
    """rho = 1, 1 / (1 - mu²/2), then 1 / (1 - mu² rho / 4); no sum over all joints is needed.

    Attributes:
        mu: Spectral radius of Jacobi's iteration, below one; found for every A when not given,
            which costs more than a solution does.
    """

    name: ClassVar[str] = "ChebyshevJacobi"

    mu: float | None = None

    def __post_init__(self) -> None:
        """Refuse what is no rate."""
        check_fields(self)
        if self.mu is not None and not 0 <= self.mu < 1:
            raise InvalidInput(f"mu of ChebyshevJacobi is {self.mu}; expected from 0 to below 1.")

    def most_steps(self, structure: Structure) -> int:
        """Largest number of steps if none is given."""
        return MOST_STATIONARY

    def prepare(self, system: ConstraintSystem) -> Array:
        """The spectral radius."""
        if self.mu is not None:
            return np.full(system.samples, self.mu)
        mu = spectral_radius(system)
        if not (mu < 1).all():
            raise InvalidInput(
                f"Jacobi's iteration has the spectral radius {mu.max():.6g} on this machine; "
                "ChebyshevJacobi needs one below 1. Choose ConjugateGradientJacobi."
            )
        return mu

    def factors(
        self, prepared: Array, before: Factors | None, zDz: Array, zDz_before: Array, zAz: Array
    ) -> Factors:
        """Of the next step."""
        one = np.ones(len(zDz))
        if before is None:
            return Factors(one, one)
        # the first rho is 1 and not 2, with which the second would follow like all others
        last = np.where(before.rho == 1, 2.0, before.rho)
        return Factors(one, 1 / (1 - prepared**2 * last / 4))
