"""Phase 1: pipelines along rows 1 and 0, and the products that each node makes of what comes by.

Row 1 carries axes and arms outward: c_ij is the axis of joint j in the axes of body i, rho_ij the
vector from the centre of mass of i to hinge j. Row 0 carries the motion: rates w, dw/dt, and the
acceleration of the centre of mass less gravity. With W = [dw/dt]x + [w]x², that is

    c_ij   = A_i c_pj                    rho_ij = A_i (rho_pj - l_pi) + k_i
    p''_i  = A_i (p''_p + W_p l_pi) - W_i k_i          dL/dt_i = J_i dw/dt_i + w_i x J_i w_i

for the parent p of i. Cycles are those of the source's tables, as it plans them.

Reference:
    Wong (1991), §4.2 to §4.4 and tables 4.2 to 4.6.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import casadi as ca
from casadi import SX

from phalanx.multiprocessor.architectures.triangular_mesh.patterns import (
    CROSS,
    INERTIA,
    MOMENTUM,
)
from phalanx.multiprocessor.architectures.triangular_mesh.program import (
    PASS,
    PIPELINES,
    Held,
    Program,
)
from phalanx.multiprocessor.architectures.triangular_mesh.shape import NORTH, SOUTH, Node

AXIS = ca.DM([0.0, 0.0, 1.0])


@dataclass
class Motion:
    """What phase 1 leaves in the nodes.

    Attributes:
        c: Axis of joint j in body i, by (i, j).
        rho: Arm of joint j about the centre of mass of body i, by (i, j).
        crossed: rho x c, where its own row has it, by (i, j).
        inertial: [J c; m rho x c], by (i, j).
        load: [dL/dt; m p''] of body i.
    """

    c: dict[tuple[int, int], Held] = field(default_factory=dict)
    rho: dict[tuple[int, int], Held] = field(default_factory=dict)
    crossed: dict[tuple[int, int], Held] = field(default_factory=dict)
    inertial: dict[tuple[int, int], SX] = field(default_factory=dict)
    load: dict[int, SX] = field(default_factory=dict)


def write_pipelines(program: Program, theta: dict[Node, SX], rates: list[SX]) -> Motion:
    """Phase 1 of one evaluation.

    Args:
        program: To write to.
        theta: Joint angles, as nodes (0, i) and (1, i) have them.
        rates: Joint rates, body 1 first, as row 0 has them.
    """
    motion = Motion()
    machine = program.machine
    spins: dict[int, tuple[Held, Held]] = {}
    turns: dict[Node, SX] = {}
    for i in range(1, machine.size + 1):
        for row in (1, 0):
            turns[row, i] = _rotation(program, (row, i), theta[row, i])
        _axes_and_arms(program, motion, i, turns[1, i])
        _local_products(program, motion, i)
        spins[i] = _rates(program, i, turns[0, i], spins, rates[i - 1])
    accelerations: dict[int, Held] = {}
    swings: dict[int, Held] = {}  # W_p l_pi, by the child
    for i in range(1, machine.size + 1):
        turning = _turning(program, i, spins[i])
        _accelerations(program, i, turns[0, i], turning, accelerations, swings)
        motion.load[i] = _loads(program, i, spins[i], accelerations[i])
    return motion


def _rotation(program: Program, node: Node, theta: SX) -> SX:
    """From the parent's axes to the body's: four products where the seat is a twist about x."""
    i = node[1]
    body = program.machine.body(i)
    angle = theta + body.node.phase if body.node.phase else theta
    cosine, sine = ca.cos(angle), ca.sin(angle)
    twist = body.twist
    if twist is None:
        seat = program.kept(node, "seat", program.machine.seat(i)).T
        turned = ca.vertcat(
            cosine * seat[0, :] + sine * seat[1, :], cosine * seat[1, :] - sine * seat[0, :]
        )
        values = ca.vec(turned)
    else:
        seat = program.machine.seat(i)
        both = program.kept(node, "twist", ca.vertcat(seat[1, 1], seat[2, 1]))
        values = ca.vertcat(
            cosine, sine, both[0] * sine, both[1] * sine, both[0] * cosine, both[1] * cosine
        )
    name = f"A {i}" if node[0] else f"A {i} of row 0"
    found = program.task(name, node, PIPELINES, 1, values, f"rotation into body {i}").value
    if twist is None:
        return ca.vertcat(ca.reshape(found, 2, 3), seat[2, :])
    zero = SX(1, 1)  # a place that no product meets
    return ca.vertcat(
        ca.horzcat(found[0], found[2], found[3]),
        ca.horzcat(-found[1], found[4], found[5]),
        ca.horzcat(zero, -both[1], both[0]),
    )


def _axes_and_arms(program: Program, motion: Motion, i: int, A: SX) -> None:
    """Row 1: c_ij and rho_ij for each j that carries i, the nearest first."""
    machine, here = program.machine, (1, i)
    parent = machine.parent(i)
    k = program.kept(here, "k", machine.body(i).k)
    for number, j in enumerate(machine.paths[i]):
        step = 2 + 2 * number
        names = (f"c {i},{j}", here, PIPELINES, step), (f"rho {i},{j}", here, PIPELINES, step + 1)
        labels = f"axis {j} in body {i}", f"arm of joint {j} about body {i}"
        if j == i:
            c = program.load(*names[0], SX(AXIS), labels[0])
            rho = program.load(*names[1], machine.body(i).k, labels[1])
        else:
            l = program.kept(here, "l", machine.body(i).l_parent)
            c = program.task(*names[0], A @ motion.c[parent, j].value, labels[0])
            arm = A @ (motion.rho[parent, j].value - l) + k
            rho = program.task(*names[1], arm, labels[1])
        motion.c[i, j], motion.rho[i, j] = c, rho
        for held in (c, rho):
            program.outward(held, 1, i)
            program.send(held, here, [SOUTH] * (j - 1), PIPELINES)
        program.send(c, here, [NORTH], PIPELINES)
        if program.variant != PASS:
            program.send(rho, here, [NORTH], PIPELINES)


def _local_products(program: Program, motion: Motion, i: int) -> None:
    """J_i c_ik and m_i rho_ik x c_ik in node (k, i)."""
    machine = program.machine
    body, last = machine.body(i), 2 * len(machine.paths[i])
    for k in machine.paths[i]:
        here = k, i
        J = program.kept(here, "J", body.J + SX.zeros(3, 3))
        m = program.kept(here, "m", body.m)
        c, rho = motion.c[i, k].value, motion.rho[i, k].value
        label = f"inertia of body {i} on axis {k}"
        turned = program.repeated(
            f"J c {i},{k}", here, PIPELINES, last + 2, INERTIA, ca.vec(J), c, label=label
        )
        name, label = f"rho x c {i},{k}", f"motion of body {i}'s centre about axis {k}"
        step = last + 3
        if program.variant == PASS:  # what is sent is a task of its own
            moved = program.repeated(name, here, PIPELINES, step, CROSS, rho, c, label=label)
            motion.crossed[i, k] = moved
            momentum = program.task(
                f"m {name}", here, PIPELINES, last + 6, m * moved.value, f"its momentum, {i},{k}"
            ).value
        else:
            both = program.repeated(
                f"m {name}", here, PIPELINES, step, MOMENTUM, rho, c, m, label=label
            )
            motion.crossed[i, k] = Held(both.task, both.value[:3])
            momentum = both.value[3:]
        motion.inertial[i, k] = ca.vertcat(turned.value, momentum)


def _rates(
    program: Program, i: int, A: SX, spins: dict[int, tuple[Held, Held]], rate: SX
) -> tuple[Held, Held]:
    """Row 0: w_i and dw/dt_i, the joints' accelerations being left out."""
    machine, here = program.machine, (0, i)
    depth, parent = len(machine.paths[i]), machine.parent(i)
    names = (f"w {i}", here, PIPELINES, 2 * depth), (f"dw {i}", here, PIPELINES, 2 * depth + 1)
    labels = f"angular rate of body {i}", f"its change in body {i}"
    if not parent:
        w = program.load(*names[0], ca.vertcat(0, 0, rate), labels[0])
        dw = program.load(*names[1], SX(ca.DM.zeros(3)), labels[1])
    else:
        w_p, dw_p = spins[parent]
        w = program.task(*names[0], A @ w_p.value + ca.vertcat(0, 0, rate), labels[0])
        gyration = ca.vertcat(w.value[1] * rate, -w.value[0] * rate, SX(1, 1))
        dw = program.task(*names[1], A @ dw_p.value + gyration, labels[1])
    for held in (w, dw):
        program.outward(held, 0, i)
        if program.balanced:
            program.send(held, here, [SOUTH], PIPELINES)
    return w, dw


