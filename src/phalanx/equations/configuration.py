"""Positions that are not vectors: how they change, and how they stay what they are."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
from casadi import SX

from phalanx.equations.exponential import move, unit
from phalanx.equations.quantity import quantity
from phalanx.equations.tree.build import model_of
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.node import Freedom, Node, quaternion_matrix
from phalanx.mechanism import Mechanism


@quantity("q_next")
def integrate(mechanism: Mechanism | Model, q: SX, v: SX) -> SX:
    """The position reached from ``q`` by moving at constant ``v`` for one unit of time.

    Positions that are not vectors (quaternions) stay what they are: each joint moves along the
    exponential of its own group. ``integrate(q, v * h)`` is an explicit Euler step of length h.

    Args:
        mechanism: The machine.
        q: Positions, shape (nq,).
        v: Displacements along the velocities, shape (nv,).
    """
    return _joint_by_joint(
        mechanism, lambda node: move(node.freedom, _positions(node, q), _velocities(node, v))
    )


@quantity("dq")
def position_rate(mechanism: Mechanism | Model, q: SX, v: SX) -> SX:
    """Time derivative of the positions: ``v`` itself, but for quaternions and moving axes.

    Args:
        mechanism: The machine.
        q: Positions, shape (nq,).
        v: Velocities, shape (nv,).
    """
    return _joint_by_joint(
        mechanism, lambda node: _rate(node.freedom, _positions(node, q), _velocities(node, v))
    )


@quantity("q_unit")
def normalized(mechanism: Mechanism | Model, q: SX) -> SX:
    """The positions with every quaternion scaled to length one.

    Args:
        mechanism: The machine.
        q: Positions, shape (nq,).
    """

    def scaled(node: Node) -> SX:
        x = _positions(node, q)
        match node.freedom:
            case Freedom.BALL:
                return unit(x)
            case Freedom.FREE:
                return ca.vertcat(x[:3], unit(x[3:]))
            case _:
                return x

    return _joint_by_joint(mechanism, scaled)


def _rate(freedom: Freedom, x: SX, v: SX) -> SX:
    match freedom:
        case Freedom.TURN | Freedom.SLIDE:
            return v
        case Freedom.BALL:
            return _quaternion_rate(x, v)
        case Freedom.PLANE:
            c, s = ca.cos(x[2]), ca.sin(x[2])
            return ca.vertcat(c * v[0] - s * v[1], s * v[0] + c * v[1], v[2])
        case Freedom.FREE:
            return ca.vertcat(quaternion_matrix(x[3:]) @ v[:3], _quaternion_rate(x[3:], v[3:]))


def _quaternion_rate(x: SX, w: SX) -> SX:
    """Half the product of a quaternion and the angular velocity in child axes."""
    vec, scalar = x[:3], x[3]
    return ca.vertcat(scalar * w + ca.cross(vec, w), -ca.dot(vec, w)) / 2


def _joint_by_joint(mechanism: Mechanism | Model, part: Callable[[Node], SX]) -> SX:
    """Stack a part for every joint that has coordinates of its own, in the order of q."""
    parts: dict[int, SX] = {}
    model = model_of(mechanism)
    leaders = {joint.name for joint in model.mechanism.moving_joints}
    for node in model.nodes:
        if node.joint in leaders:
            parts[node.q] = part(node)
    return ca.vertcat(*(parts[k] for k in sorted(parts)))


def _positions(node: Node, q: SX) -> SX:
    return q[node.q : node.q + node.freedom.nq]


def _velocities(node: Node, v: SX) -> SX:
    return v[node.v : node.v + node.freedom.nv]
