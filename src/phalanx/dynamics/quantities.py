"""Table of quantities: equation, results and requirements of each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from phalanx import equations
from phalanx.equations import forward_dynamics, inverse_dynamics, loops
from phalanx.equations.equation import Equation
from phalanx.equations.loops.assembly.free_joints import independent_velocities, motor_velocities
from phalanx.mechanism import Mechanism

Shapes = dict[str, tuple[int, ...]]
FreeJoints = tuple[str, ...] | None


@dataclass(frozen=True)
class QuantityEquation:
    """An equation, and what is to be known of it beside its text.

    Attributes:
        equation: The function of symbols.
        shapes: Trailing shapes of outputs that are not columns, by name.
        of_frame: Whether it takes a frame.
        in_axes: Whether it can be expressed in several axes.
        options: Further keywords of the equation.
        of_the_tree: Whether it is that of the spanning tree, in which loops are open.
        closed: Whether it means something only at states that close the loops.
        acted_on: Whether wrenches and the motion of the base are inputs.
        unloaded: Whether it would be another under these, and has no equation for that.
        inverting: Whether it solves for accelerations, which needs an inertia at every joint.
    """

    equation: Equation
    shapes: Shapes = field(default_factory=dict)
    of_frame: bool = False
    in_axes: bool = False
    options: dict[str, Any] = field(default_factory=dict)
    of_the_tree: bool = False
    closed: bool = False
    acted_on: bool = False
    unloaded: bool = False
    inverting: bool = False


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
) -> dict[str, QuantityEquation]:
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
    closed = bool(mechanism.loops)
    e = equations
    return {
        "inverse_dynamics": QuantityEquation(inverse, of_the_tree=True, acted_on=True),
        "forward_dynamics": QuantityEquation(forward, closed=closed, acted_on=True, inverting=True),
        **({} if closed else _derivatives(square)),
        "mass_matrix": QuantityEquation(inertia, {"M": square}, of_the_tree=True),
        "mass_matrix_inverse": QuantityEquation(
            e.mass_matrix_inverse, {"M_inverse": square}, of_the_tree=True, inverting=True
        ),
        "mass_times": QuantityEquation(e.mass_times, of_the_tree=True),
        "mass_solve": QuantityEquation(e.mass_solve, of_the_tree=True, inverting=True),
        "bias": QuantityEquation(e.bias, of_the_tree=True),
        "gravity": QuantityEquation(e.gravity, of_the_tree=True),
        "coriolis_matrix": QuantityEquation(e.coriolis_matrix, {"C": square}, of_the_tree=True),
        "inverse_dynamics_derivatives": QuantityEquation(
            inverse_dynamics.derivatives,
            {"dtau_dq": square, "dtau_dv": square, "dtau_da": square},
            of_the_tree=True,
            unloaded=True,
        ),
        "regressor": QuantityEquation(
            inverse_dynamics.regressor, {"Y": (n, 10 * bodies)}, of_the_tree=True, unloaded=True
        ),
        "passive_forces": QuantityEquation(e.passive_forces),
        "energy": QuantityEquation(e.energy, {"E": ()}),
        "kinetic_energy": QuantityEquation(e.kinetic_energy, {"T": ()}),
        "potential_energy": QuantityEquation(e.potential_energy, {"U": ()}),
        "momentum": QuantityEquation(e.momentum),
        "center_of_mass": QuantityEquation(e.center_of_mass),
        "integrate": QuantityEquation(e.integrate),
        "difference": QuantityEquation(e.difference),
        "interpolate": QuantityEquation(e.interpolate, {"s": ()}),
        "body_poses": QuantityEquation(e.body_poses, {"X": (bodies + 1, 4, 4)}),
        "forward_kinematics": QuantityEquation(e.forward_kinematics, {"X": (4, 4)}, of_frame=True),
        "jacobian": QuantityEquation(e.jacobian, {"J": (6, n)}, of_frame=True, in_axes=True),
        "jacobian_rate": QuantityEquation(
            e.jacobian_rate, {"dJ": (6, n)}, of_frame=True, in_axes=True
        ),
        "frame_velocity": QuantityEquation(e.frame_velocity, of_frame=True, in_axes=True),
        "frame_acceleration": QuantityEquation(e.frame_acceleration, of_frame=True),
    }


def _derivatives(square: tuple[int, int]) -> dict[str, QuantityEquation]:
    """What only machines without loops have."""
    shapes: Shapes = {"da_dq": square, "da_dv": square, "da_dtau": square}
    return {
        "forward_dynamics_derivatives": QuantityEquation(
            forward_dynamics.derivatives, shapes, unloaded=True, inverting=True
        )
    }


def loop_quantities(
    mechanism: Mechanism, actuated: tuple[str, ...], free_joints: FreeJoints, freedoms: int
) -> dict[str, QuantityEquation]:
    """Quantities of a machine with loops, by name.

    Args:
        mechanism: The machine.
        actuated: Joints with motors.
        free_joints: Joints whose velocities determine all others.
        freedoms: How many velocities these are.
    """
    free = {"independent": free_joints}
    motors = {"actuated": actuated}
    wrenches: Shapes = {"W": (len(mechanism.loops), 12)}
    matrix: Shapes = {"M_free": (freedoms, freedoms)}
    actuation = QuantityEquation(loops.actuation, options=motors, closed=True, acted_on=True)
    return {
        "loop_forces": QuantityEquation(
            loops.constrained, closed=True, acted_on=True, inverting=True
        ),
        **({"actuation": actuation} if actuated else {}),
        "loop_wrenches": QuantityEquation(loops.loop_wrenches, wrenches, closed=True),
        "free_amplification": QuantityEquation(
            loops.free_amplification, {"amplification": ()}, options=free, closed=True
        ),
        "reduced_inverse_dynamics": QuantityEquation(
            loops.reduced_inverse_dynamics, options=free, closed=True, acted_on=True
        ),
        "reduced_mass_matrix": QuantityEquation(
            loops.reduced_mass_matrix, matrix, options=free, closed=True
        ),
        "reduced_bias": QuantityEquation(loops.reduced_bias, options=free, closed=True),
        "reduced_gravity": QuantityEquation(loops.reduced_gravity, options=free, closed=True),
        "loop_residuals": QuantityEquation(loops.loop_residuals),
        "loop_inconsistency": QuantityEquation(loops.inconsistency),
    }


def completions(free_joints: FreeJoints) -> dict[str, QuantityEquation]:
    """Motions of all joints from those of some: not every frame and every joint determines."""
    free = {"independent": free_joints}
    return {
        "complete_motion": QuantityEquation(loops.complete_motion, options=free),
        "complete_motion_of_frame": QuantityEquation(
            loops.complete_motion_of_frame, {"amplification": ()}, of_frame=True
        ),
    }


def free_joints(
    mechanism: Mechanism, actuated: tuple[str, ...], independent: FreeJoints
) -> FreeJoints:
    """The joints that the user calls free, or None for those that the machine suggests."""
    if independent is not None or not (actuated and mechanism.loops):
        return independent
    freedoms = len(independent_velocities(mechanism))
    is_enough = len(motor_velocities(mechanism, actuated)) == freedoms
    return actuated if is_enough else None
