"""Logarithm map: displacements between positions, the inverse of `.exponential`."""

from __future__ import annotations

import math

import casadi as ca
from casadi import SX

from phalanx.equations.tree.exponential import series
from phalanx.equations.tree.node import Freedom, quaternion_matrix


def displacement(freedom: Freedom, x: SX, y: SX) -> SX:
    """Displacement from ``x`` to ``y`` along an elementary joint's velocities, child axes.

    Turns of balls, planes and free bodies are the shorter ones, by half a turn at most.
    """
    match freedom:
        case Freedom.TURN | Freedom.SLIDE | Freedom.SCREW:
            return y - x
        case Freedom.BALL:
            return turn_between(x, y)
        case Freedom.PLANE:
            angle = ca.remainder(y[2] - x[2], 2 * math.pi)
            cos, sin = ca.cos(x[2]), ca.sin(x[2])
            dx, dy = y[0] - x[0], y[1] - x[1]
            along, across = cos * dx + sin * dy, cos * dy - sin * dx
            # the arc undone: V(angle)⁻¹
            k, half = 1 - angle**2 * _bent(angle**2), angle / 2
            return ca.vertcat(k * along + half * across, k * across - half * along, angle)
        case Freedom.FREE:
            w = turn_between(x[3:], y[3:])
            r = quaternion_matrix(x[3:]).T @ (y[:3] - x[:3])
            wxr = ca.cross(w, r)
            return ca.vertcat(r - wxr / 2 + _bent(ca.dot(w, w)) * ca.cross(w, wxr), w)


def turn_between(x: SX, y: SX) -> SX:
    """The turn, in child axes, that takes a quaternion (x, y, z, w) to another; of any length."""
    vec = x[3] * y[:3] - y[3] * x[:3] - ca.cross(x[:3], y[:3])
    scalar = ca.dot(x, y)
    # both signs of a quaternion are one attitude: the one with the smaller turn is meant
    sign = ca.if_else(scalar < 0, -1, 1)
    size = ca.fabs(scalar)
    v2 = ca.dot(vec, vec)
    near = v2 < _SMALL * size**2
    u2 = ca.if_else(near, v2, 0) / ca.if_else(near, size**2, 1)
    powers = 1 - u2 / 3 + u2**2 / 5 - u2**3 / 7
    n = ca.sqrt(ca.if_else(near, 1, v2))
    factor = ca.if_else(near, powers / ca.if_else(near, size, 1), ca.atan2(n, size) / n)
    return 2 * sign * factor * vec


# Below this squared tangent of half the angle, four terms of its arc are exact in double precision.
_SMALL = 1e-4


def _bent(t2: SX) -> SX:
    """(1 - t/2 cot(t/2))/t²: how much of a chord across an arc is not along its beginning."""
    return series(
        t2,
        lambda t: (1 - t / 2 * ca.cos(t / 2) / ca.sin(t / 2)) / t**2,
        (1 / 12, 1 / 720, 1 / 30240, 1 / 1209600),
        small=0.05,
    )
