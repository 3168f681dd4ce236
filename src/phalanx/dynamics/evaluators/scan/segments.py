"""A segment of a chain as an articulated body with two ends, over symbols.

A *stretch* is a row of nodes, each on the one before, with the joint that carries the first. What
it hangs on accelerates by A, and it passes a wrench f on at its tip. Then it asks for the wrench
F of what it hangs on, and its tip accelerates by A_tip:

    F = I A + p + K f        A_tip = Kᵀ A - G f + g

I is the articulated inertia, K how far wrenches reach through, G how much the tip gives way while
the base is held; p and g come from motion, joint forces and loads. Two stretches in a row are a
stretch again: what passes between them solves one system, (1 + I₂ G₁) f = I₂ (K₁ᵀ A + g₁) + p₂ +
K₂ f₂, whose matrix has no eigenvalue below 1 and is eliminated without pivots. Joining is
associative, so stretches may be joined in any order, many at the same time.

Policy: inertias are joined by sums of what is not negative, and nothing is inverted but this
matrix. The form in which accelerations of both ends follow from wrenches on both would need the
inverse of every inertia.

Reference:
    Featherstone, A divide-and-conquer articulated-body algorithm, parts 1 and 2 (1999).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import casadi as ca
from casadi import SX

from phalanx.dynamics.evaluators.articulated import (
    column,
    packed,
    swung,
    unpacked,
    wrench,
)
from phalanx.dynamics.evaluators.small_matrices import inverse, mirrored
from phalanx.equations.forward_dynamics.articulated_inertia import (
    ArticulatedInertia,
    JointElimination,
)
from phalanx.equations.spatial import Acceleration, Twist, Wrench
from phalanx.equations.tree.node import Node

# numbers of what stretches are made of
SYMMETRIC, FULL, TURNED, BIAS, ENDS = 21, 36, 12, 12, 12


@final
@dataclass(frozen=True, eq=False)
class Segment:
    """What a stretch is while nothing moves.

    Attributes:
        inertia: I, 21 numbers of a symmetric matrix.
        reach: K, 36 numbers, column by column; six numbers of wrenches have moments first.
        give: G, 21 numbers.
        turned: Rotation of the tip in what it hangs on (9, column by column), and the angular
            velocity of the tip, in its axes, that the joints make (3).
    """

    inertia: SX
    reach: SX
    give: SX
    turned: SX

    @staticmethod
    def none() -> Segment:
        """A stretch of no node: what hangs on its tip hangs on its base."""
        return Segment(
            SX(SYMMETRIC, 1),
            ca.vec(ca.densify(SX.eye(6))),
            SX(SYMMETRIC, 1),
            ca.vertcat(ca.vec(ca.densify(SX.eye(3))), SX(3, 1)),
        )


def extended(node: Node, beyond: Segment, q: SX, v: SX) -> Segment:
    """A node and the stretch that hangs on it."""
    X, I = node.transform(q), _joined_inertia(node, beyond)
    K = wrench(_full(beyond.reach))
    along = node.along(K)  # what of tip wrenches the joint feels
    joint = JointElimination(node, I, along)
    R = ca.reshape(beyond.turned[:9], 3, 3)
    own = (node.axes @ v).angular
    return Segment(
        packed(joint.rest.into_parent(X)),
        ca.vec(column((K - joint.pushed).into_parent(X))),
        beyond.give + packed(_halves(along.T @ joint.drive)),
        ca.vertcat(ca.vec(X.rotation.into_parent(R)), beyond.turned[9:] + R.T @ own),
    )


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
    none = SX(3, 1)
    A = swung(node, node.transform(q), Acceleration(w, none, none), v)
    held = node.mass.wrench(Acceleration(A.w, none, none)) - Wrench.of(external)
    return A.w, ca.vertcat(A.dw, A.a), column(held)


def bias(node: Node, beyond: Segment, q: SX, tau: SX, swing: SX, held: SX, bias_beyond: SX) -> SX:
    """P and g of a node and the stretch that hangs on it, from those of the stretch."""
    joint, p, swung_by = _driven(node, beyond, tau, swing, wrench(held) + wrench(bias_beyond[:6]))
    moved = column(swung_by + node.axes @ joint.drive)
    return ca.vertcat(
        column((p + joint.pushed).into_parent(node.transform(q))),
        bias_beyond[6:] + _full(beyond.reach).T @ moved,
    )


def passed_on(node: Node, beyond: Segment, q: SX, tau: SX, swing: SX, held: SX, carried: SX) -> SX:
    """Bias wrench of a node where that of what hangs on it is known with its load."""
    joint, p, _ = _driven(node, beyond, tau, swing, wrench(held) + wrench(carried))
    return column((p + joint.pushed).into_parent(node.transform(q)))


def settled(
    node: Node, beyond: Segment, q: SX, tau: SX, swing: SX, held: SX, carried: SX, above: SX
) -> tuple[SX, SX, SX, SX]:
    """Accelerations of a joint and its node, from that of its parent.

    Returns:
        Of the joint; of the node; the wrench that the joint passes to the node, there and at the
        parent.
    """
    X = node.transform(q)
    start = column(_twist(above).into_child(X)) + swing
    joint, p, A = _driven(node, beyond, tau, start, wrench(held) + wrench(carried))
    own = node.axes @ joint.drive
    F = p + _joined_inertia(node, beyond) @ own
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
    moved = column(_twist(above).into_child(node.transform(q)) + node.axes @ a)
    needed = column(ArticulatedInertia.of(node.mass) @ _twist(here))
    return (
        tau - node.along(F) - node.armature * a,
        moved + swing - here,
        needed + held + outer - passed,
    )


def joined(first: Segment, second: Segment) -> tuple[Segment, SX]:
    """Two stretches in a row as one, and what later steps need: (1 + I₂ G₁)⁻¹, 36 numbers."""
    I, G = _symmetric(second.inertia), _symmetric(first.give)
    K_1, K_2 = _full(first.reach), _full(second.reach)
    between = inverse(SX.eye(6) + I @ G)
    R_1, R_2 = (ca.reshape(x.turned[:9], 3, 3) for x in (first, second))
    both = Segment(
        first.inertia + packed(_halves(K_1 @ mirrored(between @ I) @ K_1.T)),
        ca.vec(K_1 @ between @ K_2),
        second.give + packed(_halves(K_2.T @ mirrored(G @ between) @ K_2)),
        ca.vertcat(ca.vec(R_1 @ R_2), second.turned[9:] + R_2.T @ first.turned[9:]),
    )
    return both, ca.vec(between)


def joined_bias(
    reach_1: SX, give_1: SX, inertia_2: SX, reach_2: SX, between: SX, bias_1: SX, bias_2: SX
) -> SX:
    """P and g of two stretches in a row."""
    f = _full(between) @ (_symmetric(inertia_2) @ bias_1[6:] + bias_2[:6])
    A = bias_1[6:] - _symmetric(give_1) @ f
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
    """What happens at the ends of each of two stretches, from the ends of both in a row.

    Ends are the acceleration of what a stretch hangs on, and the wrench at its tip.
    """
    A = _full(reach_1).T @ ends[:6] + bias_1[6:]
    load = _full(reach_2) @ ends[6:] + bias_2[:6]
    f = _full(between) @ (_symmetric(inertia_2) @ A + load)
    A = A - _symmetric(give_1) @ f
    return ca.vertcat(ends[:6], f), ca.vertcat(A, ends[6:])


def turned_on(turned_1: SX, w: SX) -> tuple[SX, SX]:
    """Angular velocity of what each of two stretches in a row hangs on."""
    return w, ca.reshape(turned_1[:9], 3, 3).T @ w + turned_1[9:]


def _driven(
    node: Node, beyond: Segment, tau: SX, start: SX, p: Wrench
) -> tuple[JointElimination, Wrench, Twist]:
    """A joint that moves by itself while its node accelerates by ``start`` and needs p."""
    I, A = _joined_inertia(node, beyond), _twist(start)
    p = p + I @ A
    return JointElimination(node, I, tau - node.along(p)), p, A


def _joined_inertia(node: Node, beyond: Segment) -> ArticulatedInertia:
    return ArticulatedInertia.of(node.mass) + unpacked(beyond.inertia)


def _twist(x: SX) -> Twist:
    return Twist(x[:3, :], x[3:, :])


def _full(x: SX) -> SX:
    return ca.reshape(x, 6, 6)


def _symmetric(x: SX) -> SX:
    I = unpacked(x)
    return ca.vertcat(ca.horzcat(I.rotation, I.coupling), ca.horzcat(I.coupling.T, I.translation))


def _halves(A: SX) -> ArticulatedInertia:
    """A symmetric 6x6 matrix, upper triangle read, in the form of inertias."""
    return ArticulatedInertia(A[:3, :3], A[:3, 3:], A[3:, 3:])
