"""The table of quantities that only machines with loops have, and which joints are free."""

from __future__ import annotations

from typing import Any

from phalanx.dynamics.methods import Equation
from phalanx.dynamics.quantities import Quantity
from phalanx.equations import loops
from phalanx.equations.loops.assembly.free_joints import independent_velocities, motor_velocities
from phalanx.mechanism import Mechanism

FreeJoints = tuple[str, ...] | None


def free_joints(
    mechanism: Mechanism, actuated: tuple[str, ...], independent: FreeJoints
) -> FreeJoints:
    """The joints that the user calls free, or None for those that the machine suggests."""
    if independent is not None or not (actuated and mechanism.loops):
        return independent
    freedoms = len(independent_velocities(mechanism))
    is_enough = len(motor_velocities(mechanism, actuated)) == freedoms
    return actuated if is_enough else None


def loop_quantities(
    mechanism: Mechanism, actuated: tuple[str, ...], free_joints: FreeJoints, freedoms: int
) -> dict[str, Quantity]:
    """Quantities of a machine with loops, by name.

    Args:
        mechanism: The machine.
        actuated: Joints with motors.
        free_joints: Joints whose velocities determine all others.
        freedoms: How many velocities these are.
    """
    free = {"independent": free_joints}
    count = len(mechanism.loops)
    motors = {"actuated": actuated}
    matrix: dict[str, tuple[int, ...]] = {"M_free": (freedoms, freedoms)}
    at_closed_loops: dict[str, tuple[Equation, dict[str, tuple[int, ...]], dict[str, Any]]] = {
        "loop_forces": (loops.constrained, {}, {}),
        **({"actuation": (loops.actuation, {}, motors)} if actuated else {}),
        "loop_wrenches": (loops.loop_wrenches, {"W": (count, 12)}, {}),
        "free_amplification": (loops.free_amplification, {"amplification": ()}, free),
        "reduced_inverse_dynamics": (loops.reduced_inverse_dynamics, {}, free),
        "reduced_mass_matrix": (loops.reduced_mass_matrix, matrix, free),
        "reduced_bias": (loops.reduced_bias, {}, free),
        "reduced_gravity": (loops.reduced_gravity, {}, free),
    }
    return {
        **{
            name: Quantity(equation, shapes, options=options, closed=True)
            for name, (equation, shapes, options) in at_closed_loops.items()
        },
        "loop_residuals": Quantity(loops.loop_residuals, {}),
        "loop_inconsistency": Quantity(loops.inconsistency, {}),
    }


def completions(free_joints: FreeJoints) -> dict[str, Quantity]:
    """Motions of all joints from those of some: not every frame and every joint determines."""
    of_frame = Quantity(loops.complete_motion_of_frame, {"amplification": ()}, of_frame=True)
    return {
        "complete_motion": Quantity(
            loops.complete_motion, {}, options={"independent": free_joints}
        ),
        "complete_motion_of_frame": of_frame,
    }
