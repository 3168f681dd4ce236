"""Machines that paths are for: checks, and names of their joints."""

from __future__ import annotations

from phalanx.base.errors import InvalidInput, InvalidModel
from phalanx.dynamics import Dynamics
from phalanx.mechanism import Mechanism
from phalanx.mechanism.joint import velocity_units

# joints whose velocities are the rates of their positions, so that curves have slopes
PLAIN = ("revolute", "continuous", "prismatic", "screw", "cylindrical", "universal")


def dynamics_of(machine: Mechanism | Dynamics) -> Dynamics:
    """The dynamics of a machine whose positions are curves over time.

    Args:
        machine: A mechanism, which is compiled for one thread, or its dynamics as they are.

    Raises:
        InvalidInput: When it is neither, or its dynamics take more than q, v and a.
        InvalidModel: When it has loops, or a joint whose velocity is not the rate of its position.
    """
    if isinstance(machine, Mechanism):
        check_machine(machine)
        return Dynamics(machine, threads=1)
    if not isinstance(machine, Dynamics):
        raise InvalidInput(
            f"a trajectory is of a Mechanism or of its Dynamics, got {type(machine).__name__}."
        )
    check_machine(machine.mechanism)
    if machine.parameters or machine.wrenches or machine.moving_base:
        raise InvalidInput(
            f"the Dynamics of '{machine.mechanism.name}' take further arguments beside q, v and "
            "a; make them without parameters=, wrenches= and moving_base=."
        )
    if machine.dtype != "float64":
        raise InvalidInput(f"a trajectory is of float64, these Dynamics are of {machine.dtype}.")
    return machine


def check_machine(mechanism: Mechanism) -> None:
    """Refuse a machine whose positions are not curves over time, one for each velocity.

    Raises:
        InvalidModel: When it is one.
    """
    if mechanism.loops:
        raise InvalidModel(
            f"'{mechanism.name}' has closed loops ({mechanism.loops[0].name}); a trajectory is of "
            "a machine whose joints move on their own."
        )
    if not mechanism.nv:
        raise InvalidModel(f"no joint of '{mechanism.name}' moves, so it has no trajectory.")
    for joint in mechanism.moving_joints:
        if joint.motion.kind not in PLAIN:
            raise InvalidModel(
                f"joint '{joint.name}' of '{mechanism.name}' is {joint.motion.kind}: its velocity "
                f"is not the rate of its position. A trajectory has joints that are "
                f"{', '.join(PLAIN)}; lock or replace it."
            )


def joint_names(mechanism: Mechanism) -> tuple[str, ...]:
    """A name for every velocity: the joint's, with a number where it has several."""
    return tuple(
        joint.name if joint.motion.nv == 1 else f"{joint.name}[{k}]"
        for joint in mechanism.moving_joints
        for k in range(joint.motion.nv)
    )


def is_angle(mechanism: Mechanism) -> tuple[bool, ...]:
    """Which positions are angles [rad]; the others are lengths [m]."""
    return tuple(
        unit == "rad" for joint in mechanism.moving_joints for unit in velocity_units(joint)
    )
