"""Exponential map of joint motions (quaternions, planar and floating joints)."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
from casadi import SX

from phalanx.equations.tree.node import Freedom, quaternion_matrix

# Below this squared angle the series to the third term is exact in double precision.
SMALL = 1e-4


def move(freedom: Freedom, x: SX, d: SX) -> SX:
    """Position after a displacement ``d`` along an elementary joint's velocities, child axes."""
    match freedom:
        case Freedom.TURN | Freedom.SLIDE | Freedom.SCREW:
            return x + d
        case Freedom.BALL:
            return turned(x, d)
        case Freedom.PLANE:
            # constant velocity in turning axes runs along an arc: V(angle) d
            s, c = _sinc(d[2] ** 2), _versine(d[2] ** 2) * d[2]
            dx, dy = s * d[0] - c * d[1], c * d[0] + s * d[1]
            cos, sin = ca.cos(x[2]), ca.sin(x[2])
            return ca.vertcat(x[0] + cos * dx - sin * dy, x[1] + sin * dx + cos * dy, x[2] + d[2])
        case Freedom.FREE:
            shift, w = d[:3], d[3:]
            t2 = ca.dot(w, w)
            wxd = ca.cross(w, shift)
            along = shift + _versine(t2) * wxd + _cubic(t2) * ca.cross(w, wxd)
            return ca.vertcat(x[:3] + quaternion_matrix(x[3:]) @ along, turned(x[3:], w))


def turned(x: SX, w: SX) -> SX:
    """The quaternion ``x`` (x, y, z, w), of length one, after a turn ``w`` in child axes."""
    h2 = ca.dot(w, w) / 4
    s, c = _sinc(h2) / 2, _cosine(h2)
    u = s * w
    vec, scalar = x[:3], x[3]
    product = ca.vertcat(c * vec + scalar * u + ca.cross(vec, u), scalar * c - ca.dot(vec, u))
    return unit(product)


def unit(x: SX) -> SX:
    """A quaternion scaled to length one; NaN where the square of its length is zero or infinite."""
    square = ca.dot(x, x)
    return x * (ca.sqrt(square) / square)


def _cosine(t2: SX) -> SX:
    return ca.cos(ca.sqrt(t2))


def _sinc(t2: SX) -> SX:
    """sin(t)/t as a function of t²."""
    return series(t2, lambda t: ca.sin(t) / t, (1, -1 / 6, 1 / 120, -1 / 5040))


def _versine(t2: SX) -> SX:
    """(1 - cos t)/t², written with the half angle so that nothing cancels."""
    return _sinc(t2 / 4) ** 2 / 2


def _cubic(t2: SX) -> SX:
    """(t - sin t)/t³."""
    return series(
        t2, lambda t: (t - ca.sin(t)) / t**3, (1 / 6, -1 / 120, 1 / 5040, -1 / 362880), small=0.05
    )


def series(
    t2: SX, exact: Callable[[SX], SX], coefficients: tuple[float, ...], small: float = SMALL
) -> SX:
    """``exact(t)`` away from zero, a power series in t² near it; neither divides by zero."""
    powers = sum(c * t2**k for k, c in enumerate(coefficients))
    near = t2 < small
    t = ca.sqrt(ca.if_else(near, 1, t2))
    return ca.if_else(near, powers, exact(t))
