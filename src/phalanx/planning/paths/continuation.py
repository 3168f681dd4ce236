"""Numerical continuation: postures along a path of a frame, each from the one before.

From a posture that fits, resolved rates lead to the next (Runge-Kutta on q' = J⁺ V), and Newton's
method takes away what is left. Where a machine has more joints than the frame has freedoms, joints
move as little as they can; where it has fewer, the path must be one that it can follow.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from phalanx.dynamics import Dynamics

Array = NDArray[np.float64]

RANK = 1e-7  # singular values below this share of the largest are zero
CLOSE = 1e-11  # [m and rad] of a frame that is there
NEWTON = 12
DAMPED = 60


@final
@dataclass(frozen=True, eq=False)
class Posture:
    """Joints at a share of a path, and how they change with it.

    Attributes:
        q: Positions, shape (n,).
        dq: Their rates by share, shape (n,).
        ddq: Their second rates, shape (n,).
    """

    q: Array
    dq: Array
    ddq: Array


@final
class Chase:
    """A frame of a machine that is to be where it is wanted.

    Attributes:
        rows: How many numbers say how far it is off: 3 of its origin, 6 where it may not turn.
    """

    def __init__(self, dynamics: Dynamics, frame: str, point: bool) -> None:
        """Compile what is needed; of a point only the frame's origin counts."""
        self._fk = dynamics.kernel("forward_kinematics", frame).call
        self._jacobian = dynamics.kernel("jacobian", frame).call
        self._rate = dynamics.kernel("jacobian_rate", frame).call
        self.rows = 3 if point else 6

    def miss(self, q: Array, X: Array) -> Array:
        """How the frame would have to move to be at ``X`` [m, rad], shape (..., 3 or 6)."""
        now = np.asarray(self._fk(q))
        way = X[..., :3, 3] - now[..., :3, 3]
        if self.rows == 3:
            return way
        turn = X[..., :3, :3] @ np.swapaxes(now[..., :3, :3], -1, -2)
        return np.concatenate([way, _rotation_vector(turn)], axis=-1)

    def rates(self, q: Array, V: Array) -> Array:
        """Least joint rates that move the frame by ``V``, as well as they can, shape (n,)."""
        return self._inverse(q) @ V[: self.rows]

    def posture(self, q: Array, V: Array, A: Array) -> Posture:
        """A posture that fits, with its rates."""
        J_inverse = self._inverse(q)
        J = np.asarray(self._jacobian(q))[: self.rows]
        dq = J_inverse @ V[: self.rows]
        dJ = np.asarray(self._rate(q, dq))[: self.rows]
        ddq = J_inverse @ (A[: self.rows] - dJ @ dq)
        # the part along which the frame stands still: least rates change with the posture
        turning = dJ.T @ (J_inverse.T @ dq)
        return Posture(q, dq, ddq + turning - J_inverse @ (J @ turning))

    def is_singular(self, q: Array, V: Array) -> bool:
        """Whether some of a motion cannot be had by any rates here."""
        J = np.asarray(self._jacobian(q))[: self.rows]
        left = V[: self.rows] - J @ (self._inverse(q) @ V[: self.rows])
        return bool(np.linalg.norm(left) > 1e-6 * np.linalg.norm(V[: self.rows]))

    def corrected(self, q: Array, X: Array) -> Array | None:
        """Joints near ``q`` with the frame at ``X`` by Newton's method; None where it fails."""
        before = np.inf
        for _ in range(NEWTON):
            e = self.miss(q, X)
            size = float(np.abs(e).max())
            if size < CLOSE:
                return q
            if not size < before:  # rounding, or nowhere near
                return q if before < 100 * CLOSE else None
            before = size
            q = q + self._inverse(q) @ e
        return None

    def nearest(self, q: Array, X: Array) -> tuple[Array, float]:
        """Joints that bring the frame as close as damped steps do, and how far it is off."""
        e, damping = self.miss(q, X), 1e-2
        for _ in range(DAMPED):
            J = np.asarray(self._jacobian(q))[: self.rows]
            step = J.T @ np.linalg.solve(J @ J.T + damping * np.eye(self.rows), e)
            new = self.miss(q + step, X)
            if np.linalg.norm(new) < np.linalg.norm(e):
                q, e, damping = q + step, new, max(damping / 5, 1e-12)
            else:
                damping = min(damping * 10, 1e3)
        return q, float(np.abs(e).max())

    def _inverse(self, q: Array) -> Array:
        return np.linalg.pinv(np.asarray(self._jacobian(q))[: self.rows], rcond=RANK)


def _rotation_vector(R: Array) -> Array:
    """Axis times angle of rotations (..., 3, 3), below half a turn."""
    twice = np.stack(
        [
            R[..., 2, 1] - R[..., 1, 2],
            R[..., 0, 2] - R[..., 2, 0],
            R[..., 1, 0] - R[..., 0, 1],
        ],
        axis=-1,
    )
    sine = np.linalg.norm(twice, axis=-1, keepdims=True) / 2
    cosine = (np.trace(R, axis1=-2, axis2=-1)[..., None] - 1) / 2
    angle = np.arctan2(sine, cosine)
    return twice / 2 * np.where(sine > 1e-12, angle / np.where(sine > 1e-12, sine, 1.0), 1.0)
