"""Trajectory tracking by the motors of a machine, also of one with loops."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from casadi import SX
from numpy.typing import ArrayLike

from phalanx.base.arguments import checked
from phalanx.base.errors import InvalidInput
from phalanx.base.pickling import remembered
from phalanx.equations.loops.assembly.assemble import assemble
from phalanx.equations.loops.assembly.pivoting import RANK
from phalanx.equations.loops.closure.equations import derivative_function
from phalanx.equations.loops.methods.motor_forces import motor_forces
from phalanx.equations.model_of import model_of
from phalanx.equations.tree.model import Model
from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array
from phalanx.planning.motions import Trajectory
from phalanx.simulation.setup.laws import Law, control_gains


@remembered
@checked
def track(
    trajectory: Trajectory,
    *,
    stiffness: ArrayLike,
    damping: ArrayLike,
    motors: Sequence[str] | None = None,
) -> Law:
    """Computed torque at the motors: they follow a wanted motion, whatever hangs on them.

    Motors accelerate by a = a_wanted + stiffness (q_wanted - q) + damping (v_wanted - v), with
    forces from inverse dynamics of the whole machine, its loops included; an error of the start
    decays like that of unit masses.

    Args:
        trajectory: The wanted motion of the motors, in their order.
        stiffness: [1/s²], one number or one a motor.
        damping: [1/s], one number or one a motor.
        motors: Joints that turn or slide, with as many freedoms as the machine has; those that
            can exert a force when not given.

    Raises:
        InvalidInput: Gains are negative. When it is used: the motors do not determine the motion,
            or the trajectory has another number of them.
    """
    own = {"stiffness": control_gains(stiffness), "damping": control_gains(damping)}
    chosen = None if motors is None else tuple(motors)

    def law(model: Model, t: SX, q: SX, v: SX, **gains: SX) -> SX:
        names = motor_names(model.mechanism) if chosen is None else chosen
        where, rates = motor_places(model.mechanism, names)
        wanted = [SX(part) for part in trajectory.function(t)]
        for part in wanted:
            if part.numel() != len(names):
                raise InvalidInput(
                    f"the trajectory moves {part.numel()} joints; '{model.mechanism.name}' has "
                    f"{len(names)} motors: {', '.join(names)}."
                )
        for what, numbers in gains.items():
            if numbers.numel() not in (1, len(names)):
                raise InvalidInput(
                    f"{what} has {numbers.numel()} numbers; expected one, or one for each of "
                    f"{len(names)} motors."
                )
        pull = gains["stiffness"] * (wanted[0] - q[where])
        pull += gains["damping"] * (wanted[1] - v[rates])
        return motor_forces(model, q, v, wanted[2] + pull, motors=names)

    return Law(law, gains=own)


def motor_names(mechanism: Mechanism) -> list[str]:
    """The joints that can exert a force."""
    return [joint.name for joint in mechanism.actuated_joints]


def motor_places(mechanism: Mechanism, motors: Sequence[str]) -> tuple[list[int], list[int]]:
    """Indices of the motors' positions and velocities.

    Raises:
        InvalidInput: A motor has more than one freedom.
    """
    for name in motors:
        joint = mechanism.joint(name)
        if name not in mechanism.v_slices or joint.motion.nv != 1:
            raise InvalidInput(
                f"joint '{name}' of '{mechanism.name}' cannot follow a number: it is "
                f"{joint.motion.kind}. Motors turn or slide about one axis."
            )
    slices = [(mechanism.q_slices[name], mechanism.v_slices[name]) for name in motors]
    return [q.start for q, _ in slices], [v.start for _, v in slices]


def start_of_motors(
    mechanism: Mechanism, motors: Sequence[str], trajectory: Trajectory
) -> tuple[Array, Array]:
    """Positions and velocities of all joints where a motion of the motors begins, loops closed.

    Raises:
        OpenLoop: The loops do not close where the motors are to begin.
        InvalidInput: The motors do not determine the motion.
    """
    where, rates = motor_places(mechanism, motors)
    angles, speeds, _ = trajectory(0.0)
    q, v = mechanism.neutral(), np.zeros(mechanism.nv)
    if not mechanism.loops:
        q[where], v[rates] = angles, speeds
        return q, v
    q[where] = angles
    q = assemble(mechanism, q, held=motors).q
    A = np.asarray(derivative_function(model_of(mechanism))(q))
    passive = [k for k in range(mechanism.nv) if k not in rates]
    v[rates] = speeds
    v[passive] = -np.linalg.lstsq(A[:, passive], A[:, rates] @ speeds, rcond=RANK)[0]
    return q, v
