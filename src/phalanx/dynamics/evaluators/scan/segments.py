"""Steps of the scan over symbols: nodes added to segments, segments joined and parted.

Numbers of segments are columns, as they lie in arrays; see `equations.forward_dynamics.segment`.
"""

from __future__ import annotations

import casadi as ca
from casadi import SX

from phalanx.dynamics.evaluators.articulated import held_wrench, swung
from phalanx.equations.forward_dynamics.articulated_inertia import (
    ArticulatedBody,
    ArticulatedInertia,
    JointElimination,
)
from phalanx.equations.forward_dynamics.segment import (
    Junction,
    Segment,
    Turning,
    column,
    twist,
    wrench,
)
from phalanx.equations.forward_dynamics.segment import joined as joined_segments
from phalanx.equations.spatial import Acceleration, Twist, Wrench
from phalanx.equations.tree.node import Node

# numbers of what segments are made of
SYMMETRIC, FULL, TURNED, BIAS, ENDS = 21, 36, 12, 12, 12


def extended(node: Node, beyond: Segment, turned: SX, q: SX, v: SX) -> tuple[SX, SX, SX, SX]:
    """A node and the segment that hangs on it, whose tip turns as ``turned`` says."""
    X = node.transform(q)
    joint = JointElimination(node, beyond.with_body(node, Wrench.none()), SX(node.freedom.nv, 1))
    turning = Turning.of(node, X, v).then(Turning.from_numbers(turned))
    return *beyond.with_node(node, X, joint).columns, turning.numbers


def moving(node: Node, w: SX, q: SX, v: SX, external: SX) -> tuple[SX, SX, SX]:
    """Angular velocity of a node, and what motion makes of its acceleration and its wrench.

    Args:
        node: The node.
        w: Angular velocity of its parent, in parent axes.
        q: Its positions.
        v: Its velocities.
        external: The wrench on it, force first.

    Returns:
        Angular velocity; acceleration while parent and joint have none; the wrench it needs then.
    """
    A = swung(node, node.transform(q), Acceleration(w, SX(3, 1), SX(3, 1)), v)
    return A.w, column(Twist(A.dw, A.a)), column(held_wrench(node, A.w, external))


def bias(node: Node, beyond: Segment, q: SX, tau: SX, swing: SX, held: SX, bias_beyond: SX) -> SX:
    """P and g of a node and the segment that hangs on it, from those of the segment."""
    c = twist(swing)
    joint, _ = _eliminated(node, beyond, tau, c, wrench(held) + wrench(bias_beyond[:6]))
    moved = column(c + node.axes @ joint.drive)
    return ca.vertcat(
        column(joint.rest.bias.into_parent(node.transform(q))),
        bias_beyond[6:] + beyond.reach.T @ moved,
    )


def passed_on(node: Node, beyond: Segment, q: SX, tau: SX, swing: SX, held: SX, carried: SX) -> SX:
    """Bias wrench of a node where that of what hangs on it is known with its load."""
    joint, _ = _eliminated(node, beyond, tau, twist(swing), wrench(held) + wrench(carried))
    return column(joint.rest.bias.into_parent(node.transform(q)))


def settled(
    node: Node, beyond: Segment, q: SX, tau: SX, swing: SX, held: SX, carried: SX, above: SX
) -> tuple[SX, SX, SX, SX]:
    """Accelerations of a joint and its node, from that of its parent.

    Returns:
        Of the joint; of the node; the wrench that the joint passes to the node, there and at the
        parent.
    """
    X = node.transform(q)
    A = twist(above).into_child(X) + twist(swing)
    joint, body = _eliminated(node, beyond, tau, A, wrench(held) + wrench(carried))
    own = node.axes @ joint.drive
    F = body.bias + body.inertia @ own
    return joint.drive, column(A + own), column(F), column(F.into_parent(X))


