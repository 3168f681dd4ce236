"""Articulated-body inertia, and the elimination of a joint from the equations of its node."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
from casadi import SX

from phalanx.equations.mass_matrix.factorization import factorize
from phalanx.equations.spatial import (
    MassMoments,
    Transform,
    Twist,
    Wrench,
    columnwise_cross,
    skew,
)
from phalanx.equations.tree.node import Node


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


class JointElimination:
    """A joint eliminated from the equations of its node.

    Attributes:
        ratio: U D⁻¹: how the wrench on the node answers to a unit of joint force.
        drive: D⁻¹ u: the joint's acceleration when the node's frame does not accelerate.
        rest: I - U D⁻¹ Uᵀ: the inertia that is left.
        pushed: U D⁻¹ u: the wrench that the joint force leaves.
        solve: D⁻¹ times a column, or several.
    """

    def __init__(self, node: Node, I: ArticulatedInertia, u: SX) -> None:
        """Eliminate; u are joint forces less what bodies at rest would ask for."""
        U = I @ node.axes
        self.solve = factorize(node.along(U) + ca.diag(node.armature)).solve
        self.ratio = U.each(lambda part: self.solve(part.T).T)
        self.drive = self.solve(u)
        self.pushed = self.ratio @ u
        # about a turn without a rotor nothing is left: zeros that cost nothing
        self._clean = _turns_about_z(node.axes) and node.armature.is_zero()
        rest = I.without(U, self.ratio)
        self.rest = _without_turn(rest) if self._clean else rest

    def without_joint(self, node: Node, K: Wrench) -> Wrench:
        """(1 - U D⁻¹ Sᵀ) K: what is left of wrenches that a joint can yield to."""
        rest = K - self.ratio @ node.along(K)
        return Wrench(_without_z(rest.moment), rest.force) if self._clean else rest

    def acceleration(self, A: Twist) -> SX:
        """Of the joint, when its node would accelerate by A without it."""
        return self.drive - self.ratio.dot(A)


def _symmetric_difference(A: SX, x: SX, y: SX) -> SX:
    """A - x yᵀ when the result is symmetric: the upper triangle is computed, the lower copied."""
    return _mirrored(A - x @ y.T)


def _mirrored(A: SX) -> SX:
    return ca.triu2symm(ca.triu(A))


def _turns_about_z(axes: Twist) -> bool:
    """Whether a joint turns about z of its node: in a tree at a posture, axes point anywhere."""
    return axes.linear.nnz() == 0 and axes.angular.sparsity() == SX.eye(3)[:, 2].sparsity()


def _without_turn(I: ArticulatedInertia) -> ArticulatedInertia:
    rotation = _without_z(_without_z(I.rotation).T)
    return ArticulatedInertia(rotation, _without_z(I.coupling), I.translation)


def _without_z(rows: SX) -> SX:
    return ca.vertcat(rows[:2, :], SX(1, rows.shape[1]))
