"""Operation counts of the same methods today, with free frames and inertial parameters.

The source's bodies are as given, in frames on their joints, and every zero that an arm happens to
have is folded here. Frames that are slid and turned to where they cost least help a little. Masses
regrouped towards the root help most, but regrouped bodies have no centre of mass: the complement is
then taken at the hinges, with moments of mass in place of (m, J).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import casadi as ca
from casadi import SX

from phalanx.equations import expression, forward_dynamics, inverse_dynamics, mass_matrix
from phalanx.equations.equation import equation
from phalanx.equations.model_of import model_in_given_frames, model_of
from phalanx.equations.tree.model import Model
from phalanx.kernel import Operations, count_operations
from phalanx.mechanism import Mechanism

Equation = Callable[..., SX]


@equation("M")
def regrouped_complement(mechanism: Mechanism | Model, q: SX) -> SX:
    """Mass matrix M = Hᵀ I H with H the motions of all hinges and I regrouped masses.

    Args:
        mechanism: The machine.
        q: Positions [m or rad], shape (nq,).

    Returns:
        Symmetric M [kg, kg·m or kg·m²], shape (nv, nv), sparse.
    """
    model = model_of(mechanism).regrouped
    X = model.transforms(q)
    H = {(i, i): node.axes for i, node in enumerate(model.nodes)}
    blocks: dict[tuple[int, int], SX] = {}
    for i, node in enumerate(model.nodes):
        joints = [i, *model.path(i)]
        for j in joints[1:]:
            H[i, j] = H[node.parent, j].into_child(X[i])
        for position, j in enumerate(joints):
            own = node.mass.momentum(H[i, j])
            for k in joints[position:]:
                part = H[i, k].dot(own)
                blocks[k, j] = blocks[k, j] + part if (k, j) in blocks else part
        blocks[i, i] += ca.diag(node.armature)
    mirrored = {(j, k): block.T for (k, j), block in blocks.items() if k != j}
    return model.assemble(blocks | mirrored)


METHODS: Mapping[str, Mapping[str, Equation]] = {
    "inertia matrix": {
        "orthogonal complement": mass_matrix.orthogonal_complement,
        "composite bodies in the root's frame": mass_matrix.in_root_frame.composite_body,
        "accumulated inertia": mass_matrix.in_root_frame.accumulated_inertia,
        "spatial composites": mass_matrix.in_root_frame.spatial_composite,
        "composite bodies": mass_matrix.composite_body,
    },
    "inverse dynamics": {
        "orthogonal complement": inverse_dynamics.orthogonal_complement,
        "natural complement": inverse_dynamics.natural_complement,
        "Newton-Euler as printed": inverse_dynamics.conventional,
        "Newton-Euler": inverse_dynamics.recursive,
    },
    "forward dynamics": {
        "orthogonal complement": forward_dynamics.orthogonal_complement,
        "articulated bodies in the root's frame": forward_dynamics.in_root_frame.articulated_body,
        "articulated bodies": forward_dynamics.articulated_body,
        "factorized": forward_dynamics.factorized,
    },
}


def counts_today(mechanism: Mechanism) -> dict[str, dict[str, dict[str, Operations]]]:
    """Operations of a machine by part, method, and where frames and masses are.

    Args:
        mechanism: A tree.

    Returns:
        Part, then method, then ``given`` (frames of the mechanism), ``chosen`` (ours) and, for the
        complement alone, ``regrouped``. Other methods regroup by themselves where they can.
    """
    frames = {"given": model_in_given_frames(mechanism), "chosen": model_of(mechanism)}
    found = {
        part: {
            name: {
                place: count_operations(expression(method, model))
                for place, model in frames.items()
            }
            for name, method in methods.items()
        }
        for part, methods in METHODS.items()
    }
    found["inertia matrix"]["orthogonal complement"]["regrouped"] = count_operations(
        expression(regrouped_complement, frames["chosen"])
    )
    return found