def _turning(program: Program, i: int, spin: tuple[Held, Held]) -> SX:
    """W_i = [dw/dt]x + [w]x², shape (3, 3)."""
    w, dw = (held.value for held in spin)
    squares, products = w**2, (w[0] * w[1], w[1] * w[2], w[2] * w[0])
    entries = ca.vertcat(
        squares[1] + squares[2],
        squares[2] + squares[0],
        squares[0] + squares[1],
        products[0] - dw[2],
        products[0] + dw[2],
        products[1] - dw[0],
        products[1] + dw[0],
        products[2] - dw[1],
        products[2] + dw[1],
    )
    step = 2 * len(program.machine.paths[i]) + 2
    x = program.task(f"W {i}", (0, i), PIPELINES, step, entries, f"turning of body {i}").value
    return ca.vertcat(
        ca.horzcat(-x[0], x[3], x[8]),
        ca.horzcat(x[4], -x[1], x[5]),
        ca.horzcat(x[7], x[6], -x[2]),
    )


def _accelerations(
    program: Program,
    i: int,
    A: SX,
    turning: SX,
    accelerations: dict[int, Held],
    swings: dict[int, Held],
) -> None:
    """Row 0: p''_i, and what the bodies carried by i add to it at their hinges."""
    machine, here = program.machine, (0, i)
    body, parent, depth = machine.body(i), machine.parent(i), len(machine.paths[i])
    k = program.kept(here, "k", body.k)
    own = program.task(
        f"W k {i}", here, PIPELINES, 2 * depth + 3, turning @ k, f"of the centre about hinge {i}"
    ).value
    for child in machine.children(i):
        l = program.kept(here, f"l {child}", body.l[child - 1])
        swings[child] = program.task(
            f"W l {i},{child}", here, PIPELINES, 2 * depth + 4, turning @ l, f"of hinge {child}"
        )
        program.outward(swings[child], 0, i, [child])
    if parent:
        before = accelerations[parent].value + swings[i].value
    else:
        before = program.kept(here, "-g", -machine.gravity)
    accelerations[i] = program.task(
        f"p {i}", here, PIPELINES, 2 * depth + 5, A @ before - own, f"acceleration of body {i}"
    )
    program.outward(accelerations[i], 0, i)


