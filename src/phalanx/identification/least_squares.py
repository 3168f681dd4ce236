"""Weighted least squares of torques, with standard errors and a check of excitation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.errors import InvalidInput
from phalanx.identification.incremental_qr import triangle
from phalanx.planning.paths.ends import limit_of_joints

Array = NDArray[np.float64]

UNSEEN = 1e-8  # of the largest singular value, columns scaled
NAMED = 1e-3  # share in a direction that is not seen
ROUNDS = 3
EXACT = 1e-12  # of the largest torque: noise that is none
NOTHING = 1e-100  # [N·m or N]: its square, and what is divided by it, are still numbers


class NotExciting(InvalidInput):
    """Data in which some parameters leave no trace of their own.

    Attributes:
        unknown: Their names.
        missing: How many combinations of them are not determined.
    """

    def __init__(self, message: str, unknown: tuple[str, ...], missing: int) -> None:
        super().__init__(message)
        self.unknown, self.missing = unknown, missing


@final
@dataclass(frozen=True, eq=False)
class LeastSquaresSolution:
    """Parameters that fit best.

    Attributes:
        values: Shape (p,).
        covariance: Of the values, shape (p, p).
        noise: Standard deviation of each joint's torque [N·m or N], shape (n,).
        condition: Condition number of the weighted regressor, columns scaled to one length.
    """

    values: Array
    covariance: Array
    noise: Array
    condition: float


def solve(
    W: Array, torque: Array, names: tuple[str, ...], scale: Array, noise: Array | None
) -> LeastSquaresSolution:
    """Parameters by weighted least squares.

    Args:
        W: Regressor, shape (m, n, p).
        torque: Shape (m, n).
        names: Of the parameters.
        scale: How large each column is when all move, shape (p,).
        noise: Standard deviation of each joint's torque, shape (n,); estimated from what is left,
            joint by joint, when None.

    Raises:
        InvalidInput: When there are too few rows.
        NotExciting: When some parameters leave no trace.
    """
    m, n, p = W.shape
    if m * n <= p:
        raise InvalidInput(
            f"{m} rows of {n} torques are {m * n} equations for {p} parameters; expected more, "
            f"at least {p // n + 1} rows and better a hundred times as many."
        )
    check_excited(W.reshape(m * n, p), names, scale)
    known = noise is not None
    smallest = EXACT * max(float(np.abs(torque).max()), NOTHING)
    sigma = np.ones(n) if noise is None else np.maximum(noise, smallest)
    for _ in range(0 if known else ROUNDS):
        left = torque - W @ _weighted(W, torque, sigma)[0]
        sigma = np.maximum(np.sqrt((left**2).sum(axis=0) / (m - p / n)), smallest)
    values, root, condition = _weighted(W, torque, sigma)
    return LeastSquaresSolution(values, root @ root.T, sigma, condition)


def noise_of_joints(noise: Any, n: int) -> Array | None:
    """Standard deviations of torques as they were given, shape (n,); None for none."""
    if noise is None:
        return None
    given = limit_of_joints("noise", noise, n)
    if not np.isfinite(given).all():
        raise InvalidInput(f"noise={np.asarray(noise).tolist()}; expected finite numbers.")
    return given


def _weighted(W: Array, torque: Array, sigma: Array) -> tuple[Array, Array, float]:
    """Values, a root of their covariance, and the condition number."""
    p = W.shape[-1]
    A = (W / sigma[:, None]).reshape(-1, p)
    length = np.linalg.norm(A, axis=0)
    R = triangle(np.column_stack([A / length, (torque / sigma).ravel()]))
    root = np.linalg.inv(R[:p, :p])
    condition = float(np.linalg.norm(R[:p, :p], 2) * np.linalg.norm(root, 2))
    return root @ R[:p, p] / length, root / length[:, None], condition


def check_excited(A: Array, names: tuple[str, ...], scale: Array) -> None:
    """Refuse data that leave parameters unknown.

    Raises:
        NotExciting: With their names.
    """
    _, s, Vt = np.linalg.svd(triangle(A / scale))
    missing = int((s <= UNSEEN * s[0]).sum()) if s[0] > 0 else len(s)
    if not missing:
        return
    shares = np.linalg.norm(Vt[len(s) - missing :], axis=0)
    unknown = tuple(name for name, share in zip(names, shares, strict=True) if share > NAMED)
    shown = ", ".join(unknown[:12]) + (", …" if len(unknown) > 12 else "")
    raise NotExciting(
        f"these motions do not show all parameters: {missing} of {len(names)} combinations leave "
        f"no trace, among {shown}. Move all joints, together and at different speeds; "
        "px.identification.excitation makes such a motion.",
        unknown,
        missing,
    )
