"""Regressor: inverse dynamics as a linear function of the inertial parameters."""

from __future__ import annotations

import casadi as ca
from casadi import SX

from phalanx.equations.equation import equation
from phalanx.equations.model_of import model_of
from phalanx.equations.spatial import MassMoments, symmetric
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.motion import BaseMotion, accelerations
from phalanx.mechanism import Mechanism

PARAMETERS = ("m", "hx", "hy", "hz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")


@equation("Y")
def regressor(mechanism: Mechanism | Model, q: SX, v: SX, a: SX) -> SX:
    """The matrix Y with ``inverse_dynamics(q, v, a) = Y parameters`` (+ rotor inertia terms).

    Each body but the root has ten parameters, in the order of ``mechanism.bodies``: mass, first
    moments h = m·com, and the inertia tensor about the body's own origin, in body axes (xx, xy, yy,
    xz, yz, zz). Friction and rotors are not part of it.

    Args:
        mechanism: The machine.
        q: Positions, shape (nq,).
        v: Velocities, shape (nv,).
        a: Accelerations, shape (nv,).

    Returns:
        Shape (nv, 10·(number of bodies - 1)), sparse.

    Reference:
        Atkeson, An and Hollerbach (1986).
    """
    model = model_of(mechanism)
    X = model.transforms(q)
    motion = accelerations(model, X, v, a, BaseMotion.still(), -model.gravity)
    columns = []
    for body in model.mechanism.bodies[1:]:
        place = model.place(body.name)
        for k in range(10):
            if place.node < 0:
                columns.append(SX(model.nv, 1))
                continue
            unit = _unit(k).into_parent(place.pose)
            F = unit.wrench(motion[place.node])
            column = SX(model.nv, 1)
            i = place.node
            while i >= 0:
                node = model.nodes[i]
                column[node.v : node.v + node.freedom.nv] += node.multiplier * node.along(F)
                F = F.into_parent(X[i])
                i = node.parent
            columns.append(column)
    return ca.horzcat(*columns)


def _unit(k: int) -> MassMoments:
    """Mass moments of a body whose k-th parameter is one and whose others are zero."""
    p = [SX(1.0 if i == k else 0.0) for i in range(10)]
    I = symmetric(p[4], p[5], p[7], p[6], p[8], p[9])
    return MassMoments(p[0], ca.vertcat(p[1], p[2], p[3]), ca.trace(I) / 2 * SX.eye(3) - I)
