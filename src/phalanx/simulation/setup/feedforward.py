"""Feedforward control: the joint forces of a reference motion."""

from __future__ import annotations

from casadi import SX

from phalanx.actuators.direction import Direction
from phalanx.actuators.drive import Drives
from phalanx.actuators.torques import drive_torques, gear_ratios
from phalanx.base.arguments import checked
from phalanx.base.errors import InvalidInput
from phalanx.base.pickling import remembered
from phalanx.equations import inverse_dynamics
from phalanx.equations.tree.model import Model
from phalanx.planning.motions import Trajectory
from phalanx.simulation.setup.laws import Law


@remembered
@checked
def feedforward(
    trajectory: Trajectory, drives: Drives | None = None, direction: Direction | None = None
) -> Law:
    """Joint forces of the reference motion, without feedback (open-loop control).

    Args:
        trajectory: The wanted motion.
        drives: Whose friction the motors overcome: forces are then those of the motors, on the
            joint's side of the gear.
        direction: Which way friction points; by the sign of the wanted velocity by default.
    """

    def law(model: Model, t: SX, q: SX, v: SX) -> SX:
        wanted = [SX(part) for part in trajectory.function(t)]
        for part, size in zip(wanted, (model.mechanism.nq, model.nv, model.nv), strict=True):
            if part.numel() != size:
                raise InvalidInput(
                    f"the trajectory moves {part.numel()} joints; '{model.mechanism.name}' has "
                    f"{size}."
                )
        if drives is None:
            return inverse_dynamics.recursive(model, *wanted)
        *_, motor = drive_torques(model, *wanted, drives=drives, direction=direction)
        return motor * gear_ratios(model)

    return Law(law)
