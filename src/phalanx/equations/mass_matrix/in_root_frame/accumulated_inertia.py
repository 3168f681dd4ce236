"""The mass matrix from inertias accumulated about the root's origin."""

from __future__ import annotations

import casadi as ca
from casadi import SX

from phalanx.equations.equation import equation
from phalanx.equations.model_of import model_of
from phalanx.equations.tree.at_root import at_root
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.passes import inward
from phalanx.mechanism import Mechanism


@equation("M")
def accumulated_inertia(mechanism: Mechanism | Model, q: SX) -> SX:
    """Mass matrix M = Bᵀ K B: K_i the inertias of all bodies beyond joint i, about the root.

    M_ij = s_i · K_i s_j for joint j on the path to joint i, s the unit motions of the joints about
    the root's origin.

    Args:
        mechanism: The machine.
        q: Positions [m or rad], shape (nq,).

    Returns:
        Symmetric M [kg, kg·m or kg·m²], shape (nv, nv), sparse.

    Reference:
        Bae, Hwang and Haug (1988); Lilly and Orin (1991), method III; Wong (1991), §2.2.3.
    """
    model = model_of(mechanism).regrouped
    tree, _ = at_root(model, q)
    K = inward(
        tree.parents, [node.mass for node in tree.nodes], lambda _, parent, child: parent + child
    )
    blocks: dict[tuple[int, int], SX] = {}
    for i, node in enumerate(tree.nodes):
        momentum = K[i].momentum(node.axes)
        for j in (i, *tree.path(i)):
            blocks[j, i] = tree.nodes[j].along(momentum)
            blocks[i, j] = blocks[j, i].T
        blocks[i, i] += ca.diag(node.armature)
    return model.assemble(blocks)
