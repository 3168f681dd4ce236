"""Composite-rigid-body algorithm (CRBA) for the mass matrix."""

from __future__ import annotations

import casadi as ca
from casadi import SX

from phalanx.equations.equation import equation
from phalanx.equations.model_of import model_of
from phalanx.equations.spatial import Wrench, vector
from phalanx.equations.tree.composites import composite_masses
from phalanx.equations.tree.model import Model
from phalanx.mechanism import Mechanism


@equation("M")
def composite_body(mechanism: Mechanism | Model, q: SX) -> SX:
    """Mass matrix M(q), so that kinetic energy is vᵀ M v / 2 (composite rigid bodies, CRBA).

    Entries between joints on different branches are structural zeros. Of the spanning tree where
    there are loops; see :func:`loops.reduced_mass_matrix`.

    Args:
        mechanism: The machine.
        q: Positions [m or rad], shape (nq,).

    Returns:
        Symmetric M [kg, kg·m or kg·m²], shape (nv, nv), sparse.

    Reference:
        Walker and Orin (1982), method 3; Featherstone (2008), ch. 6.
    """
    model = model_of(mechanism).lightest
    X = model.transforms(q)

    composites = composite_masses(model, X)

    blocks: dict[tuple[int, int], SX] = {}
    for i, node in enumerate(model.nodes):
        # momentum of composite i per unit velocity of its joint, carried to every joint below
        F = composites[i].momentum(node.axes)
        if node.spin is not None:
            F = Wrench(vector(0, 0, node.spin), F.force)
        blocks[i, i] = node.along(F) + ca.diag(node.armature)
        child = i
        for j in model.path(i):
            F = F.into_parent(X[child])
            blocks[j, i] = model.nodes[j].along(F)
            blocks[i, j] = blocks[j, i].T
            child = j
    return model.assemble(blocks)
