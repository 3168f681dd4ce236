"""Loop forces as wrenches on the two bodies of a closure."""

from __future__ import annotations

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.equations.equation import equation
from phalanx.equations.loops.closure.equations import closure_between, seen_together
from phalanx.equations.model_of import model_of
from phalanx.equations.spatial import Rotation, Transform, constant
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.positions import joint_position
from phalanx.mechanism import Joint, JointCoupling, Loop, Mechanism
from phalanx.mechanism.motion import joint_axes


@equation("W")
def loop_wrenches(mechanism: Mechanism | Model, q: SX, loop_force: SX) -> SX:
    """Loop wrenches: one on each of the two bodies of every loop.

    The equations of a loop do the power lambda · dc/dt. What that is for a small motion of one of
    its frames by itself is the wrench on that frame's body, whatever the kind of closure: the first
    is what the body of ``frame_b`` exerts on that of ``frame_a``, the second its reaction.

    Args:
        mechanism: The machine.
        q: Positions that close the loops [m or rad], shape (nq,).
        loop_force: Lambda of all closure equations, as forward dynamics and actuation give it,
            shape (equations,).

    Returns:
        A row for each loop, in the order of ``mechanism.loops``, shape (loops, 12): force [N] and
        moment [N·m] on the body of ``frame_a``, at the origin of ``frame_a`` and in its axes; then
        force and moment on the body of ``frame_b``, at the origin of ``frame_b`` and in its axes.
        A coupling of joints acts along their axes, and what carries the joints feels the reaction.
    """
    model = model_of(mechanism)
    rows, used = [], 0
    for loop in model.mechanism.loops:
        if isinstance(loop.motion, JointCoupling):
            rows.append(_coupled(model, loop.motion, q, loop_force[used]).T)
            used += 1
            continue
        equations, shifts = _shifted_equations(model, loop, q)
        own = loop_force[used : used + equations.numel()]
        used += equations.numel()
        wrenches = -ca.jtimes(equations, shifts, own, True)
        rows.append(ca.substitute(wrenches, shifts, SX.zeros(12)).T)
    return ca.vertcat(*rows)


def _coupled(model: Model, coupling: JointCoupling, q: SX, force: SX) -> SX:
    """What a coupling does along the axes of its joints; the bodies that carry these react."""
    m, leader = model.mechanism, coupling.leader
    wrenches = [SX.zeros(6)]
    if leader is not None:
        slope = coupling.slope(joint_position(model, leader, q))
        wrenches = [_along(m.joint(leader), slope * force)]
    return ca.vertcat(*wrenches, _along(m.joint(coupling.follower), -force))


def _along(joint: Joint, force: SX) -> SX:
    """A wrench that does the work of a force on a joint, on the body that it moves."""
    turn, slide = joint_axes(joint.motion, np.zeros(joint.motion.nq))
    if turn.any():  # a screw feels the moment as it would feel the force
        return ca.vertcat(SX.zeros(3), constant(turn[:, 0]) * force)
    return ca.vertcat(constant(slide[:, 0]) * force, SX.zeros(3))


def _shifted_equations(model: Model, loop: Loop, q: SX) -> tuple[SX, SX]:
    """The equations of a loop whose frames are shifted, each in its own axes, by twelve symbols."""
    shifts = SX.sym("shifts", 12)
    X_a, X_b = seen_together(model, loop, q)
    pressed_in = model.frame_offsets.get(loop.name)
    if pressed_in is None:
        end = _shifted(X_b, shifts[6:])
    else:  # a loop that is closed as assembled holds a place beside the frame
        R = X_b.rotation.full() @ pressed_in.rotation.full().T
        frame = Transform(Rotation(R), X_b.translation - R @ pressed_in.translation)
        end = _shifted(frame, shifts[6:]).then(pressed_in)
    return ca.vertcat(*closure_between(loop, _shifted(X_a, shifts[:6]), end)), shifts


def _shifted(X: Transform, d: SX) -> Transform:
    """A pose after a small shift d[:3] and turn d[3:] in its own axes, to first order."""
    R = X.rotation.full()
    return Transform(Rotation(R @ (SX.eye(3) + ca.skew(d[3:]))), X.translation + R @ d[:3])
