"""Block Jacobi iteration: every joint solves its own row with its neighbours' previous forces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from phalanx.dynamics.evaluators.constraint_forces.structure import Structure
from phalanx.dynamics.evaluators.constraint_forces.three_term import Factors, ThreeTerm
from phalanx.mechanism.pose import Array

# stationary iterations slow down as fast as chains grow; beyond this another one is better
MOST_STATIONARY = 20_000


@final
@dataclass(frozen=True)
class Jacobi(ThreeTerm):
    """D f_next = b + L f_parent + U f_child."""

    name: ClassVar[str] = "Jacobi"

    def most_steps(self, structure: Structure) -> int:
        """Largest number of steps if none is given."""
        return MOST_STATIONARY

    def factors(
        self, prepared: Array, before: Factors | None, zDz: Array, zDz_before: Array, zAz: Array
    ) -> Factors:
        """One and one."""
        return before or Factors(np.ones(len(zDz)), np.ones(len(zDz)))
