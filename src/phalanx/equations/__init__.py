"""Equations of a mechanism: pure functions over CasADi symbols, one file per method."""

from phalanx.equations import forward_dynamics, inverse_dynamics, loops, mass_matrix
from phalanx.equations.expression import expression
from phalanx.equations.forward_dynamics.mass_solve import mass_solve
from phalanx.equations.quantities.bias import bias, gravity
from phalanx.equations.quantities.configuration import (
    difference,
    integrate,
    interpolate,
    normalized,
    position_rate,
)
from phalanx.equations.quantities.coriolis import coriolis_matrix
from phalanx.equations.quantities.energy import energy, kinetic_energy, momentum, potential_energy
from phalanx.equations.quantities.fluid import fluid_forces
from phalanx.equations.quantities.kinematics import (
    body_poses,
    center_of_mass,
    forward_kinematics,
    frame_acceleration,
    frame_velocity,
    jacobian,
    jacobian_rate,
)
from phalanx.equations.quantities.mass_matrix_inverse import mass_matrix_inverse
from phalanx.equations.quantities.mass_times import mass_times
from phalanx.equations.quantities.reactions import reactions
from phalanx.equations.quantities.springs import passive_forces

__all__ = [
    "bias",
    "body_poses",
    "center_of_mass",
    "coriolis_matrix",
    "difference",
    "energy",
    "expression",
    "fluid_forces",
    "forward_dynamics",
    "forward_kinematics",
    "frame_acceleration",
    "frame_velocity",
    "gravity",
    "integrate",
    "interpolate",
    "inverse_dynamics",
    "jacobian",
    "jacobian_rate",
    "kinetic_energy",
    "loops",
    "mass_matrix",
    "mass_matrix_inverse",
    "mass_solve",
    "mass_times",
    "momentum",
    "normalized",
    "passive_forces",
    "position_rate",
    "potential_energy",
    "reactions",
]
__dir__ = __all__.copy
