"""Rotations and rigid transforms (poses) between frames."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
from casadi import SX

from phalanx.equations.spatial.vectors import symmetric, symmetric_product, zero


@dataclass(frozen=True)
class Rotation:
    """Rotation from child axes to parent axes, ``matrix @ Rz(turn)``.

    Kept in two factors because a turn about z costs 4 multiplications a vector and the matrix,
    between well-chosen frames, none.
    """

    matrix: SX
    turn: tuple[SX, SX] | None = None  # cosine and sine

    def into_parent(self, v: SX) -> SX:
        """R v, for a vector or the columns of a 3×k matrix."""
        if self.turn is not None:
            c, s = self.turn
            v = ca.vertcat(c * v[0, :] - s * v[1, :], s * v[0, :] + c * v[1, :], v[2, :])
        return self.matrix @ v

    def into_child(self, v: SX) -> SX:
        """Rᵀ v, for a vector or the columns of a 3×k matrix."""
        v = self.matrix.T @ v
        if self.turn is not None:
            c, s = self.turn
            v = ca.vertcat(c * v[0, :] + s * v[1, :], c * v[1, :] - s * v[0, :], v[2, :])
        return v

    def symmetric_into_parent(self, J: SX) -> SX:
        """R J Rᵀ for a symmetric J: 8 multiplications and 7 additions for the turn."""
        if self.turn is not None:
            c, s = self.turn
            u = s * (J[0, 0] - J[1, 1]) + 2 * c * J[0, 1]
            xx, yy, xy = J[0, 0] - s * u, J[1, 1] + s * u, c * u - J[0, 1]
            xz, yz = c * J[0, 2] - s * J[1, 2], s * J[0, 2] + c * J[1, 2]
            J = symmetric(xx, xy, xz, yy, yz, J[2, 2])
        return symmetric_product(self.matrix, J)

    def tensor_into_parent(self, B: SX) -> SX:
        """R B Rᵀ for any B."""
        return self.into_parent(self.into_parent(B).T).T

    def full(self) -> SX:
        """The 3×3 matrix."""
        return self.into_parent(SX.eye(3))


@dataclass(frozen=True)
class Transform:
    """Pose of a child frame in its parent frame."""

    rotation: Rotation
    translation: SX

    @staticmethod
    def none() -> Transform:
        """A child frame that is its parent."""
        return Transform(Rotation(SX.eye(3)), zero())

    def then(self, other: Transform) -> Transform:
        """Chain: ``X_AC = X_AB.then(X_BC)``."""
        R = self.rotation.into_parent(other.rotation.full())
        return Transform(Rotation(R), self.point(other.translation))

    def point(self, x: SX) -> SX:
        """A point of the child frame, in parent coordinates."""
        return self.rotation.into_parent(x) + self.translation

    def homogeneous(self) -> SX:
        """The 4×4 matrix."""
        top = ca.horzcat(self.rotation.full(), self.translation)
        return ca.vertcat(top, SX([[0, 0, 0, 1]]))
