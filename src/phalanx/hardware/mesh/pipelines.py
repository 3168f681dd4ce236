"""Phase 1: pipelines along rows 1 and 0, and the products that each node makes of what comes by.

Row 1 carries axes and arms outward: c_ij is the axis of joint j in the axes of body i, rho_ij the
vector from the centre of mass of i to hinge j. Row 0 carries the motion: rates w, dw/dt, and the
acceleration of the centre of mass less gravity. With W = [dw/dt]x + [w]x², that is

    c_ij   = A_i c_pj                    rho_ij = A_i (rho_pj - l_pi) + k_i
    p''_i  = A_i (p''_p + W_p l_pi) - W_i k_i          dL/dt_i = J_i dw/dt_i + w_i x J_i w_i

for the parent p of i. Steps are the cycles of the source's tables.

Reference:
    Wong (1991), §4.2 to §4.4 and tables 4.2 to 4.6; slides: §6.4.1.
"""

from __future__ import annotations

import casadi as ca
from casadi import SX

from phalanx.hardware.mesh.loops import LoopMotion
from phalanx.hardware.mesh.motion import MeshKinematics
from phalanx.hardware.mesh.program import PIPELINES, MeshProgram
from phalanx.hardware.mesh.row_0 import write_motion
from phalanx.hardware.mesh.row_1 import (
    write_axes_and_arms,
    write_local_products,
)
from phalanx.hardware.mesh.shape import Node


def write_pipelines(
    program: MeshProgram, q: dict[Node, SX], rates: list[SX], loops: LoopMotion
) -> MeshKinematics:
    """Phase 1 of one evaluation.

    Args:
        program: To write to.
        q: Positions of joints, as nodes (0, i) and (1, i) have them.
        rates: Of the joints, body 1 first, as row 0 has them.
        loops: What loops ask of joints.
    """
    motion = MeshKinematics()
    columns = range(1, program.machine.size + 1)
    bodies = [i for i in columns if program.machine.holds(i)]
    A = {(row, i): _rotation(program, (row, i), q[row, i]) for i in bodies for row in (1, 0)}
    for i in bodies:
        write_axes_and_arms(program, motion, i, A[1, i], q[1, i])
        write_local_products(program, motion, i, loops)
    positions = [q[0, i] for i in columns]
    motion.rotations = {i: A[0, i] for i in bodies}
    motion.load = write_motion(program, motion.rotations, positions, rates, loops)
    return motion


def _rotation(program: MeshProgram, node: Node, q: SX) -> SX:
    """From the parent's axes to the body's: four products where the seat is a twist about x."""
    i = node[1]
    body = program.machine.body(i)
    name = f"A {i}" if node[0] else f"A {i} of row 0"
    if not program.machine.is_single(i):
        values = ca.vec(program.machine.rotation(i, q))
        label = f"rotation into body {i}"
        return ca.reshape(program.task(name, node, PIPELINES, 1, values, label).value, 3, 3)
    if program.machine.slides(i):
        return program.stored(node, "seat", program.machine.seat(i)).T
    angle = q + body.node.phase if body.node.phase else q
    cosine, sine = ca.cos(angle), ca.sin(angle)
    twist = body.twist
    if twist is None:
        seat = program.stored(node, "seat", program.machine.seat(i)).T
        turned = ca.vertcat(
            cosine * seat[0, :] + sine * seat[1, :], cosine * seat[1, :] - sine * seat[0, :]
        )
        values = ca.vec(turned)
    else:
        seat = program.machine.seat(i)
        both = program.stored(node, "twist", ca.vertcat(seat[1, 1], seat[2, 1]))
        values = ca.vertcat(
            cosine, sine, both[0] * sine, both[1] * sine, both[0] * cosine, both[1] * cosine
        )
    found = program.task(name, node, PIPELINES, 1, values, f"rotation into body {i}").value
    if twist is None:
        return ca.vertcat(ca.reshape(found, 2, 3), seat[2, :])
    zero = SX(1, 1)  # a place that no product meets
    return ca.vertcat(
        ca.horzcat(found[0], found[2], found[3]),
        ca.horzcat(-found[1], found[4], found[5]),
        ca.horzcat(zero, -both[1], both[0]),
    )
