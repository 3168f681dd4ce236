"""Phase 1 along row 1: axes and arms outward, and the products that each node makes of them.

Node (1, i) finds c_ij and rho_ij for each joint j that moves body i and sends them east, south and
north; node (k, i) makes J_i c_ik and m_i rho_ik x c_ik of what comes by. A joint that slides has an
axis and no arm: all that it moves goes along the axis, and nothing turns.
"""

from __future__ import annotations

import casadi as ca
from casadi import SX

from phalanx.hardware.mesh.loops import LoopMotion
from phalanx.hardware.mesh.motion import MeshKinematics
from phalanx.hardware.mesh.patterns import (
    CROSS,
    INERTIA,
    MOMENTUM,
)
from phalanx.hardware.mesh.program import (
    PASS,
    PIPELINES,
    Held,
    MeshProgram,
)
from phalanx.hardware.mesh.shape import NORTH, SOUTH


def write_axes_and_arms(program: MeshProgram, motion: MeshKinematics, i: int, A: SX, q: SX) -> None:
    """c_ij and rho_ij in node (1, i) for each j that moves body i, the nearest first.

    Args:
        program: To write to.
        motion: To note them in.
        i: The body.
        A: Rotation from the parent's axes to the body's.
        q: Position of its joint.
    """
    machine, here = program.machine, (1, i)
    parent = machine.parent(i)
    k = program.stored(here, "k", machine.body(i).k)
    for number, j in enumerate(machine.paths[i]):
        step = 2 + 2 * number
        at = here, PIPELINES
        own = j in machine.of_joint(i)
        if own:
            c = program.load(f"c {i},{j}", *at, step, machine.axis(j), f"axis of joint {i}")
        else:
            value = A @ motion.c[parent, j].value
            c = program.task(f"c {i},{j}", *at, step, value, f"axis {j} in body {i}")
        motion.c[i, j] = c
        _tell(program, c, i, j)
        program.send(c, here, [NORTH], PIPELINES)
        if machine.slides(j):
            continue
        name, label = f"rho {i},{j}", f"arm of joint {j} about body {i}"
        if own:
            rho = program.load(name, *at, step + 1, machine.body(i).k, label)
        else:
            arm = A @ (motion.rho[parent, j].value - _hinge(program, i, q)) + k
            rho = program.task(name, *at, step + 1, arm, label)
        motion.rho[i, j] = rho
        _tell(program, rho, i, j)
        if program.variant != PASS:
            program.send(rho, here, [NORTH], PIPELINES)


def _hinge(program: MeshProgram, i: int, q: SX) -> SX:
    """From the parent's centre of mass to the hinge of body i, in the parent's axes."""
    here = 1, i
    still, per_travel = program.machine.hinge(i)
    l = program.stored(here, "l", still)
    return l + program.stored(here, "slide", per_travel) @ q if program.machine.travels(i) else l


def _tell(program: MeshProgram, held: Held, i: int, j: int) -> None:
    """Send an axis or arm of joint j to the bodies beyond, and to rows up to that of the joint."""
    program.outward(held, 1, i)
    program.send(held, (1, i), [SOUTH] * (program.machine.reach(j) - 1), PIPELINES)


def write_local_products(
    program: MeshProgram, motion: MeshKinematics, i: int, loops: LoopMotion
) -> None:
    """What joints move of body i, in nodes (k, i): [J c; m rho x c], or m c of a slide."""
    machine = program.machine
    body, last = machine.body(i), 2 * len(machine.paths[i])
    if machine.follows_loops(i):
        _write_closed_products(program, motion, i, loops)
        return
    for k in machine.paths[i]:
        here = k, i
        m, c = program.stored(here, "m", body.m), motion.c[i, k]
        if machine.slides(k):
            motion.moved[i, k] = c
            name, label = f"m c {i},{k}", f"momentum of body {i} along axis {k}"
            momentum = program.task(name, here, PIPELINES, last + 3, m * c.value, label)
            motion.inertial[i, k] = momentum.value
            continue
        J = program.stored(here, "J", body.J + SX.zeros(3, 3))
        label = f"inertia of body {i} on axis {k}"
        turned = program.repeated(
            f"J c {i},{k}", here, PIPELINES, last + 2, INERTIA, ca.vec(J), c.value, label=label
        ).value
        motion.inertial[i, k] = ca.vertcat(turned, _momentum(program, motion, i, k, m))


def _write_closed_products(
    program: MeshProgram, motion: MeshKinematics, i: int, loops: LoopMotion
) -> None:
    """P = H T of a body that loops move: in row k for the freedoms of that row and of those below.

    P of freedom a is how a unit rate of it moves the body, by the joints on its path: itself, and
    those that follow it.
    """
    machine = program.machine
    body, last = machine.body(i), 2 * len(machine.paths[i])
    for k in (0, *sorted(machine.movers(i))):
        here = k, i
        arms: dict[int, SX] = {}
        for a in machine.movers(i):
            if a < k:
                continue
            P = SX.zeros(6, 1)
            for j in machine.paths[i]:
                ratio = SX(1.0) if j == a else loops.ratios.get((j, a))
                if ratio is None:
                    continue
                if j not in arms:
                    arms[j] = _motion_of(program, motion, i, j, k)
                P = P + (arms[j] if j == a else ratio * arms[j])
            label = f"motion of body {i} for freedom {a}"
            name = f"P {i},{a} in {k}"
            motion.closed[k, i, a] = program.task(name, here, PIPELINES, last + 3, P, label).value
        if k:
            P = motion.closed[k, i, k]
            J = program.stored(here, "J", body.J + SX.zeros(3, 3))
            m = program.stored(here, "m", body.m)
            label = f"momentum of body {i} for freedom {k}"
            values = ca.vertcat(J @ P[:3], m * P[3:])
            at = here, PIPELINES, last + 4
            motion.inertial[i, k] = program.task(f"J P {i},{k}", *at, values, label).value


def _motion_of(program: MeshProgram, motion: MeshKinematics, i: int, j: int, k: int) -> SX:
    """[c; rho x c] of joint j for body i in node (k, i), or [0; c] of a slide."""
    c = motion.c[i, j].value
    if program.machine.slides(j):
        return ca.vertcat(SX.zeros(3, 1), c)
    last = 2 * len(program.machine.paths[i])
    label = f"motion of body {i}'s centre about axis {j}"
    place = f"rho x c {i},{j} in {k}", (k, i), PIPELINES, last + 2
    values = motion.rho[i, j].value, c
    moved = program.repeated(*place, CROSS, *values, label=label).value
    return ca.vertcat(c, moved)


def _momentum(program: MeshProgram, motion: MeshKinematics, i: int, k: int, m: SX) -> SX:
    """m_i rho_ik x c_ik, and rho_ik x c_ik noted."""
    here, last = (k, i), 2 * len(program.machine.paths[i])
    values = motion.rho[i, k].value, motion.c[i, k].value
    name, label = f"rho x c {i},{k}", f"motion of body {i}'s centre about axis {k}"
    if program.variant == PASS:  # what is sent is a task of its own
        moved = program.repeated(name, here, PIPELINES, last + 3, CROSS, *values, label=label)
        motion.moved[i, k] = moved
        value = m * moved.value
        return program.task(
            f"m {name}", here, PIPELINES, last + 6, value, f"its momentum, {i},{k}"
        ).value
    both = program.repeated(
        f"m {name}", here, PIPELINES, last + 3, MOMENTUM, *values, m, label=label
    )
    motion.moved[i, k] = Held(both.task, both.value[:3])
    return both.value[3:]
