"""Articulated-body inertia, and the elimination of a joint from it."""

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
    symmetric,
)
from phalanx.equations.tree.node import Node

_UPPER = [(i, j) for i in range(3) for j in range(i, 3)]


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

    @staticmethod
    def from_numbers(x: SX) -> ArticulatedInertia:
        """From its 21 :attr:`numbers`."""
        return ArticulatedInertia(
            symmetric(*ca.vertsplit(x[:6])),
            ca.reshape(x[6:15], 3, 3),
            symmetric(*ca.vertsplit(x[15:])),
        )

    @staticmethod
    def from_matrix(A: SX) -> ArticulatedInertia:
        """From a symmetric 6×6 matrix, of which the upper triangle counts."""
        return ArticulatedInertia(A[:3, :3], A[:3, 3:], A[3:, 3:])

    @property
    def numbers(self) -> SX:
        """The 21 numbers that differ: rotation, coupling, translation."""
        return ca.vertcat(
            *(self.rotation[i, j] for i, j in _UPPER),
            ca.vec(self.coupling),
            *(self.translation[i, j] for i, j in _UPPER),
        )

    @property
    def matrix(self) -> SX:
        """All of it, turning part first, shape (6, 6)."""
        return ca.vertcat(
            ca.horzcat(self.rotation, self.coupling), ca.horzcat(self.coupling.T, self.translation)
        )

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


@dataclass(frozen=True)
class ArticulatedBody:
    """A body with all that hangs on it: to accelerate by A it asks for the wrench I A + p."""

    inertia: ArticulatedInertia
    bias: Wrench

    @staticmethod
    def of(mass: MassMoments, bias: Wrench) -> ArticulatedBody:
        """A rigid body that asks for ``bias`` when it does not accelerate."""
        return ArticulatedBody(ArticulatedInertia.of(mass), bias)

    def __add__(self, other: ArticulatedBody) -> ArticulatedBody:
        """Two bodies joined."""
        return ArticulatedBody(self.inertia + other.inertia, self.bias + other.bias)

    def moving(self, A: Twist) -> ArticulatedBody:
        """The same, where accelerations count from A."""
        return ArticulatedBody(self.inertia, self.bias + self.inertia @ A)

    def into_parent(self, X: Transform) -> ArticulatedBody:
        """About the parent origin, in parent axes."""
        return ArticulatedBody(self.inertia.into_parent(X), self.bias.into_parent(X))


class JointElimination:
    """A joint eliminated from the equations of its node.

    Attributes:
        ratio: U D⁻¹: how the wrench on the node answers to a unit of joint force.
        drive: D⁻¹ u: the joint's acceleration when the node's frame does not accelerate.
        rest: What the joint cannot yield to and passes on: I - U D⁻¹ Uᵀ, and p + U D⁻¹ u, with what
            velocities accelerate.
        solve: D⁻¹ times a column, or several.
    """

    def __init__(
        self, node: Node, body: ArticulatedBody, tau: SX, by_velocity: Twist | None = None
    ) -> None:
        """Eliminate.

        Args:
            node: The node that the joint carries.
            body: The node with all that hangs on it.
            tau: Joint forces, one column or several, as many as biases.
            by_velocity: What velocities make of the node's acceleration; the joint's is zero then.
                Where no rest is asked for, :meth:`ArticulatedBody.moving` costs less.
        """
        I, p = body.inertia, body.bias
        U, u = I @ node.axes, tau - node.along(p)
        self.solve = factorize(node.along(U) + ca.diag(node.armature)).solve
        self.ratio = U.each(lambda part: self.solve(part.T).T)
        self.drive = self.solve(u)
        # about a turn without a rotor nothing is left: zeros that cost nothing
        self._clean = _turns_about_z(node.axes) and node.armature.is_zero()
        rest = I.without(U, self.ratio)
        if self._clean:
            rest = _without_turn(rest)
        if by_velocity is not None:
            p = p + rest @ by_velocity
        self.rest = ArticulatedBody(rest, p + self.ratio @ u)

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