def _loads(program: Program, i: int, spin: tuple[Held, Held], acceleration: Held) -> SX:
    """[dL/dt_i; m_i p''_i] in node (0, i), with J w and J dw/dt from row 1 when balanced."""
    body, depth = program.machine.body(i), len(program.machine.paths[i])
    w, dw = (held.value for held in spin)
    helper = (1, i) if program.balanced else (0, i)
    J = program.kept(helper, "J", body.J + SX.zeros(3, 3))
    step = 2 * depth
    a = program.task(f"J w {i}", helper, PIPELINES, step + 4, J @ w, f"spin of body {i}")
    b = program.task(f"J dw {i}", helper, PIPELINES, step + 5, J @ dw, f"its change in body {i}")
    if program.balanced:
        for held in (a, b):
            program.send(held, (1, i), [NORTH], PIPELINES)
    here = 0, i
    m = program.kept(here, "m", body.m)
    both = ca.vertcat(ca.cross(w, a.value), m * acceleration.value)
    found = program.task(
        f"w x J w {i}", here, PIPELINES, step + 6, both, f"gyroscopic torque, force of body {i}"
    ).value
    torque = program.task(
        f"dL {i}", here, PIPELINES, step + 7, b.value + found[:3], f"torque on body {i}"
    )
    return ca.vertcat(torque.value, found[3:])
