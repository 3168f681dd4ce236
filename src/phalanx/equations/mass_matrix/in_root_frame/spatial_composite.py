"""The mass matrix from first and second moments of composite bodies, in root axes."""

from __future__ import annotations

import casadi as ca
from casadi import SX

from phalanx.equations.equation import equation
from phalanx.equations.model_of import model_of
from phalanx.equations.spatial import MassMoments, Rotation, Transform
from phalanx.equations.tree.at_root import root_axes
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.motion import world_poses
from phalanx.equations.tree.passes import inward
from phalanx.mechanism import Mechanism


@equation("M")
def spatial_composite(mechanism: Mechanism | Model, q: SX) -> SX:
    """Mass matrix from the momentum of each composite body at its hinge, in root axes.

    M_ji = c_j · (n_i + P_ij × f_i), with n and f the momentum of all bodies beyond joint i when it
    moves at unit velocity, about its hinge, and P_ij from hinge j to hinge i. No momentum is handed
    from body to body: every entry is formed by itself.

    Args:
        mechanism: The machine.
        q: Positions [m or rad], shape (nq,).

    Returns:
        Symmetric M [kg, kg·m or kg·m²], shape (nv, nv), sparse.

    Reference:
        Fijany and Bejczy (1989); Wong (1991), §2.2.1.
    """
    model = model_of(mechanism).regrouped
    poses = world_poses(model, model.transforms(q))
    axes = [root_axes(node, X) for node, X in zip(model.nodes, poses, strict=True)]
    at = [X.translation for X in poses]

    def carry(i: int, parent: MassMoments, child: MassMoments) -> MassMoments:
        shift = at[i] - at[model.parents[i]]
        return parent + child.into_parent(Transform(Rotation(SX.eye(3)), shift))

    own = [
        node.mass.into_parent(Transform(X.rotation, SX.zeros(3, 1)))
        for node, X in zip(model.nodes, poses, strict=True)
    ]
    composites = inward(model.parents, own, carry)
    blocks: dict[tuple[int, int], SX] = {}
    for i, node in enumerate(model.nodes):
        F = composites[i].momentum(axes[i])
        blocks[i, i] = axes[i].dot(F) + ca.diag(node.armature)
        for j in model.path(i):
            blocks[j, i] = axes[j].dot(F.acting_at(at[i] - at[j]))
            blocks[i, j] = blocks[j, i].T
    return model.assemble(blocks)
