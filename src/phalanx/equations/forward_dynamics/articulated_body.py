"""Forward dynamics in linear time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca
from casadi import SX

from phalanx.base.errors import InvalidModel
from phalanx.equations.equation import equation
from phalanx.equations.forward_dynamics.tree import tree_of
from phalanx.equations.inverse_dynamics.recursive import recursive
from phalanx.equations.mass_matrix.factorization import Factorization, factorize
from phalanx.equations.spatial import (
    MassMoments,
    Transform,
    Twist,
    Wrench,
    columnwise_cross,
    skew,
)
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.motion import BaseMotion
from phalanx.equations.tree.sweep import outward
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
    operations than the usual three sweeps, for inverse dynamics forms no linear velocities.

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


@dataclass(frozen=True)
class ArticulatedInertia:
    """Symmetric 6×6: ``rotation`` and ``translation`` on the diagonal, ``coupling`` above."""

    rotation: SX
    coupling: SX
    translation: SX

    @staticmethod
    def of(mass: MassMoments) -> ArticulatedInertia:
        """Inertia of a rigid body about its origin."""
        return ArticulatedInertia(mass.inertia, skew(mass.h), mass.m * SX.eye(3))

    def __add__(self, other: ArticulatedInertia) -> ArticulatedInertia:
        """Two bodies joined."""
        return ArticulatedInertia(
            self.rotation + other.rotation,
            self.coupling + other.coupling,
            self.translation + other.translation,
        )

    def __matmul__(self, A: Twist) -> Wrench:
        """The wrench that accelerations ask for, columnwise."""
        w, u = A.angular, A.linear
        return Wrench(
            self.rotation @ w + self.coupling @ u, self.coupling.T @ w + self.translation @ u
        )

    def without(self, U: Wrench, scaled: Wrench) -> ArticulatedInertia:
        """Less the part that a free joint cannot pass on: I - U D⁻¹ Uᵀ, from U and U D⁻¹."""
        return ArticulatedInertia(
            _symmetric_difference(self.rotation, scaled.moment, U.moment),
            self.coupling - scaled.moment @ U.force.T,
            _symmetric_difference(self.translation, scaled.force, U.force),
        )

    def into_parent(self, X: Transform) -> ArticulatedInertia:
        """About the parent origin, in parent axes."""
        R, p = X.rotation, X.translation
        translation = R.symmetric_into_parent(self.translation)
        coupling = R.tensor_into_parent(self.coupling)
        moved = columnwise_cross(p, translation)  # [p] T
        lever = columnwise_cross(p, coupling.T)  # [p] Cᵀ
        # I + [p] Cᵀ - C [p] - [p] T [p]; every bracket on the right is a cross product of rows
        shifted = lever + lever.T + columnwise_cross(p, moved.T)
        return ArticulatedInertia(
            R.symmetric_into_parent(self.rotation) + _mirrored(shifted),
            coupling + moved,
            translation,
        )


def accelerate_from_rest(model: Model, X: list[Transform], tau: SX) -> SX:
    """Accelerations of a tree at rest without gravity: M⁻¹ tau, for one or several columns."""
    nodes, parents = model.nodes, model.parents
    columns = tau.shape[1]
    I = [ArticulatedInertia.of(node.mass) for node in nodes]
    bias = [Wrench.none(columns)] * len(nodes)
    U = [Wrench.none(columns)] * len(nodes)
    D: dict[int, Factorization] = {}
    drive: list[SX] = [SX(0)] * len(nodes)

    # inward: a joint passes on what it cannot yield to
    for i in reversed(range(len(nodes))):
        S, parent = nodes[i].axes, parents[i]
        U[i] = I[i] @ S
        D[i] = factorize(S.dot(U[i]) + ca.diag(nodes[i].armature))
        drive[i] = tau[nodes[i].v : nodes[i].v + nodes[i].freedom.nv, :] - S.dot(bias[i])
        if parent >= 0:
            scaled = _scaled(U[i], D[i])
            I[parent] = I[parent] + I[i].without(U[i], scaled).into_parent(X[i])
            bias[parent] = bias[parent] + (bias[i] + scaled @ drive[i]).into_parent(X[i])

    # outward: each joint accelerates by what its parent's motion leaves of its drive
    result: list[SX] = [SX(0)] * len(nodes)

    def move(i: int, parent: Twist) -> Twist:
        A = parent.into_child(X[i])
        result[i] = D[i].solve(drive[i] - U[i].dot(A))
        return A + nodes[i].axes @ result[i]

    outward(parents, Twist.none(columns), move)
    return ca.vertcat(*result)


def _scaled(U: Wrench, D: Factorization) -> Wrench:
    """U D⁻¹ for a symmetric D."""
    return U.each(lambda part: D.solve(part.T).T)


def _symmetric_difference(A: SX, x: SX, y: SX) -> SX:
    """A - x yᵀ when the result is symmetric: the upper triangle is computed, the lower copied."""
    return _mirrored(A - x @ y.T)


def _mirrored(A: SX) -> SX:
    return ca.triu2symm(ca.triu(A))
