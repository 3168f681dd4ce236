"""Pose mismatch of a loop's frames, for searches that start far away.

The equations of motion need as few closure equations as possible, and smooth ones: sines of angles,
which also vanish when a frame has turned over. Here everything that must agree is compared, more
than is independent, so that only closed postures are zeros and every step leads towards them.
"""

from __future__ import annotations

import casadi as ca
from casadi import SX

from phalanx.equations.loops.closure.equations import coupling_gap, owners, seen_together
from phalanx.equations.spatial import constant
from phalanx.equations.tree.model import Model
from phalanx.mechanism.joint import (
    Continuous,
    Cylindrical,
    Fixed,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from phalanx.mechanism.loop import FixedDistance, JointCoupling, Loop, PlanarPin


def mismatch(model: Model, q: SX) -> SX:
    """Mismatch of the loops [m, or rad for small angles]; zero when they are closed."""
    return ca.vertcat(*(part for x in model.mechanism.loops for part in _mismatch(model, x, q)))


def owners_of_mismatch(model: Model) -> list[tuple[str, bool]]:
    """For each number of :func:`mismatch` the name of its loop, and whether it is a length."""
    return owners(model, _mismatch)


def _mismatch(model: Model, loop: Loop, q: SX) -> tuple[SX, SX]:
    """Mismatch of a loop in lengths and in angles."""
    if isinstance(loop.motion, JointCoupling):
        return coupling_gap(model, loop.motion, q)
    X_a, X_b = seen_together(model, loop, q)
    # the second frame, seen from the first
    R = X_a.rotation.full().T @ X_b.rotation.full()
    p = X_a.rotation.full().T @ (X_b.translation - X_a.translation)
    nothing = SX(0, 1)
    match loop.motion:
        case Fixed():
            return p, _turn(R)
        case Spherical():
            return p, nothing
        case Revolute(axis=axis) | Continuous(axis=axis):
            a = constant(axis)
            return p, R @ a - a
        case Prismatic(axis=axis):
            return _aside(p, constant(axis)), _turn(R)
        case Cylindrical(axis=axis):
            a = constant(axis)
            return _aside(p, a), R @ a - a
        case Universal(first=first, second=second):
            return p, ca.dot(constant(first), R @ constant(second)) - first @ second
        case Planar(axis=axis):
            a = constant(axis)
            return ca.dot(a, p), R @ a - a
        case PlanarPin(axis=axis):
            return _aside(p, constant(axis)), nothing
        case FixedDistance(length=length):
            # a square, which has a derivative where the points coincide
            return (ca.dot(p, p) - length**2) / (2 * length), nothing
        case _:
            raise TypeError(f"unknown closure {loop.motion!r}")


def _turn(R: SX) -> SX:
    """All nine numbers of R - 1."""
    return ca.vec(R - SX.eye(3))


def _aside(p: SX, axis: SX) -> SX:
    """What of p does not lie along an axis."""
    return p - axis * ca.dot(axis, p)
