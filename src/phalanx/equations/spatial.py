"""Vectors, rotations and inertias over CasADi symbols.

A body's acceleration is carried in the form that needs fewest operations: the angular velocity w,
the matrix L = [dw]x + [w]x[w]x, so that the point at r accelerates by ``a + L r``, and the
acceleration a of the body origin. With mass properties as moments of mass (m, h = ∫r dm,
J = ∫r rᵀ dm) the wrench that a body needs is linear in both, and no linear velocity is ever formed.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np
from casadi import SX

# Products of exact data leave errors near 1e-16 of the largest entry.
RELATIVE_ZERO = 1e-14


def vector(*components: SX | float) -> SX:
    """A column of three symbols or numbers."""
    return ca.vertcat(*components)


def zero() -> SX:
    """The zero vector."""
    return SX.zeros(3, 1)


def cross(a: SX, b: SX) -> SX:
    """A × b."""
    return ca.cross(a, b)


def skew(a: SX) -> SX:
    """[a]x, so that ``skew(a) @ b`` is a × b."""
    return ca.skew(a)


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


def symmetric(xx: SX, xy: SX, xz: SX, yy: SX, yz: SX, zz: SX) -> SX:
    """A symmetric 3×3 matrix from its upper triangle."""
    return ca.vertcat(ca.horzcat(xx, xy, xz), ca.horzcat(xy, yy, yz), ca.horzcat(xz, yz, zz))


def symmetric_product(R: SX, J: SX) -> SX:
    """R J Rᵀ for a symmetric J, each of the six different entries computed once."""
    K = R @ J
    entry = [[K[i, :] @ R[j, :].T for j in range(i, 3)] for i in range(3)]
    return symmetric(*entry[0], *entry[1], *entry[2])


@dataclass(frozen=True)
class Transform:
    """Pose of a child frame in its parent frame."""

    rotation: Rotation
    translation: SX

    def then(self, other: Transform) -> Transform:
        """Chain: ``X_AC = X_AB.then(X_BC)``."""
        R = self.rotation.into_parent(other.rotation.full())
        return Transform(Rotation(R), self.point(other.translation))

    def point(self, x: SX) -> SX:
        """A point of the child frame, in parent coordinates."""
        return self.rotation.into_parent(x) + self.translation

    def wrench_into_parent(self, n: SX, f: SX) -> tuple[SX, SX]:
        """Moment and force at the child origin as moment and force at the parent origin."""
        f = self.rotation.into_parent(f)
        return self.rotation.into_parent(n) + columnwise_cross(self.translation, f), f

    def motion_into_child(self, w: SX, u: SX) -> tuple[SX, SX]:
        """Angular and linear velocity at the parent origin as those at the child origin."""
        u = self.rotation.into_child(u + columnwise_cross(w, self.translation))
        return self.rotation.into_child(w), u

    def homogeneous(self) -> SX:
        """The 4×4 matrix."""
        top = ca.horzcat(self.rotation.full(), self.translation)
        return ca.vertcat(top, SX([[0, 0, 0, 1]]))


def columnwise_cross(a: SX, b: SX) -> SX:
    """A × b where one of them may be a 3×k matrix of columns."""
    if a.shape[1] == b.shape[1]:
        return ca.horzcat(*(cross(a[:, k], b[:, k]) for k in range(a.shape[1])))
    if a.shape[1] == 1:
        return ca.horzcat(*(cross(a, b[:, k]) for k in range(b.shape[1])))
    return ca.horzcat(*(cross(a[:, k], b) for k in range(a.shape[1])))


@dataclass(frozen=True)
class MassMoments:
    """Moments of a body's mass about its frame origin.

    Attributes:
        m: Mass [kg], ∫dm.
        h: First moment [kg·m], ∫r dm.
        J: Second moment [kg·m²], ∫r rᵀ dm; the inertia tensor is tr(J) 1 - J.
    """

    m: SX
    h: SX
    J: SX

    @staticmethod
    def none() -> MassMoments:
        """No mass."""
        return MassMoments(SX(0), zero(), SX.zeros(3, 3))

    @staticmethod
    def of(mass: SX, com: SX, inertia: SX) -> MassMoments:
        """From mass, centre of mass and inertia tensor about it."""
        J = ca.trace(inertia) / 2 * SX.eye(3) - inertia
        return MassMoments(mass, mass * com, J + mass * (com @ com.T))

    def __add__(self, other: MassMoments) -> MassMoments:
        """Two bodies as one."""
        return MassMoments(self.m + other.m, self.h + other.h, self.J + other.J)

    def __sub__(self, other: MassMoments) -> MassMoments:
        """A body without one of its parts."""
        return MassMoments(self.m - other.m, self.h - other.h, self.J - other.J)

    def into_parent(self, X: Transform) -> MassMoments:
        """The same mass, about the parent frame's origin and in its axes."""
        h, p = X.rotation.into_parent(self.h), X.translation
        hp = h @ p.T
        return MassMoments(
            self.m,
            h + self.m * p,
            X.rotation.symmetric_into_parent(self.J) + hp + hp.T + self.m * (p @ p.T),
        )

    def tidy(self) -> MassMoments:
        """The same with what rounding left of zeros removed."""
        return MassMoments(self.m, without_rounding(self.h), without_rounding(self.J))

    @property
    def inertia(self) -> SX:
        """The inertia tensor about the origin [kg·m²]."""
        J = self.J
        return symmetric(
            J[1, 1] + J[2, 2], -J[0, 1], -J[0, 2], J[0, 0] + J[2, 2], -J[1, 2], J[0, 0] + J[1, 1]
        )

    def momentum(self, w: SX, u: SX) -> tuple[SX, SX]:
        """Angular momentum about the origin and linear momentum, for velocities of the origin."""
        angular = self.inertia @ w + columnwise_cross(self.h, u)
        return angular, self.m * u + columnwise_cross(w, self.h)

    def wrench(self, w: SX, dw: SX, L: SX, a: SX) -> tuple[SX, SX]:
        """Moment about the origin and force that give the body this acceleration.

        The moment is the vector of L J - (L J)ᵀ. Where both moments of a pair are there, it is
        written with products of w and with dw, which asks for no entry of L: they are needed
        for lever arms only, and many bodies have none.
        """
        J, h = self.J, self.h
        rows = []
        for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            if self._both_known(j, k):
                own = w[j] * w[k] * (J[j, j] - J[k, k]) + dw[i] * (J[j, j] + J[k, k])
            else:
                own = L[k, j] * J[j, j] - L[j, k] * J[k, k]
            # what both sides of an off-diagonal entry share is taken together
            shared = (w[k] * w[k] - w[j] * w[j]) * J[j, k]
            rows.append(own + shared + L[k, i] * J[i, j] - L[j, i] * J[i, k])
        return vector(*rows) + cross(h, a), L @ h + self.m * a

    def _both_known(self, j: int, k: int) -> bool:
        """Whether two second moments are numbers, none of them zero."""
        pair = self.J[j, j], self.J[k, k]
        return all(entry.is_constant() and not entry.is_zero() for entry in pair)


def acceleration_matrix(w: SX, dw: SX) -> SX:
    """L = [dw]x + [w]x[w]x in 6 multiplications and 9 additions."""
    x, y, z = w[0], w[1], w[2]
    xx, yy, zz = x * x, y * y, z * z
    xy, yz, zx = x * y, y * z, z * x
    return ca.vertcat(
        ca.horzcat(-(yy + zz), xy - dw[2], zx + dw[1]),
        ca.horzcat(xy + dw[2], -(zz + xx), yz - dw[0]),
        ca.horzcat(zx - dw[1], yz + dw[0], -(xx + yy)),
    )


def constant(values: object) -> SX:
    """Numbers as symbols."""
    return SX(ca.DM(np.asarray(values, dtype=np.float64)))


def without_rounding(x: SX) -> SX:
    """``x`` with constants that are zero against its largest constant set to zero."""
    known = {k: abs(float(x[k])) for k in range(x.numel()) if x[k].is_constant()}
    largest = max(known.values(), default=0.0)
    x = SX(x)
    for k, size in known.items():
        if size < RELATIVE_ZERO * largest:
            x[k] = 0
    return x
