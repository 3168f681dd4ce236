"""Derivatives of inverse dynamics, analytically.

For every node: unit motions S of its joint, their rate when the parent carries them and when the
node itself does, and the second rate that the parent gives, each in node axes; composite mass,
flow and the carried wrench. The rates are Ψ̇, Ṡ, Ψ̈ of Singh, Russo and Wensing (2022); their
composite Coriolis operator is replaced by the flow of :mod:`phalanx.equations.tree.momentum_flow`,
which needs 12 numbers in place of 36.
"""

from __future__ import annotations

import casadi as ca
from casadi import SX

from phalanx.equations.equation import equation
from phalanx.equations.model_of import model_of
from phalanx.equations.spatial import Acceleration, Twist, columnwise_cross
from phalanx.equations.tree.composites import composite_flows, composite_masses, composites
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.motion import BaseMotion, accelerations, velocities
from phalanx.mechanism import Mechanism


@equation("dtau_dq", "dtau_dv", "dtau_da")
def derivatives(mechanism: Mechanism | Model, q: SX, v: SX, a: SX) -> tuple[SX, SX, SX]:
    """Derivatives of the joint forces by position, velocity and acceleration.

    Position derivatives are along velocities: column k is the rate of tau when only ``v[k] = 1``
    moves q (for quaternions that is the tangent, not the four numbers). The last is M(q).

    Args:
        mechanism: The machine.
        q: Positions, shape (nq,).
        v: Velocities, shape (nv,).
        a: Accelerations, shape (nv,).

    Returns:
        Three matrices of shape (nv, nv), sparse.

    Reference:
        Singh, Russo and Wensing (2022); Carpentier and Mansard (2018).
    """
    model = model_of(mechanism).regrouped
    nodes = model.nodes
    X = model.transforms(q)
    still = BaseMotion.still()
    velocity = velocities(model, X, v, still)
    acceleration = accelerations(model, X, v, a, still, -model.gravity)
    masses = composite_masses(model, X)
    flows = composite_flows(model, X, velocity)
    needed = [node.mass.wrench(A) for node, A in zip(nodes, acceleration, strict=True)]
    carried = composites(model, X, needed)

    S = [node.axes for node in nodes]
    first: list[Twist] = []  # rate of the axes when the parent carries them
    second: list[Twist] = []  # its rate
    both: list[Twist] = []  # rates by parent and by node together
    root = Acceleration(still.V.angular, still.A.angular, -model.gravity)
    for i, parent in enumerate(model.parents):
        V_parent, A_parent = (
            (velocity[parent], acceleration[parent]) if parent >= 0 else (still.V, root)
        )
        V = V_parent.into_child(X[i])
        A = Twist(A_parent.dw, A_parent.at(X[i].translation)).in_child_axes(X[i].rotation)
        first.append(V.cross(S[i]))
        second.append(second_rate(V, A, S[i]))
        both.append(first[i] + velocity[i].cross(S[i]))

    by_q: dict[tuple[int, int], SX] = {}
    by_v: dict[tuple[int, int], SX] = {}
    by_a: dict[tuple[int, int], SX] = {}
    for i, node in enumerate(nodes):
        momentum, response = masses[i].momentum(S[i]), 2 * flows[i].response(S[i])
        column_q = masses[i].momentum(second[i]) + flows[i].wrench(2 * first[i].angular)
        column_v = masses[i].momentum(both[i]) + flows[i].wrench(2 * S[i].angular)
        by_q[i, i] = S[i].dot(column_q)
        by_v[i, i] = S[i].dot(column_v)
        by_a[i, i] = S[i].dot(momentum) + ca.diag(node.armature)
        # seen from further in, the whole outer part turns with the joint and takes its wrench along
        column_q = column_q + S[i].cross_wrench(carried[i])
        child = i
        for j in model.path(i):
            column_q = column_q.into_parent(X[child])
            column_v = column_v.into_parent(X[child])
            momentum = momentum.into_parent(X[child])
            response = X[child].rotation.into_parent(response)
            by_q[j, i] = S[j].dot(column_q)
            by_v[j, i] = S[j].dot(column_v)
            by_a[j, i] = S[j].dot(momentum)
            by_q[i, j] = momentum.dot(second[j]) + response.T @ first[j].angular
            by_v[i, j] = momentum.dot(both[j]) + response.T @ S[j].angular
            by_a[i, j] = by_a[j, i].T
            child = j
    return model.assemble(by_q), model.assemble(by_v), model.assemble(by_a)


def second_rate(V: Twist, A: Twist, S: Twist) -> Twist:
    """Second rate of unit motions S fixed in a body that moves at V and accelerates at A.

    A has the acceleration of the origin, so that V' = A - (0, w × u). Of V' × S + V × (V × S) the
    products of w × u with the axes nearly cancel: 2 (w (u·s) - s (w·u)) is left.
    """
    w, u, s = V.angular, V.linear, S.angular
    swept = 2 * (w @ (u.T @ s) - (w.T @ u) * s)
    return Twist(
        columnwise_cross(A.angular, s) + columnwise_cross(w, columnwise_cross(w, s)),
        columnwise_cross(A.angular, S.linear)
        + columnwise_cross(w, columnwise_cross(w, S.linear))
        + columnwise_cross(A.linear, s)
        + swept,
    )