def mismatch(
    node: Node,
    q: SX,
    tau: SX,
    swing: SX,
    held: SX,
    a: SX,
    above: SX,
    here: SX,
    passed: SX,
    outer: SX,
) -> tuple[SX, SX, SX]:
    """By how much a solution misses the equations of a node: joint force, motion, wrench.

    They are the joint forces, accelerations and wrenches of the machine at rest whose solution
    is what is missing.

    Args:
        node: The node.
        q: Its positions.
        tau: Joint forces.
        swing: What motion makes of its acceleration.
        held: What motion makes of its wrench.
        a: Accelerations of the joint.
        above: Acceleration of its parent.
        here: Its acceleration.
        passed: The wrench that the joint passes to it.
        outer: What it passes on to the next node, at its own origin.
    """
    F = wrench(passed)
    moved = column(twist(above).into_child(node.transform(q)) + node.axes @ a)
    needed = column(ArticulatedInertia.of(node.mass) @ twist(here))
    return (
        tau - node.along(F) - node.armature * a,
        moved + swing - here,
        needed + held + outer - passed,
    )


def joined(
    inertia_1: SX,
    reach_1: SX,
    give_1: SX,
    turned_1: SX,
    inertia_2: SX,
    reach_2: SX,
    give_2: SX,
    turned_2: SX,
) -> tuple[SX, ...]:
    """Two segments in a row as one, and what later steps need: (1 + I₂ G₁)⁻¹, 36 numbers."""
    first = Segment.from_columns(inertia_1, reach_1, give_1)
    both, junction = joined_segments(first, Segment.from_columns(inertia_2, reach_2, give_2))
    turning = Turning.from_numbers(turned_1).then(Turning.from_numbers(turned_2))
    return *both.columns, turning.numbers, ca.vec(junction.between)


def joined_bias(
    reach_1: SX, give_1: SX, inertia_2: SX, reach_2: SX, between: SX, bias_1: SX, bias_2: SX
) -> SX:
    """P and g of two segments in a row."""
    junction = _junction(give_1, inertia_2, between)
    f = junction.wrench(bias_1[6:], bias_2[:6])
    A = bias_1[6:] - junction.give @ f
    return ca.vertcat(bias_1[:6] + _full(reach_1) @ f, bias_2[6:] + _full(reach_2).T @ A)


def parted(
    reach_1: SX,
    give_1: SX,
    inertia_2: SX,
    reach_2: SX,
    between: SX,
    bias_1: SX,
    bias_2: SX,
    ends: SX,
) -> tuple[SX, SX]:
    """Ends of each of two segments, from the ends of both in a row.

    Ends are the acceleration of what a segment hangs on, and the wrench at its tip.
    """
    junction = _junction(give_1, inertia_2, between)
    A = _full(reach_1).T @ ends[:6] + bias_1[6:]
    f = junction.wrench(A, _full(reach_2) @ ends[6:] + bias_2[:6])
    A = A - junction.give @ f
    return ca.vertcat(ends[:6], f), ca.vertcat(A, ends[6:])


def turned_on(turned_1: SX, w: SX) -> tuple[SX, SX]:
    """Angular velocity of what each of two segments in a row hangs on."""
    return w, Turning.from_numbers(turned_1).at_tip(w)


def _eliminated(
    node: Node, beyond: Segment, tau: SX, A: Twist, needed: Wrench
) -> tuple[JointElimination, ArticulatedBody]:
    """The joint of a node that accelerates by A without it, and the node with what is beyond."""
    body = beyond.with_body(node, needed).moving(A)
    return JointElimination(node, body, tau), body


def _junction(give: SX, inertia: SX, between: SX) -> Junction:
    return Junction(_symmetric(give), _symmetric(inertia), _full(between))


def _full(x: SX) -> SX:
    return ca.reshape(x, 6, 6)


def _symmetric(x: SX) -> SX:
    return ArticulatedInertia.from_numbers(x).matrix
