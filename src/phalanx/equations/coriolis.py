"""The Coriolis matrix."""

from __future__ import annotations

from casadi import SX

from phalanx.equations.quantity import quantity
from phalanx.equations.tree.build import model_of
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.motion import BaseMotion, velocities
from phalanx.equations.tree.rates import (
    add,
    composite_flows,
    composite_masses,
    motion_cross,
    pair,
)
from phalanx.mechanism import Mechanism


@quantity("C")
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
    axes = [node.axes for node in model.nodes]
    rates = [motion_cross(V.w, V.u, S) for V, S in zip(motion, axes, strict=True)]

    blocks: dict[tuple[int, int], SX] = {}
    for i in range(len(model.nodes)):
        column = add(masses[i].momentum(*rates[i]), flows[i].force_of(axes[i][0]))
        momentum, response = masses[i].momentum(*axes[i]), flows[i].response(*axes[i])
        blocks[i, i] = pair(axes[i], column)
        child = i
        for j in model.path(i):
            column = X[child].wrench_into_parent(*column)
            momentum = X[child].wrench_into_parent(*momentum)
            response = X[child].rotation.into_parent(response)
            blocks[j, i] = pair(axes[j], column)
            blocks[i, j] = pair(momentum, rates[j]) + response.T @ axes[j][0]
            child = j
    return model.assemble(blocks)
