"""The Coriolis matrix."""

from __future__ import annotations

from casadi import SX

from phalanx.equations.equation import equation
from phalanx.equations.model_of import model_of
from phalanx.equations.tree.composites import composite_flows, composite_masses
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.motion import BaseMotion, velocities
from phalanx.mechanism import Mechanism


@equation("C")
def coriolis_matrix(mechanism: Mechanism | Model, q: SX, v: SX) -> SX:
    """C(q, v) with ``C v`` the Coriolis and centrifugal forces and ``dM/dt - 2 C`` skew.

    Of the many matrices with the first property this is the one with the second: the Christoffel
    symbols' matrix, which passivity-based and adaptive control need.

    Args:
        mechanism: The machine.
        q: Positions, shape (nq,).
        v: Velocities, shape (nv,).

    Returns:
        C, shape (nv, nv), sparse.

    Reference:
        Echeandia and Wensing (2021), Numerical methods to compute the Coriolis matrix and
        Christoffel symbols for rigid-body systems.
    """
    model = model_of(mechanism).regrouped
    X = model.transforms(q)
    motion = velocities(model, X, v, BaseMotion.still())
    masses = composite_masses(model, X)
    flows = composite_flows(model, X, motion)
    S = [node.axes for node in model.nodes]
    dS = [V.cross(axes) for V, axes in zip(motion, S, strict=True)]

    blocks: dict[tuple[int, int], SX] = {}
    for i in range(len(model.nodes)):
        column = masses[i].momentum(dS[i]) + flows[i].wrench(S[i].angular)
        momentum, response = masses[i].momentum(S[i]), flows[i].response(S[i])
        blocks[i, i] = S[i].dot(column)
        child = i
        for j in model.path(i):
            column = column.into_parent(X[child])
            momentum = momentum.into_parent(X[child])
            response = X[child].rotation.into_parent(response)
            blocks[j, i] = S[j].dot(column)
            blocks[i, j] = momentum.dot(dS[j]) + response.T @ S[j].angular
            child = j
    return model.assemble(blocks)
