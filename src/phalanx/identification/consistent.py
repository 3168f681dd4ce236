"""Physical consistency: masses above zero, pseudo-inertias positive definite.

Least squares knows nothing of that, and base parameters leave most parameters open. So all
parameters are sought, near those of the model, whose base parameters are as near to the estimate
as its errors say. A pseudo-inertia is J = U Uᵀ with an upper triangular U whose diagonal consists
of exponentials: whatever the ten numbers, a body can have it.

Reference:
    Rucker and Wensing, Smooth parameterization of rigid-body inertia (IEEE RA-L 7, 2022).
"""

from __future__ import annotations

from functools import cache
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from phalanx.identification.base import BaseParameters
from phalanx.identification.least_squares import LeastSquaresSolution
from phalanx.identification.parameters import (
    at_centre,
    moments,
    parameters_of,
    pseudo_inertia,
    values_of,
)
from phalanx.mechanism import Body, Mechanism

Array = NDArray[np.float64]

PRIOR = 1e-3  # standard errors that a change of all numbers by a factor e costs
EXACT = 1e-7  # of a base parameter: errors below are not told apart
LIGHT = 1e-3  # of the mean mass: what a body without mass is given
SMALL = 0.01  # [m]: and how large it is at least
LEAST_OF_A_JOINT = 1e-4  # rotor inertia, damping, friction, SI units: to begin with
TRIALS = 500
# how far the ten numbers of a body may go: logarithms, and the others in metres
ROOM = np.array([*[12.0] * 4, *[100.0] * 6])


def consistent(
    mechanism: Mechanism,
    base: BaseParameters,
    solution: LeastSquaresSolution,
    terms: tuple[str, ...],
) -> Array:
    """All parameters, as bodies and joints can have them, near an estimate of base parameters.

    Args:
        mechanism: The machine, whose own parameters are the ones to be near.
        base: Its base parameters.
        solution: Their estimate.
        terms: Parameters of joints, none of which is negative.
    """
    from scipy.optimize import least_squares

    full = values_of(mechanism, terms)
    moved = [k for k, body in enumerate(mechanism.bodies[1:]) if _counts(base, k, body)]
    count = 10 * (len(mechanism.bodies) - 1)
    places = np.concatenate([np.arange(10 * k, 10 * k + 10) for k in moved] or [np.zeros(0, int)])
    places = np.concatenate([places, np.arange(count, len(full))]).astype(np.intp)
    mean = np.mean([max(body.mass, 1e-6) for body in mechanism.bodies[1:]])
    first = np.concatenate(
        [_logarithmic(_solid(mechanism.bodies[k + 1], float(mean))) for k in moved] or [np.zeros(0)]
    )
    # numbers of joints are squares, which are not negative
    start = np.concatenate([first, np.sqrt(np.maximum(full[count:], LEAST_OF_A_JOINT))])
    whitened = _whitening(solution)
    K = whitened @ base.combination
    rest = full.copy()
    rest[places] = 0.0
    offset = K @ rest - whitened @ solution.values
    room = np.tile(ROOM, len(moved))

    def within(x: Array) -> Array:
        return np.clip(x[: len(first)], first - room, first + room)

    def parameters(x: Array) -> Array:
        ten = np.asarray(_of_logarithmic()(within(x).reshape(-1, 10).T)[0]).T.ravel()
        return np.concatenate([ten, x[len(first) :] ** 2])

    def residual(x: Array) -> Array:
        return np.concatenate([K[:, places] @ parameters(x) + offset, PRIOR * (x - start)])

    def slope(x: Array) -> Array:
        D = np.diag(np.concatenate([np.zeros(len(first)), 2 * x[len(first) :]]))
        own = within(x)
        for k in range(len(moved)):
            ten = slice(10 * k, 10 * k + 10)
            D[ten, ten] = np.asarray(_of_logarithmic()(own[ten])[1])
        return np.vstack([K[:, places] @ D, PRIOR * np.eye(len(x))])

    found: Any = least_squares(residual, start, slope, method="lm", max_nfev=TRIALS)
    full[places] = parameters(found.x)
    return full


def _counts(base: BaseParameters, k: int, body: Body) -> bool:
    """Whether a body's parameters are felt at all, and it is more than a name."""
    felt = bool(base.combination[:, 10 * k : 10 * k + 10].any())
    return felt and (body.mass > 0 or bool(body.inertia.any()))


def _whitening(solution: LeastSquaresSolution) -> Array:
    """L with LᵀL the inverse of the covariance, errors not below what is told apart."""
    least = EXACT * np.maximum(np.abs(solution.values), 1e-3)
    C = solution.covariance + np.diag(least**2)
    size = np.sqrt(np.diag(C))
    return np.linalg.inv(np.linalg.cholesky(C / np.outer(size, size))) / size


def _solid(body: Body, mean: float) -> Array:
    """Ten parameters near those of a body, of one that has mass in all directions."""
    if body.mass > 0:
        m, c, I = at_centre(parameters_of(body))
    else:
        m, c, I = np.asarray(LIGHT * mean), np.zeros(3), np.asarray(body.inertia)
    spread, axes = np.linalg.eigh(np.trace(I) / 2 * np.eye(3) - I)
    spread = np.maximum(spread, float(m) * SMALL**2)
    S = (axes * spread) @ axes.T
    return parameters_of(Body("solid", float(m), c, np.trace(S) * np.eye(3) - S))


def _logarithmic(p: Array) -> Array:
    """Ten numbers of a body's pseudo-inertia: (α, d1, d2, d3, s12, s23, s13, t1, t2, t3)."""
    J = pseudo_inertia(p)
    flip = np.eye(4)[::-1]
    U = flip @ np.linalg.cholesky(flip @ J @ flip) @ flip  # J = U Uᵀ, U upper triangular
    alpha = np.log(U[3, 3])
    V = U / U[3, 3]
    d = np.log(np.diag(V)[:3])
    return np.array([alpha, *d, V[0, 1], V[1, 2], V[0, 2], *V[:3, 3]])


@cache
def _of_logarithmic() -> ca.Function:
    """Ten parameters of a body from ten numbers, and their derivatives."""
    x = ca.SX.sym("x", 10)
    alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3 = ca.vertsplit(x)
    U = ca.exp(alpha) * ca.vertcat(
        ca.horzcat(ca.exp(d1), s12, s13, t1),
        ca.horzcat(0, ca.exp(d2), s23, t2),
        ca.horzcat(0, 0, ca.exp(d3), t3),
        ca.horzcat(0, 0, 0, 1),
    )
    J = U @ U.T
    S = J[:3, :3]
    p = ca.vertcat(J[3, 3], J[:3, 3], *moments(ca.trace(S) * ca.SX.eye(3) - S))
    return ca.Function("body", [x], [p, ca.jacobian(p, x)])
