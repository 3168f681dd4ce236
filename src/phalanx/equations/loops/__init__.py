"""Dynamics of machines with loops; one file a method."""

from phalanx.equations.loops.actuation import actuation
from phalanx.equations.loops.free_motion import (
    complete_motion,
    complete_motion_of_frame,
    free_amplification,
)
from phalanx.equations.loops.legs.consistent import consistent_acceleration, consistent_velocity
from phalanx.equations.loops.legs.recursive import recursive, recursive_inverse
from phalanx.equations.loops.multipliers import Baumgarte, constrained, multipliers
from phalanx.equations.loops.numbers.shares import shares_by_condition
from phalanx.equations.loops.orthogonal_complement import orthogonal_complement
from phalanx.equations.loops.penalty import penalty, sprung
from phalanx.equations.loops.projection import embedded, projection
from phalanx.equations.loops.reduced import (
    reduced_bias,
    reduced_gravity,
    reduced_inverse_dynamics,
    reduced_mass_matrix,
)
from phalanx.equations.loops.residuals import inconsistency, loop_residuals
from phalanx.equations.loops.wrenches import loop_wrenches

__all__ = [
    "Baumgarte",
    "actuation",
    "complete_motion",
    "complete_motion_of_frame",
    "consistent_acceleration",
    "consistent_velocity",
    "constrained",
    "embedded",
    "free_amplification",
    "inconsistency",
    "loop_residuals",
    "loop_wrenches",
    "multipliers",
    "orthogonal_complement",
    "penalty",
    "projection",
    "recursive",
    "recursive_inverse",
    "reduced_bias",
    "reduced_gravity",
    "reduced_inverse_dynamics",
    "reduced_mass_matrix",
    "shares_by_condition",
    "sprung",
]
__dir__ = __all__.copy
