"""Inverse dynamics with friction: motor forces of a motion."""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca
from casadi import SX

from phalanx.actuators.direction import Direction, Sign
from phalanx.actuators.drive import Drives, check_drives
from phalanx.actuators.loads import Loads, joint_loads
from phalanx.equations.equation import equation
from phalanx.equations.model_of import model_of
from phalanx.equations.tree.model import Model
from phalanx.mechanism import Mechanism


@equation("tau", "tau_joint_friction", "tau_out", "tau_transmission", "tau_in", "tau_motor")
def drive_torques(
    mechanism: Mechanism | Model,
    q: SX,
    v: SX,
    a: SX,
    *,
    drives: Drives,
    direction: Direction | None = None,
    wrenches: Mapping[str, SX] | None = None,
) -> tuple[SX, SX, SX, SX, SX, SX]:
    """Joint forces of a motion, from the links through bearings and gears to the motors.

    Reactions follow from the motion alone, so they are those of a machine without friction, and
    friction is a function of them: bearings first, then the transmission, then the rotor.

    Args:
        mechanism: The machine.
        q: Positions [m or rad], shape (nq,).
        v: Velocities [m/s or rad/s], shape (nv,).
        a: Accelerations [m/s² or rad/s²], shape (nv,).
        drives: Joint name to :class:`Drive`; joints without one have no friction.
        direction: Which way friction points; :class:`Sign` by default.
        wrenches: Frame name to external wrench, as for inverse dynamics.

    Returns:
        Six vectors of shape (nv,) [N·m or N], on the joint's side of the gear but for the last:
        tau that the links need (without the rotors'); tau_joint_friction in the bearings;
        tau_out = tau + tau_joint_friction, which leaves the transmission; tau_transmission lost
        in it; tau_in = tau_out + tau_transmission, which enters it; tau_motor at the motor's shaft
        = tau_in / ratio + rotor inertia · ratio · a.

    Raises:
        UnknownName: When a drive's joint does not exist.
        InvalidInput: When a joint cannot have its drive.

    Reference:
        Dhanaraj (1990), chapter 3, fig. 3.10.
    """
    model = model_of(mechanism)
    loads = joint_loads(model, q, v, a, drives, wrenches)
    towards = (direction or Sign())(v, loads.tau)
    friction, lost = frictions(model.mechanism, loads, v, towards, drives)
    out = loads.tau + friction
    into = out + lost
    return loads.tau, friction, out, lost, into, (into + loads.rotor) / gear_ratios(model)


def gear_ratios(model: Model) -> SX:
    """Motor turns per turn of the joint for each freedom, shape (nv,)."""
    joints = model.mechanism.moving_joints
    return ca.vertcat(*(model.parameters.gear_ratio(joint) for joint in joints))


def frictions(
    mechanism: Mechanism, loads: Loads, v: SX, direction: SX, drives: Drives
) -> tuple[SX, SX]:
    """Friction in the joints and in the transmissions under given loads, shape (nv,) each."""
    rubbing, lost = SX.zeros(mechanism.nv, 1), SX.zeros(mechanism.nv, 1)
    for name, (_, drive) in check_drives(mechanism, drives).items():
        k = mechanism.v_slices[name].start
        f, n = loads.force[name], loads.moment[name]
        rubbing[k] = drive.joint_friction(f, n, v[k], direction[k])
        lost[k] = drive.transmission_friction(loads.tau[k] + rubbing[k], direction[k])
    return rubbing, lost
