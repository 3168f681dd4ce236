"""Articulated-body algorithm (ABA) in root coordinates."""

from __future__ import annotations

from collections.abc import Mapping

from casadi import SX

from phalanx.equations.equation import equation
from phalanx.equations.forward_dynamics.articulated_body import accelerate_from_rest, free_tree
from phalanx.equations.inverse_dynamics.recursive import recursive
from phalanx.equations.spatial import Transform
from phalanx.equations.tree.at_root import at_root
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.motion import BaseMotion
from phalanx.mechanism import Mechanism


@equation("a")
def articulated_body(
    mechanism: Mechanism | Model,
    q: SX,
    v: SX,
    tau: SX,
    *,
    wrenches: Mapping[str, SX] | None = None,
    base: BaseMotion | None = None,
) -> SX:
    """Accelerations in linear time, with articulated bodies about the root's origin.

    As Featherstone first had them: I_A,i = I_i + I_A,j - u uᵀ/D with no change of frame between
    bodies i and j. In Wong's account the acceleration of joint i is divided by the inertia of the
    next joint, which is another number.

    Args:
        mechanism: The machine; without mimic joints.
        q: Positions [m or rad], shape (nq,).
        v: Velocities [m/s or rad/s], shape (nv,).
        tau: Joint forces [N or N·m], shape (nv,).
        wrenches: Frame name to external wrench, as for inverse dynamics.
        base: Motion of the root; still when not given.

    Returns:
        Accelerations [m/s² or rad/s²], shape (nv,).

    Reference:
        Featherstone (1983); Wong (1991), §2.2.2.
    """
    model = free_tree(mechanism, "in_root_frame.articulated_body")
    bias = recursive(model, q, v, SX(model.nv, 1), wrenches=wrenches, base=base)
    tree, _ = at_root(model, q)
    return accelerate_from_rest(tree, [Transform.none()] * len(tree.nodes), tau - bias)
