"""Bearing friction on a mesh: reactions of joints inward along row 0, and friction from them.

Friction in bearings depends on the load that a joint carries, and the load on the accelerations. So
after the solution row 0 finds the motion once more, now with the accelerations, and reactions go
inward from body to body,

    f_i = m p''_i + sum A_c' f_c        n_i = dL_i - k_i x f_i + sum A_c' n_c + l_ic x A_c' f_c,

with f_i and n_i at hinge i in the axes of body i, and c the bodies that i carries. The friction
that follows changes the right side, and the solver runs again. Each such pass leaves an error that
is smaller by about the friction's share in the torques.

Reference:
    Wong (1991), §6.4.4.
"""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca
from casadi import SX

from phalanx.actuators.direction import Smooth
from phalanx.actuators.drive import Drive, Drives, check_drives
from phalanx.base.errors import InvalidInput, InvalidModel
from phalanx.hardware.mesh.loops import LoopMotion
from phalanx.hardware.mesh.machine import MeshMachine
from phalanx.hardware.mesh.motion import MeshKinematics
from phalanx.hardware.mesh.moving_sums import Sums
from phalanx.hardware.mesh.program import REACTIONS, Held, MeshProgram
from phalanx.hardware.mesh.row_0 import write_motion
from phalanx.hardware.mesh.solving import MeshSolution, write_solution


def bearings_of(machine: MeshMachine, drives: Drives) -> dict[int, Drive]:
    """The drives by body.

    Raises:
        UnknownName: A joint does not exist.
        InvalidInput: A joint cannot have its drive, or a drive has a transmission.
        InvalidModel: The machine has loops or a slide with a drive.
    """
    mechanism = machine.mechanism
    fitted = check_drives(mechanism, drives)
    if drives and mechanism.loops:
        raise InvalidModel(
            f"'{mechanism.name}' has loops; reactions go inward along row 0 of trees only. Take it "
            "without drives."
        )
    found = {}
    for i in range(1, machine.size + 1):
        if machine.name(i) not in fitted:
            continue
        _, drive = fitted[machine.name(i)]
        if machine.slides(i):
            raise InvalidModel(
                f"joint '{machine.name(i)}' of '{mechanism.name}' is a slide; row 0 has bearings "
                "of hinges only."
            )
        if drive.transmission is not None:
            raise InvalidInput(
                f"the drive of joint '{machine.name(i)}' has a transmission, which no node of a "
                "mesh computes; give its bearings alone."
            )
        found[i] = drive
    return found


def write_friction_pass(
    program: MeshProgram,
    motion: MeshKinematics,
    sums: Sums,
    states: tuple[list[SX], list[SX], list[SX]],
    before: MeshSolution,
    drives: Mapping[int, Drive],
    slip: float,
) -> MeshSolution:
    """Accelerations with the friction that those before ask for.

    Args:
        program: To write to.
        motion: Of the joints, with the rotations of row 0.
        sums: M and F_v.
        states: Positions, rates and torques of the joints, as row 0 has them.
        before: Accelerations whose reactions count.
        drives: By body.
        slip: Rate at which dry friction has 76 % of its value [rad/s].
    """
    q, rates, torques = states
    bias = {i: held.value for i, held in enumerate(before.values, start=1)}
    loads = write_motion(program, motion.rotations, q, rates, LoopMotion({}, bias))
    reactions = _inward(program, motion.rotations, q, loads)
    direction = Smooth(slip)
    driven = list(torques)
    for i, drive in drives.items():
        f, n = reactions[i]
        rate, torque = rates[i - 1], torques[i - 1]
        rubbing = drive.joint_friction(f, n, rate, direction(rate, torque))
        label = f"torque at {i} less its friction"
        value = torque - rubbing
        at = (0, i), REACTIONS, 1
        driven[i - 1] = program.task(f"rubbed torque {i}", *at, value, label).value
    return write_solution(program, sums, driven, LoopMotion.none())


def _inward(
    program: MeshProgram, A: dict[int, SX], q: list[SX], loads: dict[int, SX]
) -> dict[int, tuple[SX, SX]]:
    """Force and moment at each hinge, in the axes of its body."""
    machine = program.machine
    carried: dict[int, list[Held]] = {i: [] for i in range(machine.size + 1)}
    found = {}
    for i in range(machine.size, 0, -1):
        here = 0, i
        k = program.stored(here, "k", machine.body(i).k)
        f, n = loads[i][3:], loads[i][:3]
        for child in carried[i]:
            f, n = f + child.value[:3], n + child.value[3:]
        both = ca.vertcat(f, n - ca.cross(k, f))
        label = f"reaction of joint {i}"
        held = program.task(f"f {i}", here, REACTIONS, 0, both, label)
        found[i] = held.value[:3], held.value[3:]
        parent = machine.parent(i)
        if parent:
            force, moment = A[i].T @ held.value[:3], A[i].T @ held.value[3:]
            still, per_travel = machine.hinge(i)
            l = program.stored(here, "l of parent", still)
            if machine.travels(i):
                l = l + program.stored(here, "slide of parent", per_travel) @ q[i - 1]
            values = ca.vertcat(force, moment + ca.cross(l, force))
            label = f"reaction of joint {i} on body {parent}"
            sent = program.task(f"f {i} on {parent}", here, REACTIONS, 0, values, label)
            program.inward(sent, i)
            carried[parent].append(sent)
    return found
