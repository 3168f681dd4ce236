"""Steps of forward dynamics within segments and between them, over symbols.

Segments in a row are a chain of bodies with two ends, much shorter than the chain itself; see
`equations.forward_dynamics.segment`. Within a segment an inward pass makes it out of its nodes;
between segments a recursion by articulated bodies treats it as one node.
"""

from __future__ import annotations

import casadi as ca
from casadi import SX

from phalanx.dynamics.evaluators.articulated import (
    INERTIA,
    MOTION,
    by_velocity,
    held_wrench,
    kept_turn,
    parent_turning,
    placed,
    swung,
)
from phalanx.dynamics.evaluators.recursion import StepResult
from phalanx.equations.forward_dynamics.articulated_inertia import (
    ArticulatedInertia,
    JointElimination,
)
from phalanx.equations.forward_dynamics.segment import (
    Junction,
    Segment,
    Turning,
    column,
    wrench,
)
from phalanx.equations.spatial import Acceleration, Twist, Wrench
from phalanx.equations.tree.node import Node

SPIN = 12  # how the tip turns
REST = INERTIA + 36 + INERTIA  # I, K, G
BODY = REST + 12  # the same, p and g
TIP = BODY + 3  # the same, and the angular velocity of the node that the pass has come to
DRIVEN = MOTION + 6  # motion of what the segment hangs on, wrench at its tip


def spin_at_base() -> SX:
    """Spin at the base of an empty segment."""
    return Turning.none().numbers


def _at_tip(w: SX) -> SX:
    """What the inward pass within a segment begins with, at its tip."""
    return ca.vertcat(_numbers(Segment.none(), Wrench.none(), SX(6, 1)), w)


# -- within a segment, node after node ------------------------------------------------------------


def spinning(node: Node, spin: SX, q: SX, v: SX) -> StepResult:
    """Outward: how the tip turns."""
    X = node.transform(q)
    tip = Turning.from_numbers(spin).then(Turning.of(node, X, v))
    return StepResult(tip.numbers, {"turn": kept_turn(X)})


def gathering(node: Node, tip: SX, q: SX, v: SX, tau: SX, external: SX, turn: SX) -> StepResult:
    """Inward: one node more at the base; angular velocities are taken back on the way."""
    beyond, p, g = _parts(tip)
    w = tip[BODY:]
    X = placed(node, q, turn)
    w_parent = parent_turning(node, X, w, v)
    c = by_velocity(node, X, w_parent, v)
    body = beyond.with_body(node, p + held_wrench(node, w, external))
    joint = JointElimination(node, body, tau, c)
    bias = joint.rest.bias.into_parent(X)
    pulled = beyond.pulled(node)
    # Kᵀ(c + S a), whose parts that the next segment has anyway cost nothing
    g = g + pulled.T @ joint.drive + beyond.past(node, joint).dot(c)
    return StepResult(
        ca.vertcat(_numbers(beyond.with_node(node, X, joint), bias, g), w_parent),
        {
            "ratio": ca.vec(joint.ratio.numbers),
            "drive": joint.drive,
            "answer": ca.vec(joint.solve(pulled)),
        },
    )


def driven(
    node: Node, motion: SX, q: SX, v: SX, turn: SX, ratio: SX, drive: SX, answer: SX
) -> StepResult:
    """Outward: joints accelerate, what moves the base and pulls the tip being known."""
    X, nv = placed(node, q, turn), node.freedom.nv
    A = swung(node, X, Acceleration(motion[:3], motion[3:6], motion[6:MOTION]), v)
    f = motion[MOTION:]
    a = drive - ca.reshape(answer, nv, 6) @ f
    a = a - Wrench.of(ca.reshape(ratio, 6, nv)).dot(Twist(A.dw, A.a))
    own = node.axes @ a
    on = ca.vertcat(A.w, A.dw + own.angular, A.a + own.linear, f)
    return StepResult(on, results={"a": a})


# -- between segments, one after the other --------------------------------------------------------


def segment_turning(w: SX, spin: SX) -> tuple[SX, SX]:
    """Angular velocity of the tip, and what the pass within the segment begins with there."""
    w = Turning.from_numbers(spin).at_tip(w)
    return w, _at_tip(w)


def segment_yielding(carried: SX, tip: SX) -> tuple[SX, SX, SX]:
    """What is handed on to the parent, and what is kept: T Kᵀ and the tip's wrench at rest.

    T is the inertia of what hangs on the tip, felt through it.
    """
    segment, p, g = _parts(tip)
    hanging = ArticulatedInertia.from_numbers(carried[:INERTIA])
    junction = Junction.of(segment.give, hanging.matrix)
    K = segment.reach
    TK = junction.yielding_inertia @ K.T
    rest = junction.wrench(g, column(Wrench.of(carried[INERTIA:])))
    inertia = ArticulatedInertia.from_matrix(segment.inertia.matrix + K @ TK)
    return ca.vertcat(inertia.numbers, (p + wrench(K @ rest)).numbers), ca.vec(TK), rest


def segment_accelerating(motion: SX, spin: SX, tip: SX, TK: SX, rest: SX) -> tuple[SX, SX]:
    """Motion of the tip; and of the base, with the wrench handed on to the tip."""
    segment, _, g = _parts(tip)
    A = motion[3:]
    f = ca.reshape(TK, 6, 6) @ A + rest
    w = Turning.from_numbers(spin).at_tip(motion[:3])
    return ca.vertcat(w, segment.reach.T @ A - segment.give @ f + g), ca.vertcat(motion, f)


def _numbers(segment: Segment, p: Wrench, g: SX) -> SX:
    """All of a segment that moves."""
    return ca.vertcat(*segment.columns, column(p), g)


def _parts(x: SX) -> tuple[Segment, Wrench, SX]:
    """The same out of numbers."""
    ends = [0, INERTIA, INERTIA + 36, REST, REST + 6, BODY, x.numel()]
    *segment, p, g, _ = ca.vertsplit(x, ends)
    return Segment.from_columns(*segment), wrench(p), g
