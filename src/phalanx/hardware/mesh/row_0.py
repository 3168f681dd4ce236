"""Phase 1 along row 0: rates, accelerations and loads, outward from body to body.

Node (0, i) finds the motion of body i from that of its parent, which comes from the west or by the
bus, and the load [dL/dt; m p''] that the motion asks for. J w and J dw/dt come from row 1, which
has time for them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import casadi as ca
from casadi import SX

from phalanx.hardware.mesh.loops import LoopMotion
from phalanx.hardware.mesh.program import (
    PIPELINES,
    Held,
    MeshProgram,
)
from phalanx.hardware.mesh.shape import NORTH, SOUTH


@dataclass
class _Row:
    """The motion so far, by body.

    Attributes:
        program: To write to.
        loops: What loops ask of joints.
        w: Angular rates.
        dw: Their changes in body axes, the accelerations of independent joints being left out.
        p: Accelerations of the centres of mass, less gravity.
        swing: W_p l_pi of the parent; of a slide also W_p times its axis.
    """

    program: MeshProgram
    loops: LoopMotion
    w: dict[int, Held] = field(default_factory=dict)
    dw: dict[int, Held] = field(default_factory=dict)
    p: dict[int, Held] = field(default_factory=dict)
    swing: dict[int, Held] = field(default_factory=dict)

    def step(self, i: int) -> int:
        """Twice as many as joints move body i: when its rates are due."""
        return 2 * len(self.program.machine.paths[i])


def write_motion(
    program: MeshProgram, A: dict[int, SX], q: list[SX], rates: list[SX], loops: LoopMotion
) -> dict[int, SX]:
    """The loads [dL/dt; m p''] of all bodies.

    Args:
        program: To write to.
        A: Rotations from the parent's axes to the body's, by body.
        q: Positions of the joints, column 1 first.
        rates: Rates of the freedoms, column 1 first.
        loops: What loops ask of joints: their accelerations while the independent ones have none.
    """
    row, loads = _Row(program, loops), {}
    for i, A_i in A.items():
        rate = ca.vertcat(*(rates[j - 1] for j in program.machine.of_joint(i)))
        _spin(row, i, A_i, rate)
        W = _turning(row, i)
        _acceleration(row, i, A_i, q[i - 1], rate, W)
        loads[i] = _load(row, i)
    return loads


def _spin(row: _Row, i: int, A: SX, rate: SX) -> None:
    """w_i = A_i w_p + z rate, dw_i = A_i dw_p + w_i x z rate; a slide turns with its parent.

    Of a joint of several freedoms z rate is the sum over those that turn.
    """
    program, here, step = row.program, (0, i), row.step(i)
    parent, slides = program.machine.parent(i), program.machine.slides(i)
    names = (f"w {i}", here, PIPELINES, step), (f"dw {i}", here, PIPELINES, step + 1)
    labels = f"angular rate of body {i}", f"its change in body {i}"
    if not program.machine.is_single(i):
        turn = program.machine.body(i).axes.angular @ rate
        if not parent:
            w = program.load(*names[0], ca.densify(turn), labels[0])
            dw = program.load(*names[1], SX(ca.DM.zeros(3)), labels[1])
        else:
            w = program.task(*names[0], A @ row.w[parent].value + turn, labels[0])
            change = A @ row.dw[parent].value + ca.cross(w.value, turn)
            dw = program.task(*names[1], change, labels[1])
    elif not parent:
        w = program.load(*names[0], ca.vertcat(0, 0, 0 if slides else rate), labels[0])
        dw = program.load(*names[1], ca.vertcat(0, 0, _bias(row, i, slides)), labels[1])
    else:
        w_i, dw_i = A @ row.w[parent].value, A @ row.dw[parent].value
        w = program.task(*names[0], w_i if slides else w_i + ca.vertcat(0, 0, rate), labels[0])
        gyration = ca.vertcat(w.value[1] * rate, -w.value[0] * rate, _bias(row, i, slides))
        dw = program.task(*names[1], dw_i if slides else dw_i + gyration, labels[1])
    row.w[i], row.dw[i] = w, dw
    for held in (w, dw):
        program.outward(held, 0, i)
        if program.balanced:
            program.send(held, here, [SOUTH], PIPELINES)


def _bias(row: _Row, i: int, slides: bool) -> SX:
    """Angular acceleration that loops ask of hinge i; no entry where there is none."""
    return SX(1, 1) if slides or i not in row.loops.bias else row.loops.bias[i]


def _turning(row: _Row, i: int) -> SX:
    """W_i = [dw/dt]x + [w]x², shape (3, 3)."""
    w, dw = row.w[i].value, row.dw[i].value
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
    place = (0, i), PIPELINES, row.step(i) + 2
    x = row.program.task(f"W {i}", *place, entries, f"turning of body {i}").value
    return ca.vertcat(
        ca.horzcat(-x[0], x[3], x[8]),
        ca.horzcat(x[4], -x[1], x[5]),
        ca.horzcat(x[7], x[6], -x[2]),
    )


def _acceleration(row: _Row, i: int, A: SX, q: SX, rate: SX, W: SX) -> None:
    """p''_i, and what the hinges of bodies carried by i add to theirs."""
    program, here, step = row.program, (0, i), row.step(i)
    machine = program.machine
    k = program.stored(here, "k", machine.body(i).k)
    label = f"of the centre about hinge {i}"
    own = program.task(f"W k {i}", here, PIPELINES, step + 3, W @ k, label).value
    for child in machine.children(i):
        still, per_travel = machine.hinge(child)
        value = W @ program.stored(here, f"l {child}", still)
        if machine.travels(child):
            moved = W @ program.stored(here, f"slide {child}", per_travel)
            value = ca.vertcat(value, ca.vec(moved))
        name, label = f"W l {i},{child}", f"of hinge {child}"
        row.swing[child] = program.task(name, here, PIPELINES, step + 4, value, label)
        program.outward(row.swing[child], 0, i, [child])
    value = A @ _brought(row, i, q) - own
    if not machine.is_single(i):
        if machine.travels(i):
            value = value + _carried_along(row, i, A, rate)
    elif machine.slides(i) and machine.parent(i):
        value = value + _along_slide(row, i, rate)
    if machine.slides(i) and i in row.loops.bias:
        value = value + program.stored(here, "axis", machine.axis(i)) * row.loops.bias[i]
    label = f"acceleration of body {i}"
    row.p[i] = program.task(f"p {i}", here, PIPELINES, step + 5, value, label)
    program.outward(row.p[i], 0, i)


def _brought(row: _Row, i: int, q: SX) -> SX:
    """Acceleration of hinge i as the parent has it, in the parent's axes; at the root, -g."""
    machine = row.program.machine
    parent = machine.parent(i)
    if not parent:
        return row.program.stored((0, i), "-g", -machine.gravity)
    swing = row.swing[i].value
    if machine.travels(i):
        swing = swing[:3] + ca.reshape(swing[3:], 3, q.numel()) @ q
    return row.p[parent].value + swing


