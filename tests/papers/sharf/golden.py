"""The reference chain with the numbers that it must give."""

from __future__ import annotations

from functools import cache

import numpy as np

from phalanx.dynamics.evaluators.bodies import bodies_of
from phalanx.dynamics.evaluators.constraint_forces.equations import ConstraintEquations, Posed
from phalanx.dynamics.evaluators.constraint_forces.jointed import jointed_bodies
from phalanx.dynamics.evaluators.method import still_root
from phalanx.mechanism import Mechanism
from phalanx.studies.sharf.machines import SMALL_CHAIN_STATE, small_chain

Q, V, TAU = (numbers[None] for numbers in SMALL_CHAIN_STATE)

ACCELERATIONS = np.array([0.11144387, 3.20843662, 15.61229016])
# forces and moments without the one about the hinge, in body axes
FORCES = (
    (0.83063776, 0.51238659, 15.61103457, -0.13334064, -8.70603457),
    (3.02870261, 0.45666465, 5.01769399, 0.07386981, 0.51712828),
    (0.49467253, 0.28610911, -2.48663211, -0.00001176, 0.15358039),
)
HINGES = (2, 1, 1)
SPECTRAL_RADIUS = 0.93869799
EIGENVALUES = 0.2114025, 313.28477
TRACE = 595.357143


def chain() -> Mechanism:
    return small_chain()


@cache
def posed() -> tuple[ConstraintEquations, Posed]:
    m = chain()
    equations = ConstraintEquations(jointed_bodies(bodies_of(m)))
    return equations, equations.pose(Q, V, TAU, still_root(m))
