"""The table of quantities: which equation each is, and the shape of what it gives."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from phalanx import equations
from phalanx.dynamics.methods import Equation
from phalanx.equations import forward_dynamics, inverse_dynamics
from phalanx.mechanism import Mechanism


@dataclass(frozen=True)
class Quantity:
    """An equation and the trailing shape of its outputs, where it is not a column's.

    Attributes:
        equation: The function of symbols.
        shapes: Output to trailing shape.
        of_frame: Whether it takes a frame.
        in_axes: Whether it can be told in several axes.
        options: Further keywords of the equation.
        closed: Whether it means something only at states that close the loops.
    """

    equation: Equation
    shapes: dict[str, tuple[int, ...]]
    of_frame: bool = False
    in_axes: bool = False
    options: dict[str, Any] = field(default_factory=dict)
    closed: bool = False


# quantities on which wrenches and the motion of the base act
ACTED_ON = (
    "inverse_dynamics",
    "forward_dynamics",
    "loop_forces",
    "reduced_inverse_dynamics",
    "actuation",
)
# quantities that would be others under them, and have no equation for that
OF_UNLOADED = ("forward_dynamics_derivatives", "inverse_dynamics_derivatives", "regressor")
OF_THE_TREE = (
    "inverse_dynamics",
    "mass_matrix",
    "mass_matrix_inverse",
    "mass_times",
    "mass_solve",
    "bias",
    "gravity",
    "coriolis_matrix",
    "inverse_dynamics_derivatives",
    "regressor",
)
"""Quantities of the spanning tree, in which loops are open."""
INVERTING = (
    "forward_dynamics",
    "loop_forces",
    "forward_dynamics_derivatives",
    "mass_matrix_inverse",
    "mass_solve",
)
"""Quantities that solve for accelerations, which a machine without inertia somewhere lacks."""

# why a machine may not have a quantity
LACKING = {
    "loop_forces": "it has no loops",
    "loop_wrenches": "it has no loops",
    "loop_residuals": "it has no loops",
    "actuation": "it has no loops, or no actuated= says which of its joints have motors",
    "forward_dynamics_derivatives": "its loops are closed; differentiate forward_dynamics along "
    "motions that they allow",
}


def quantities(
    mechanism: Mechanism, inverse: Equation, forward: Equation, inertia: Equation
) -> dict[str, Quantity]:
    """Those that a machine has whether or not it has loops, by name.

    Args:
        mechanism: The machine.
        inverse: Method of inverse dynamics.
        forward: Method of forward dynamics.
        inertia: Method of the mass matrix.
    """
    n = mechanism.nv
    square = (n, n)
    bodies = len(mechanism.bodies) - 1
    e = equations
    return {
        "inverse_dynamics": Quantity(inverse, {}),
        "forward_dynamics": Quantity(forward, {}, closed=bool(mechanism.loops)),
        **({} if mechanism.loops else _derivatives(square)),
        "mass_matrix": Quantity(inertia, {"M": square}),
        "mass_matrix_inverse": Quantity(e.mass_matrix_inverse, {"M_inverse": square}),
        "mass_times": Quantity(e.mass_times, {}),
        "mass_solve": Quantity(e.mass_solve, {}),
        "bias": Quantity(e.bias, {}),
        "gravity": Quantity(e.gravity, {}),
        "coriolis_matrix": Quantity(e.coriolis_matrix, {"C": square}),
        "inverse_dynamics_derivatives": Quantity(
            inverse_dynamics.derivatives,
            {"dtau_dq": square, "dtau_dv": square, "dtau_da": square},
        ),
        "regressor": Quantity(inverse_dynamics.regressor, {"Y": (n, 10 * bodies)}),
        "passive_forces": Quantity(e.passive_forces, {}),
        "energy": Quantity(e.energy, {"E": ()}),
        "kinetic_energy": Quantity(e.kinetic_energy, {"T": ()}),
        "potential_energy": Quantity(e.potential_energy, {"U": ()}),
        "momentum": Quantity(e.momentum, {}),
        "center_of_mass": Quantity(e.center_of_mass, {}),
        "integrate": Quantity(e.integrate, {}),
        "difference": Quantity(e.difference, {}),
        "interpolate": Quantity(e.interpolate, {"s": ()}),
        "body_poses": Quantity(e.body_poses, {"X": (bodies + 1, 4, 4)}),
        "forward_kinematics": Quantity(e.forward_kinematics, {"X": (4, 4)}, of_frame=True),
        "jacobian": Quantity(e.jacobian, {"J": (6, n)}, of_frame=True, in_axes=True),
        "jacobian_rate": Quantity(e.jacobian_rate, {"dJ": (6, n)}, of_frame=True, in_axes=True),
        "frame_velocity": Quantity(e.frame_velocity, {}, of_frame=True, in_axes=True),
        "frame_acceleration": Quantity(e.frame_acceleration, {}, of_frame=True),
    }


def _derivatives(square: tuple[int, int]) -> dict[str, Quantity]:
    """What only machines without loops have."""
    shapes: dict[str, tuple[int, ...]] = {"da_dq": square, "da_dv": square, "da_dtau": square}
    return {"forward_dynamics_derivatives": Quantity(forward_dynamics.derivatives, shapes)}