def _along_slide(row: _Row, i: int, rate: SX) -> SX:
    """2 w_i x axis rate, of a slide on a body that turns (Coriolis)."""
    program, here = row.program, (0, i)
    axis = program.stored(here, "axis", program.machine.axis(i))
    value = ca.cross(row.w[i].value, axis) * (rate + rate)
    label = f"Coriolis, along slide {i}"
    return program.task(f"2 w x v {i}", here, PIPELINES, row.step(i) + 2, value, label).value


def _carried_along(row: _Row, i: int, A: SX, rate: SX) -> SX:
    """(w_i + A w_p) x u, of a joint that turns and travels, u being its rates of travel."""
    program, parent = row.program, row.program.machine.parent(i)
    u = ca.densify(program.machine.body(i).axes.linear @ rate)
    turning = row.w[i].value
    if parent:
        turning = turning + A @ row.w[parent].value
    value, label = ca.cross(turning, u), f"Coriolis, along joint {i}"
    place = (0, i), PIPELINES, row.step(i) + 2
    return program.task(f"2 w x v {i}", *place, value, label).value


def _load(row: _Row, i: int) -> SX:
    """[dL/dt_i; m_i p''_i] in node (0, i), with J w and J dw/dt from row 1 when balanced."""
    program, step = row.program, row.step(i)
    body, w, dw = program.machine.body(i), row.w[i].value, row.dw[i].value
    helper = (1, i) if program.balanced else (0, i)
    J = program.stored(helper, "J", body.J + SX.zeros(3, 3))
    a = program.task(f"J w {i}", helper, PIPELINES, step + 4, J @ w, f"spin of body {i}")
    b = program.task(f"J dw {i}", helper, PIPELINES, step + 5, J @ dw, f"its change in body {i}")
    if program.balanced:
        for held in (a, b):
            program.send(held, (1, i), [NORTH], PIPELINES)
    here = 0, i
    m = program.stored(here, "m", body.m)
    both = ca.vertcat(ca.cross(w, a.value), m * row.p[i].value)
    label = f"gyroscopic torque, force of body {i}"
    found = program.task(f"w x J w {i}", here, PIPELINES, step + 6, both, label).value
    value, label = b.value + found[:3], f"torque on body {i}"
    torque = program.task(f"dL {i}", here, PIPELINES, step + 7, value, label)
    return ca.vertcat(torque.value, found[3:])
