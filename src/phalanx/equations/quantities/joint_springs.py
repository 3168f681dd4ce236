"""Joint springs: energy and force at a position, for every kind of joint."""

from __future__ import annotations

import casadi as ca
from casadi import SX

from phalanx.equations.tree.node import quaternion_matrix
from phalanx.mechanism import Floating, Motion, Planar, Spherical

# Below this squared tangent the series to the fourth term is exact in double precision.
SMALL = 1e-4


def spring_energy(motion: Motion, stiffness: SX, rest: SX, x: SX) -> SX:
    """Energy of a joint's spring [J], stiffness · strain² / 2.

    Args:
        motion: How the joint moves.
        stiffness: [N·m/rad or N/m], shape (nv,).
        rest: Position at which it is relaxed, shape (nq,).
        x: Position of the joint, shape (nq,).
    """
    return ca.dot(stiffness, strain(motion, rest, x) ** 2) / 2


def spring_force(motion: Motion, stiffness: SX, rest: SX, x: SX) -> SX:
    """Force of a joint's spring along its velocities [N·m or N], shape (nv,)."""
    push = -stiffness * strain(motion, rest, x)
    match motion:
        case Planar():  # pushes along the axes of the plane, velocities along those of the child
            return plane_axes(x[2]).T @ push
        case Floating():
            return ca.vertcat(quaternion_matrix(x[3:]).T @ push[:3], push[3:])
        case _:
            return push


def strain(motion: Motion, rest: SX, x: SX) -> SX:
    """How far a position is from that of rest, shape (nv,): differences, a rotation vector."""
    match motion:
        case Spherical():
            return rotation_vector(rest, x)
        case Floating():
            return ca.vertcat(x[:3] - rest[:3], rotation_vector(rest[3:], x[3:]))
        case _:
            return x - rest


def rotation_vector(start: SX, end: SX) -> SX:
    """The shortest turn between two attitudes, quaternions of any length, in axes of the second.

    Both have the axis of the turn in common, so that axes of the first would do. Half a turn has
    two such vectors; one of them is given.
    """
    vec = start[3] * end[:3] - end[3] * start[:3] - ca.cross(start[:3], end[:3])
    scalar = start[3] * end[3] + ca.dot(start[:3], end[:3])
    square = ca.dot(vec, vec)
    near = square < SMALL * scalar**2
    t2 = square / ca.if_else(near, scalar**2, 1)
    series = (1 - t2 / 3 + t2**2 / 5 - t2**3 / 7) / ca.if_else(near, scalar, 1)
    sine = ca.sqrt(ca.if_else(near, 1, square))
    way = ca.if_else(scalar < 0, -1, 1)
    far = way * ca.atan2(sine, ca.fabs(scalar)) / sine
    return 2 * ca.if_else(near, series, far) * vec


def plane_axes(angle: SX) -> SX:
    """From the axes of a body that has turned in its plane to those of the plane."""
    c, s = ca.cos(angle), ca.sin(angle)
    return ca.blockcat([[c, -s, SX(0)], [s, c, SX(0)], [SX(0), SX(0), SX(1)]])
