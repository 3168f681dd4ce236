"""Forward dynamics in linear time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca
from casadi import SX

from phalanx.equations.forward_dynamics.tree import tree_of
from phalanx.equations.inverse_dynamics.recursive import recursive
from phalanx.equations.mass_matrix.factorization import Factorization, factorize
from phalanx.equations.quantity import quantity
from phalanx.equations.spatial import MassMoments, Transform, columnwise_cross, skew
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.motion import BaseMotion
from phalanx.equations.tree.sweep import outward
from phalanx.errors import InvalidModel
from phalanx.mechanism import Mechanism


@quantity("a")
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
    model = tree_of(mechanism, "articulated_body").regrouped
    if model.has_mimics:
        raise InvalidModel(
            f"mechanism '{model.mechanism.name}' has mimic joints, which tie branches together; "
            "use forward_dynamics.factorized."
        )
    bias = recursive(model, q, v, SX(model.nv, 1), wrenches=wrenches, base=base)
    return accelerate_from_rest(model, model.transforms(q), tau - bias)


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

    def times(self, w: SX, u: SX) -> tuple[SX, SX]:
        """Moment and force for angular and linear accelerations, columnwise."""
        return self.rotation @ w + self.coupling @ u, self.coupling.T @ w + self.translation @ u

    def without(self, n: SX, f: SX, n_scaled: SX, f_scaled: SX) -> ArticulatedInertia:
        """Less the part that a free joint cannot pass on: I - U D⁻¹ Uᵀ."""
        return ArticulatedInertia(
            _symmetric_difference(self.rotation, n_scaled, n),
            self.coupling - n_scaled @ f.T,
            _symmetric_difference(self.translation, f_scaled, f),
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
    inertias = [ArticulatedInertia.of(node.mass) for node in nodes]
    columns = tau.shape[1]
    rest = (SX.zeros(3, columns), SX.zeros(3, columns))
    biases = [rest] * len(nodes)
    U: list[tuple[SX, SX]] = [rest] * len(nodes)
    drives: list[SX] = [SX(0)] * len(nodes)
    solvers: list[Factorization] = []

    for i in reversed(range(len(nodes))):
        node, inertia = nodes[i], inertias[i]
        n, f = U[i] = inertia.times(*node.axes)
        D = factorize(node.along(n, f) + ca.diag(node.armature))
        solvers.append(D)
        own = tau[node.v : node.v + node.freedom.nv, :] - node.along(*biases[i])
        drives[i] = own
        if parents[i] >= 0:
            scaled = D.solve(ca.vertcat(n, f).T).T
            n_scaled, f_scaled = scaled[:3, :], scaled[3:, :]
            passed = inertia.without(n, f, n_scaled, f_scaled).into_parent(X[i])
            inertias[parents[i]] = inertias[parents[i]] + passed
            moment, force = X[i].wrench_into_parent(
                biases[i][0] + n_scaled @ own, biases[i][1] + f_scaled @ own
            )
            before = biases[parents[i]]
            biases[parents[i]] = (before[0] + moment, before[1] + force)
    solvers.reverse()

    result: list[SX] = [SX(0)] * len(nodes)

    def move(i: int, parent: tuple[SX, SX]) -> tuple[SX, SX]:
        w, u = X[i].motion_into_child(*parent)
        n, f = U[i]
        result[i] = solvers[i].solve(drives[i] - (n.T @ w + f.T @ u))
        angular, linear = nodes[i].axes
        return w + angular @ result[i], u + linear @ result[i]

    outward(parents, rest, move)
    return ca.vertcat(*result)


def _symmetric_difference(A: SX, x: SX, y: SX) -> SX:
    """A - x yᵀ when the result is symmetric: the upper triangle is computed, the lower copied."""
    return _mirrored(A - x @ y.T)


def _mirrored(A: SX) -> SX:
    return ca.triu2symm(ca.triu(A))
