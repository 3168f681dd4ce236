"""Joint positions: rates, displacements and normalization (quaternions)."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
from casadi import SX

from phalanx.equations.tree.exponential import move, unit
from phalanx.equations.tree.logarithm import displacement
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.node import Freedom, Node, quaternion_matrix


def joint_position(model: Model, joint: str, q: SX) -> SX:
    """The position of a joint with one degree of freedom, also of one that follows another."""
    mimic = model.mechanism.joint(joint).mimic
    if mimic is None:
        return q[model.mechanism.q_slices[joint]]
    return mimic.multiplier * q[model.mechanism.q_slices[mimic.leader]] + mimic.offset


def positions_after(model: Model, q: SX, d: SX) -> SX:
    """The positions reached from ``q`` by displacements along the velocities."""
    return _joint_by_joint(model, lambda node: move(node.freedom, _own_q(node, q), _own_v(node, d)))


def positions_between(model: Model, q0: SX, q1: SX) -> SX:
    """The displacements along the velocities that lead from ``q0`` to ``q1``, the shorter way."""
    return _joint_by_joint(
        model, lambda node: displacement(node.freedom, _own_q(node, q0), _own_q(node, q1))
    )


def positions_rate(model: Model, q: SX, v: SX) -> SX:
    """Time derivative of the positions."""
    return _joint_by_joint(
        model, lambda node: own_positions_rate(node.freedom, _own_q(node, q), _own_v(node, v))
    )


def unit_positions(model: Model, q: SX) -> SX:
    """The positions with every quaternion scaled to length one."""
    return _joint_by_joint(model, lambda node: own_unit_positions(node.freedom, _own_q(node, q)))


def own_unit_positions(freedom: Freedom, x: SX) -> SX:
    """Positions of an elementary joint with its quaternion, if it has one, of length one."""
    match freedom:
        case Freedom.BALL:
            return unit(x)
        case Freedom.FREE:
            return ca.vertcat(x[:3], unit(x[3:]))
        case _:
            return x


def own_positions_rate(freedom: Freedom, x: SX, v: SX) -> SX:
    """Time derivative of the positions of one node."""
    match freedom:
        case Freedom.TURN | Freedom.SLIDE | Freedom.SCREW:
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


def _joint_by_joint(model: Model, part: Callable[[Node], SX]) -> SX:
    """Stack a part for every joint that has coordinates of its own, in the order of q and v."""
    parts: dict[int, SX] = {}
    leaders = {joint.name for joint in model.mechanism.moving_joints}
    for node in model.nodes:
        if node.joint in leaders:
            parts[node.q] = part(node)
    return ca.vertcat(*(parts[k] for k in sorted(parts)))


def _own_q(node: Node, q: SX) -> SX:
    return q[node.q : node.q + node.freedom.nq]


def _own_v(node: Node, v: SX) -> SX:
    return v[node.v : node.v + node.freedom.nv]
