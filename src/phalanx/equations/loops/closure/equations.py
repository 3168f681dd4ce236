"""Loop-closure equations c(q) = 0 and their derivatives.

A loop's frames are compared from the last body they have in common, so that what carries the whole
loop does not enter. Each kind of closure contributes as many equations as it takes freedoms away.
Velocities obey A v = 0 and accelerations A a + b = 0, with A the derivative of c along the
velocities and b its rate times v, both by differentiation of c.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import NDArray

from phalanx.equations.spatial import Transform, constant
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.positions import joint_position, positions_rate
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
from phalanx.mechanism.motion import frame_on_axis

# lengths of the machine may be symbols, which are not among the arguments
_PARAMETERS = {"allow_free": True}


@dataclass(frozen=True)
class Constraint:
    """The equations of all loops at a state.

    Attributes:
        c: How far loops are open [m or rad for small angles], shape (m,).
        A: Its derivative along the velocities, shape (m, nv), sparse.
        b: Rate of A times v [m/s² or rad/s²], shape (m,).
    """

    c: SX
    A: SX
    b: SX


def constraint(model: Model, q: SX, v: SX, rows: tuple[int, ...] | None = None) -> Constraint:
    """The equations of the loops at a state; all of them, or some rows."""
    x, u = SX.sym("x", model.mechanism.nq), SX.sym("u", model.nv)
    c = closure(model, x)
    if rows is not None:
        c = c[list(rows)]
    rate = positions_rate(model, x, u)
    A = ca.simplify(ca.jacobian(c, x) @ ca.jacobian(rate, u)) if c.numel() else SX(0, model.nv)
    b = ca.jtimes(ca.jtimes(c, x, rate), x, rate) if c.numel() else SX(0, 1)
    return Constraint(*ca.Function("constraint", [x, u], [c, A, b], _PARAMETERS)(q, v))


def closure(model: Model, q: SX) -> SX:
    """How far the loops of a machine are open, equation by equation, shape (m,)."""
    return ca.vertcat(*(part for x in model.mechanism.loops for part in _equations(model, x, q)))


def closure_rate(model: Model, q: SX, v: SX) -> SX:
    """How fast the loops open: A v without forming A, shape (m,)."""
    x, u = SX.sym("x", model.mechanism.nq), SX.sym("u", model.nv)
    rate = ca.jtimes(closure(model, x), x, positions_rate(model, x, u))
    return ca.Function("rate", [x, u], [rate], _PARAMETERS)(q, v)


def closure_curvature(model: Model, q: SX, v: SX) -> SX:
    """Velocity term of the loop accelerations: b in A a + b = 0, shape (m,)."""
    x, u = SX.sym("x", model.mechanism.nq), SX.sym("u", model.nv)
    along = positions_rate(model, x, u)
    b = ca.jtimes(ca.jtimes(closure(model, x), x, along), x, along)
    return ca.Function("curvature", [x, u], [b], _PARAMETERS)(q, v)


def rows_of_loops(model: Model) -> list[str]:
    """For each equation the name of its loop."""
    return [name for name, _ in _rows(model)]


def lengths_in_rows(model: Model) -> NDArray[np.bool_]:
    """For each equation whether it is about lengths [m], not about angles [rad]."""
    return np.array([is_length for _, is_length in _rows(model)], dtype=bool)


def derivative_function(model: Model) -> ca.Function:
    """``q -> A``: the derivative of all closure equations along the velocities."""
    q, v = SX.sym("q", model.mechanism.nq), SX.sym("v", model.nv)
    return ca.Function("derivative", [q], [ca.densify(constraint(model, q, v).A)])


def _rows(model: Model) -> list[tuple[str, bool]]:
    return owners(model, _equations)


def owners(
    model: Model, demands: Callable[[Model, Loop, SX], tuple[SX, SX]]
) -> list[tuple[str, bool]]:
    """For each number that loops demand the name of its loop, and whether it is a length.

    Args:
        model: The machine.
        demands: What a loop demands of lengths and of angles in a posture.
    """
    q = SX.sym("q", model.mechanism.nq)
    return [
        (loop.name, is_length)
        for loop in model.mechanism.loops
        for part, is_length in zip(demands(model, loop, q), (True, False), strict=True)
        for _ in range(part.numel())
    ]


def _equations(model: Model, loop: Loop, q: SX) -> tuple[SX, SX]:
    """Closure equations of a loop, lengths and angles."""
    if isinstance(loop.motion, JointCoupling):
        return coupling_gap(model, loop.motion, q)
    return closure_between(loop, *seen_together(model, loop, q))


def coupling_gap(model: Model, coupling: JointCoupling, q: SX) -> tuple[SX, SX]:
    """How far a joint is from where a coupling wants it, a length or an angle."""
    m, leader = model.mechanism, coupling.leader
    wanted = coupling.position(0.0 if leader is None else joint_position(model, leader, q))
    gap, nothing = joint_position(model, coupling.follower, q) - wanted, SX(0, 1)
    slides = isinstance(m.joint(coupling.follower).motion, Prismatic)
    return (gap, nothing) if slides else (nothing, gap)


def closure_between(loop: Loop, X_a: Transform, X_b: Transform) -> tuple[SX, SX]:
    """Closure equations of a loop, lengths and angles, for poses of its ends in one frame."""
    d = X_b.translation - X_a.translation
    R_a, R_b = X_a.rotation.full(), X_b.rotation.full()
    nothing = SX(0, 1)
    match loop.motion:
        case Fixed():
            return d, _twist(R_a, R_b)
        case Spherical():
            return d, nothing
        case Revolute(axis=axis) | Continuous(axis=axis):
            across, along = _across(axis), constant(axis)
            return d, across.T @ R_a.T @ R_b @ along
        case Prismatic(axis=axis):
            return _across(axis).T @ R_a.T @ d, _twist(R_a, R_b)
        case Cylindrical(axis=axis):
            across, along = _across(axis), constant(axis)
            return across.T @ R_a.T @ d, across.T @ R_a.T @ R_b @ along
        case Universal(first=first, second=second):
            # the cross of the joint: its arms keep the angle they have at zero
            square = ca.dot(R_a @ constant(first), R_b @ constant(second)) - float(first @ second)
            return d, square
        case Planar(axis=axis):
            across, normal = _across(axis), constant(axis)
            return ca.dot(R_a @ normal, d), across.T @ R_a.T @ R_b @ normal
        case PlanarPin(axis=axis):
            return _across(axis).T @ R_a.T @ d, nothing
        case FixedDistance(length=length):
            return ca.norm_2(d) - length, nothing
        case _:  # floating: nothing is held
            return nothing, nothing


def _twist(R_a: SX, R_b: SX) -> SX:
    """Sine of the angle between two frames times its axis: zero when they are parallel."""
    R = R_a.T @ R_b
    return ca.vertcat(R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]) / 2


def _across(axis: np.ndarray) -> SX:
    """Two unit vectors square to an axis, as columns."""
    return constant(frame_on_axis(axis)[:, :2])


def seen_together(model: Model, loop: Loop, q: SX) -> tuple[Transform, Transform]:
    """Poses of a loop's frames in the last node they have in common."""
    places = model.ends(loop)
    paths = [[] if p.node < 0 else [p.node, *model.path(p.node)] for p in places]
    shared = set(paths[0]) & set(paths[1])
    poses = []
    for place, path in zip(places, paths, strict=True):
        own = [model.nodes[i].transform(q) for i in path if i not in shared]
        poses.append(reduce(Transform.then, [*reversed(own), place.pose], Transform.none()))
    return poses[0], poses[1]
