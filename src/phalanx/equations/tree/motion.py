"""Poses, velocities and accelerations of all nodes: the outward pass of kinematics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from casadi import SX

from phalanx.equations.spatial import Acceleration, Transform, Twist, cross, vector
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.node import Freedom, Node
from phalanx.equations.tree.passes import outward


def world_poses(model: Model, X: Sequence[Transform]) -> list[Transform]:
    """Pose of every node in the world."""
    return outward(model.parents, Transform.none(), lambda i, parent: parent.then(X[i]))


@dataclass(frozen=True)
class BaseMotion:
    """Motion of the root frame against an inertial frame, in root axes.

    Attributes:
        V: Velocity [rad/s, m/s].
        A: Angular acceleration and acceleration of the origin [rad/s², m/s²].
    """

    V: Twist
    A: Twist

    @staticmethod
    def still() -> BaseMotion:
        """A root that does not move."""
        return BaseMotion(Twist.none(), Twist.none())


def velocities(model: Model, X: Sequence[Transform], v: SX, base: BaseMotion) -> list[Twist]:
    """Velocities of all nodes in their own axes."""

    def move(i: int, parent: Twist) -> Twist:
        return velocity(model.nodes[i], X[i], parent, v)

    return outward(model.parents, base.V, move)


def velocity(node: Node, X: Transform, parent: Twist, v: SX) -> Twist:
    """Velocity of a node in its own axes, from its parent's."""
    return parent.into_child(X) + node.motion(v)


def accelerations(
    model: Model, X: Sequence[Transform], v: SX, a: SX, base: BaseMotion, fall: SX
) -> list[Acceleration]:
    """Accelerations of all nodes in their own axes; ``fall`` is added to the root's (-gravity)."""

    def move(i: int, parent: Acceleration) -> Acceleration:
        return acceleration(model.nodes[i], X[i], parent, v, a)

    root = Acceleration(base.V.angular, base.A.angular, base.A.linear + fall)
    return outward(model.parents, root, move)


def acceleration(node: Node, X: Transform, parent: Acceleration, v: SX, a: SX) -> Acceleration:
    """Acceleration of a node in its own axes, from its parent's."""
    R = X.rotation
    origin = R.into_child(parent.at(X.translation))
    w_p, dw_p = R.into_child(parent.w), R.into_child(parent.dw)
    V, A = node.motion(v), node.motion(a)
    match node.freedom:
        case Freedom.SLIDE:  # attitude follows the parent, the origin moves in it
            return Acceleration(w_p, dw_p, origin + A.linear + 2 * cross(w_p, V.linear))
        case Freedom.TURN if node.spin is not None:  # its frame stays with the parent
            return Acceleration(w_p, dw_p, origin)
        case Freedom.TURN:
            rate = node.rate(v)
            w = w_p + V.angular
            dw = dw_p + A.angular + vector(rate * w[1], -rate * w[0], 0)
        case _:
            w = w_p + V.angular
            dw = dw_p + A.angular + cross(w_p, V.angular)
    if node.freedom in (Freedom.SCREW, Freedom.PLANE, Freedom.FREE):
        # V is in child axes, which turn at w; the origin's own velocity adds w_p × u
        origin = origin + A.linear + cross(w, V.linear) + cross(w_p, V.linear)
    return Acceleration(w, dw, origin)
