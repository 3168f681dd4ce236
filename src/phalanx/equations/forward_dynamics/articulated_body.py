"""Articulated-body algorithm (ABA): forward dynamics in linear time."""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca
from casadi import SX

from phalanx.base.errors import InvalidModel
from phalanx.equations.equation import equation
from phalanx.equations.forward_dynamics.articulated_inertia import (
    ArticulatedBody,
    JointElimination,
)
from phalanx.equations.inverse_dynamics.recursive import recursive
from phalanx.equations.model_of import tree_of
from phalanx.equations.spatial import Transform, Twist, Wrench
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.motion import BaseMotion
from phalanx.equations.tree.passes import outward
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
    """Accelerations under joint forces ``tau`` in linear time (articulated bodies, ABA).

    The forces that motion and gravity need at zero acceleration come from inverse dynamics; what
    remains of tau accelerates the articulated bodies from rest. Splitting it so costs fewer
    operations than the usual three passes, for inverse dynamics forms no linear velocities.

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
        Featherstone (2008), ch. 7.
    """
    model = free_tree(mechanism, "articulated_body")
    bias = recursive(model, q, v, SX(model.nv, 1), wrenches=wrenches, base=base)
    return accelerate_from_rest(model, model.transforms(q), tau - bias)


def free_tree(mechanism: Mechanism | Model, method: str) -> Model:
    """The tree of a machine whose joints move by themselves, with regrouped masses.

    Raises:
        InvalidModel: It has loops or mimic joints.
    """
    model = tree_of(mechanism, method).regrouped
    if model.has_mimics:
        raise InvalidModel(
            f"mechanism '{model.mechanism.name}' has mimic joints, which tie branches together; "
            "use forward_dynamics.factorized."
        )
    return model


def accelerate_from_rest(model: Model, X: list[Transform], tau: SX) -> SX:
    """Accelerations of a tree at rest without gravity: M⁻¹ tau, for one or several columns."""
    nodes, parents = model.nodes, model.parents
    columns = tau.shape[1]
    bodies = [ArticulatedBody.of(node.mass, Wrench.none(columns)) for node in nodes]
    joints: dict[int, JointElimination] = {}

    # inward: a joint passes on what it cannot yield to
    for i in reversed(range(len(nodes))):
        node, parent = nodes[i], parents[i]
        own = tau[node.v : node.v + node.freedom.nv, :]
        joints[i] = JointElimination(node, bodies[i], own)
        if parent >= 0:
            bodies[parent] = bodies[parent] + joints[i].rest.into_parent(X[i])

    # outward: each joint accelerates by what its parent's motion leaves of its drive
    result: list[SX] = [SX(0)] * len(nodes)

    def move(i: int, parent: Twist) -> Twist:
        A = parent.into_child(X[i])
        result[i] = joints[i].acceleration(A)
        return A + nodes[i].axes @ result[i]

    outward(parents, Twist.none(columns), move)
    return ca.vertcat(*result)
