"""How every node moves: the outward sweep that dynamics and kinematics share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from casadi import SX

from phalanx.equations.spatial import Transform, acceleration_matrix, cross, vector, zero
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.node import Freedom
from phalanx.equations.tree.sweep import outward


@dataclass(frozen=True)
class BaseMotion:
    """Motion of the root frame against an inertial frame, in root axes.

    Attributes:
        w: Angular velocity [rad/s].
        u: Velocity of the root origin [m/s].
        dw: Angular acceleration [rad/s²].
        a: Acceleration of the root origin [m/s²].
    """

    w: SX
    u: SX
    dw: SX
    a: SX

    @staticmethod
    def still() -> BaseMotion:
        """A root that does not move."""
        return BaseMotion(zero(), zero(), zero(), zero())


@dataclass(frozen=True)
class Acceleration:
    """Angular velocity w, angular acceleration dw, L = [dw]x + [w]x[w]x, origin acceleration a."""

    w: SX
    dw: SX
    L: SX
    a: SX


def accelerations(
    model: Model, X: Sequence[Transform], v: SX, a: SX, base: BaseMotion, fall: SX
) -> list[Acceleration]:
    """Accelerations of all nodes in their own axes; ``fall`` is added to the root's (-gravity)."""

    def move(i: int, parent: Acceleration) -> Acceleration:
        node, R = model.nodes[i], X[i].rotation
        origin = R.into_child(parent.a + parent.L @ X[i].translation)
        w_p, dw_p = R.into_child(parent.w), R.into_child(parent.dw)
        w_joint, u_joint = node.motion(v)
        dw_joint, a_joint = node.motion(a)
        match node.freedom:
            case Freedom.SLIDE:  # attitude follows the parent, the origin moves in it
                slide = origin + a_joint + 2 * cross(w_p, u_joint)
                return Acceleration(w_p, dw_p, acceleration_matrix(w_p, dw_p), slide)
            case Freedom.TURN if node.spin is not None:  # its frame stays with the parent
                return Acceleration(w_p, dw_p, acceleration_matrix(w_p, dw_p), origin)
            case Freedom.TURN:
                rate = node.rate(v)
                w = w_p + w_joint
                dw = dw_p + dw_joint + vector(rate * w[1], -rate * w[0], 0)
            case _:
                w = w_p + w_joint
                dw = dw_p + dw_joint + cross(w_p, w_joint)
        if node.freedom in (Freedom.PLANE, Freedom.FREE):
            # u_joint is in child axes, which turn at w; the origin's own velocity adds w_p × u
            origin = origin + a_joint + cross(w, u_joint) + cross(w_p, u_joint)
        return Acceleration(w, dw, acceleration_matrix(w, dw), origin)

    root = Acceleration(base.w, base.dw, acceleration_matrix(base.w, base.dw), base.a + fall)
    return outward(model.parents, root, move)


@dataclass(frozen=True)
class Velocity:
    """Angular velocity w and velocity u of the origin, in a node's own axes."""

    w: SX
    u: SX


def velocities(model: Model, X: Sequence[Transform], v: SX, base: BaseMotion) -> list[Velocity]:
    """Velocities of all nodes in their own axes."""

    def move(i: int, parent: Velocity) -> Velocity:
        w, u = X[i].motion_into_child(parent.w, parent.u)
        w_joint, u_joint = model.nodes[i].motion(v)
        return Velocity(w + w_joint, u + u_joint)

    return outward(model.parents, Velocity(base.w, base.u), move)
