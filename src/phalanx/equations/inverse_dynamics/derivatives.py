"""Derivatives of inverse dynamics, analytically."""

from __future__ import annotations

import casadi as ca
from casadi import SX

from phalanx.equations.quantity import quantity
from phalanx.equations.tree.build import model_of
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.motion import BaseMotion, Velocity, accelerations, velocities
from phalanx.equations.tree.rates import (
    Columns,
    add,
    composite_flows,
    composite_masses,
    force_cross,
    motion_cross,
    pair,
    second_rate,
)
from phalanx.equations.tree.sweep import inward
from phalanx.mechanism import Mechanism


@quantity("dtau_dq", "dtau_dv", "dtau_da")
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
    nodes, parents = model.nodes, model.parents
    X = model.transforms(q)
    still = BaseMotion.still()
    velocity = velocities(model, X, v, still)
    acceleration = accelerations(model, X, v, a, still, -model.gravity)
    masses = composite_masses(model, X)
    flows = composite_flows(model, X, velocity)
    carried = inward(
        parents,
        [
            node.mass.wrench(A.w, A.dw, A.L, A.a)
            for node, A in zip(nodes, acceleration, strict=True)
        ],
        lambda i, parent, child: add(parent, X[i].wrench_into_parent(*child)),
    )

    axes = [node.axes for node in nodes]
    first: list[Columns] = []  # rate of the axes when the parent carries them
    second: list[Columns] = []  # its rate
    both: list[Columns] = []  # rates by parent and by node together
    for i in range(len(nodes)):
        V = velocity[parents[i]] if parents[i] >= 0 else Velocity(still.w, still.u)
        w_p, u_p = X[i].motion_into_child(V.w, V.u)
        if parents[i] >= 0:
            A = acceleration[parents[i]]
            dw_p, origin = A.dw, A.a + A.L @ X[i].translation
        else:
            dw_p, origin = still.dw, -model.gravity
        dw_p, origin = X[i].rotation.into_child(dw_p), X[i].rotation.into_child(origin)
        carried_axes = motion_cross(w_p, u_p, axes[i])
        first.append(carried_axes)
        second.append(second_rate(w_p, u_p, dw_p, origin, axes[i]))
        both.append(add(carried_axes, motion_cross(velocity[i].w, velocity[i].u, axes[i])))

    by_q: dict[tuple[int, int], SX] = {}
    by_v: dict[tuple[int, int], SX] = {}
    by_a: dict[tuple[int, int], SX] = {}
    for i, node in enumerate(nodes):
        S = axes[i]
        momentum, response = masses[i].momentum(*S), 2 * flows[i].response(*S)
        flow_q, flow_v = flows[i].force_of(2 * first[i][0]), flows[i].force_of(2 * S[0])
        column_q = add(masses[i].momentum(*second[i]), flow_q)
        column_v = add(masses[i].momentum(*both[i]), flow_v)
        by_q[i, i] = pair(S, column_q)
        by_v[i, i] = pair(S, column_v)
        by_a[i, i] = pair(S, momentum) + ca.diag(node.armature)
        # seen from further in, the whole outer part turns with the joint and takes its wrench along
        column_q = add(column_q, force_cross(S, *carried[i]))
        child = i
        for j in model.path(i):
            column_q = X[child].wrench_into_parent(*column_q)
            column_v = X[child].wrench_into_parent(*column_v)
            momentum = X[child].wrench_into_parent(*momentum)
            response = X[child].rotation.into_parent(response)
            by_q[j, i] = pair(axes[j], column_q)
            by_v[j, i] = pair(axes[j], column_v)
            by_a[j, i] = pair(axes[j], momentum)
            by_q[i, j] = pair(momentum, second[j]) + response.T @ first[j][0]
            by_v[i, j] = pair(momentum, both[j]) + response.T @ axes[j][0]
            by_a[i, j] = by_a[j, i].T
            child = j
    return model.assemble(by_q), model.assemble(by_v), model.assemble(by_a)
