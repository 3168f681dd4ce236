"""How far a posture is from another, as displacements along the velocities, over symbols."""

from __future__ import annotations

import casadi as ca
from casadi import SX

from phalanx.equations.tree.model import Model
from phalanx.equations.tree.node import Freedom, Node, quaternion_matrix


def towards(model: Model, q: SX, wanted: SX) -> SX:
    """Displacements that lead from ``q`` towards another posture, shape (nv,).

    Their length grows with the distance and is exact for angles, lengths and small turns; of a turn
    it is twice the sine of half the angle.
    """
    leaders = {joint.name for joint in model.mechanism.moving_joints}
    parts = {node.v: _own(node, q, wanted) for node in model.nodes if node.joint in leaders}
    return ca.vertcat(SX(0, 1), *(parts[k] for k in sorted(parts)))


def _own(node: Node, q: SX, wanted: SX) -> SX:
    own = slice(node.q, node.q + node.freedom.nq)
    x, y = q[own], wanted[own]
    match node.freedom:
        case Freedom.TURN | Freedom.SLIDE:
            return y - x
        case Freedom.BALL:
            return _turn(x, y)
        case Freedom.PLANE:
            c, s = ca.cos(x[2]), ca.sin(x[2])
            dx, dy = y[0] - x[0], y[1] - x[1]
            return ca.vertcat(c * dx + s * dy, c * dy - s * dx, y[2] - x[2])
        case Freedom.FREE:
            shift = quaternion_matrix(x[3:]).T @ (y[:3] - x[:3])
            return ca.vertcat(shift, _turn(x[3:], y[3:]))


def _turn(x: SX, y: SX) -> SX:
    """Twice the vector of the quaternion from x to y, the shorter way, in child axes."""
    vector = x[3] * y[:3] - y[3] * x[:3] - ca.cross(x[:3], y[:3])
    return ca.if_else(ca.dot(x, y) < 0, -2, 2) * vector
