from phalanx.equations.loops.legs.consistent import consistent_acceleration, consistent_velocity
from phalanx.equations.loops.legs.recursive import recursive, recursive_inverse
from phalanx.equations.loops.methods.actuation import actuation
from phalanx.equations.loops.methods.free_motion import (
    complete_motion,
    complete_motion_of_frame,
    free_amplification,
)
from phalanx.equations.loops.methods.multipliers import Baumgarte, constrained, multipliers
from phalanx.equations.loops.methods.orthogonal_complement import orthogonal_complement
from phalanx.equations.loops.methods.penalty import penalty, sprung
from phalanx.equations.loops.methods.projection import embedded, projection
from phalanx.equations.loops.methods.reduced import (
    reduced_bias,
    reduced_gravity,
    reduced_inverse_dynamics,
    reduced_mass_matrix,
)
from phalanx.equations.loops.methods.residuals import inconsistency, loop_residuals
from phalanx.equations.loops.methods.wrenches import loop_wrenches
from phalanx.equations.loops.numbers.load_sharing import shares_by_condition

__all__ = [
    # forward dynamics
    "multipliers",
    "constrained",
    "Baumgarte",
    "projection",
    "embedded",
    "orthogonal_complement",
    "recursive",
    "penalty",
    "sprung",
    # inverse dynamics
    "actuation",
    "recursive_inverse",
    "shares_by_condition",
    "loop_wrenches",
    # in independent coordinates
    "reduced_inverse_dynamics",
    "reduced_mass_matrix",
    "reduced_bias",
    "reduced_gravity",
    # motions that fit
    "complete_motion",
    "complete_motion_of_frame",
    "consistent_velocity",
    "consistent_acceleration",
    "free_amplification",
    # how far loops are off
    "loop_residuals",
    "inconsistency",
]
