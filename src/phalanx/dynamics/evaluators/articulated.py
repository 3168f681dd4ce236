"""Articulated-body algorithm (ABA) as three passes over the nodes of a machine.

Motion is carried as angular velocity, angular acceleration and acceleration of the node's origin,
so no linear velocity is formed, and gravity enters with the root, which accelerates upward. What
velocities make of accelerations is cheap to compute and dear to keep: later passes do it again.

Unrolled code (`equations.forward_dynamics.articulated_body`) takes what motion needs from inverse
dynamics instead, with regrouped masses: fewer operations, but two passes more over the nodes.

Reference:
    Featherstone (2008), ch. 7.
"""

from __future__ import annotations

import casadi as ca
from casadi import SX

from phalanx.dynamics.evaluators.recursion import Pass, Recursion, StepResult
from phalanx.equations.forward_dynamics.articulated_inertia import (
    ArticulatedBody,
    ArticulatedInertia,
    JointElimination,
)
from phalanx.equations.spatial import Acceleration, Rotation, Transform, Twist, Wrench
from phalanx.equations.tree.motion import acceleration
from phalanx.equations.tree.node import Freedom, Node

INERTIA = 21  # numbers of an articulated inertia
MOTION = 9  # angular velocity, angular acceleration, acceleration of the origin


def packed(body: ArticulatedBody) -> SX:
    """An articulated body as it is handed on: 21 numbers of its inertia, 6 of its bias."""
    return ca.vertcat(body.inertia.numbers, body.bias.numbers)


def unpacked(x: SX) -> ArticulatedBody:
    """Unpack an articulated body from numbers."""
    return ArticulatedBody(ArticulatedInertia.from_numbers(x[:INERTIA]), Wrench.of(x[INERTIA:]))


def placed(node: Node, q: SX, turn: SX) -> Transform:
    """Pose of a node in its parent, with cosine and sine of a turn from an earlier pass."""
    if node.freedom is not Freedom.TURN:
        return node.transform(q)
    return Transform(
        Rotation(node.placement.rotation.matrix, (turn[0], turn[1])), node.placement.translation
    )


def kept_turn(X: Transform) -> SX:
    """Cosine and sine of a turn, for later passes; nothing for other joints."""
    return SX(0, 1) if X.rotation.turn is None else ca.vertcat(*X.rotation.turn)


def swung(node: Node, X: Transform, parent: Acceleration, v: SX) -> Acceleration:
    """How a node accelerates when its joint does not, from how its parent does."""
    return acceleration(node, X, parent, v, SX(node.freedom.nv, 1))


def turning(node: Node, w: SX, q: SX, v: SX) -> StepResult:
    """Outward: angular velocities."""
    X = node.transform(q)
    w = X.rotation.into_child(w) + (node.axes @ v).angular
    return StepResult(w, {"w": w, "turn": kept_turn(X)})


def yielding(
    node: Node, carried: SX, q: SX, v: SX, tau: SX, external: SX, w: SX, turn: SX
) -> StepResult:
    """Inward: a joint passes on what it cannot yield to."""
    X = placed(node, q, turn)
    c = by_velocity(node, X, parent_turning(node, X, w, v), v)
    body = unpacked(carried) + ArticulatedBody.of(node.mass, held_wrench(node, w, external))
    joint = JointElimination(node, body, tau, c)
    return StepResult(
        packed(joint.rest.into_parent(X)),
        {"ratio": ca.vec(joint.ratio.numbers), "drive": joint.drive},
    )


def held_wrench(node: Node, w: SX, external: SX) -> Wrench:
    """The wrench that a body asks for when only its velocity is there, less what acts on it."""
    none = SX(3, 1)
    return node.mass.wrench(Acceleration(w, none, none)) - Wrench.of(external)


def parent_turning(node: Node, X: Transform, w: SX, v: SX) -> SX:
    """Angular velocity of the parent, from that of the node."""
    return X.rotation.into_parent(w - (node.axes @ v).angular)


def by_velocity(node: Node, X: Transform, w_parent: SX, v: SX) -> Twist:
    """Velocity-dependent part of a node's acceleration."""
    none = SX(3, 1)
    c = swung(node, X, Acceleration(w_parent, none, none), v)
    return Twist(c.dw, c.a)


def accelerating(
    node: Node, motion: SX, q: SX, v: SX, turn: SX, ratio: SX, drive: SX
) -> StepResult:
    """Outward: each joint accelerates by what its parent's motion leaves of its drive."""
    X = placed(node, q, turn)
    A = swung(node, X, Acceleration(motion[:3], motion[3:6], motion[6:]), v)
    a = drive - Wrench.of(ca.reshape(ratio, 6, node.freedom.nv)).dot(Twist(A.dw, A.a))
    own = node.axes @ a
    return StepResult(ca.vertcat(A.w, A.dw + own.angular, A.a + own.linear), results={"a": a})


# (q, v, tau, external) -> a
FORWARD_DYNAMICS_ACTED_ON = Recursion(
    "forward_dynamics_acted_on",
    (
        Pass("outward", 3, turning),
        Pass("inward", INERTIA + 6, yielding),
        Pass("outward", MOTION, accelerating),
    ),
)
# (q, v, tau) -> a
FORWARD_DYNAMICS = FORWARD_DYNAMICS_ACTED_ON.without("external", name="forward_dynamics")
