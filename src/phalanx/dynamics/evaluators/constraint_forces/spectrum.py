"""Spectral radius of B = 1 - D⁻¹A, and the convergence rates of iterations.

D⁻¹A has real positive eigenvalues, so those of B are real and below one. In a chain they come in
pairs ±mu, A is consistently ordered, and rates of Gauss-Seidel and of over-relaxation follow from
Jacobi's. Siblings in a tree break that: there mu may even be above one, where Jacobi diverges.

Reference:
    Sharf and D'Eleuterio (1993), section 4; Young (1971), ch. 5 and 6.
"""

from __future__ import annotations

import math

import numpy as np

from phalanx.base.errors import InvalidInput
from phalanx.dynamics.evaluators.constraint_forces import blocks
from phalanx.dynamics.evaluators.constraint_forces.system import ConstraintSystem, total
from phalanx.mechanism.pose import Array

# forces up to which eigenvalues are computed all, and exactly
SMALL = 300


def spectral_radius(
    system: ConstraintSystem, *, tolerance: float = 1e-8, most: int = 20_000
) -> Array:
    """Spectral radius mu = rho(B), the rate of Jacobi's iteration, shape (samples,).

    Exact for up to `SMALL` forces, by power iteration beyond, whose estimate comes from below: it
    stops when a step changes it by less than ``tolerance``, or after ``most`` steps.
    """
    if system.structure.dimension <= SMALL:
        return exact_spectral_radius(system)
    return power_iteration(system, tolerance=tolerance, most=most)


def exact_spectral_radius(system: ConstraintSystem) -> Array:
    """Spectral radius from all eigenvalues of D⁻¹A, formed densely."""
    A, _ = system.dense()
    D, _ = _diagonal_only(system).dense()
    if not A.shape[-1]:
        return np.zeros(system.samples)
    C = np.linalg.inv(np.linalg.cholesky(D))
    eigenvalues = np.linalg.eigvalsh(C @ A @ C.transpose(0, 2, 1))
    return np.asarray(np.abs(1 - eigenvalues).max(axis=1))


def power_iteration(
    system: ConstraintSystem, *, tolerance: float = 1e-8, most: int = 20_000
) -> Array:
    """Spectral radius by power iteration with B.

    Lengths are those of the norm of D, in which B is symmetric; so ±mu do no harm.
    """
    apply = blocks.apply_kernel(system.structure.width, system.threads)
    rng = np.random.default_rng(0)  # the same start for every sample, whatever the batch
    x = np.where(system.structure.present, rng.standard_normal(system.b.shape[1:]), 0.0)
    x = np.repeat(x[None], system.samples, axis=0)
    Dx = _diagonal_only(system).product(x)
    mu, settled = np.zeros(system.samples), np.zeros(system.samples, bool)
    for _ in range(most):
        length = np.sqrt(total(np.einsum("snw,snw->sn", x, Dx)))
        scale = np.where(length > 0, length, 1.0)[:, None, None]
        x, Dx = x / scale, Dx / scale
        Dx = Dx - system.product(x)  # D B x
        x, stretched = apply(system.inverse_D, Dx)
        found = np.sqrt(np.maximum(total(stretched), 0.0))
        close = np.abs(found - mu) <= tolerance * found
        mu = np.where(settled, mu, found)
        settled |= close
        if settled.all():
            break
    return mu


def optimal_omega(mu: Array | float) -> Array:
    """The factor of over-relaxation that is best for a chain: 2 / (1 + sqrt(1 - mu²)).

    Raises:
        InvalidInput: mu is not below one, so that no factor is known.
    """
    rates = np.asarray(mu, float)
    if not (rates < 1).all() or not (rates >= 0).all():
        raise InvalidInput(
            f"a spectral radius of {float(rates.max()):.6g} is not between 0 and 1: Jacobi's "
            "iteration diverges there and the best omega is not known; give one between 0 and 2, "
            "or choose ConjugateGradientJacobi."
        )
    return np.asarray(2 / (1 + np.sqrt((1 - rates) * (1 + rates))))


def gauss_seidel_radius(mu: Array | float) -> Array:
    """Spectral radius of Gauss-Seidel in a chain: mu²."""
    return np.asarray(np.square(mu))


def relaxation_radius(mu: Array | float, omega: float | None = None) -> Array:
    """Spectral radius of over-relaxation in a chain; at the best omega it is omega - 1."""
    best = optimal_omega(mu)
    if omega is None:
        return np.asarray(best - 1)
    part = omega * np.asarray(mu) / 2
    root = np.sqrt(np.maximum(part**2 - (omega - 1), 0.0))
    return np.where(omega >= best, omega - 1, (part + root) ** 2)


def iterations_estimate(tolerance: float, radius: float) -> float:
    """Steps that make an error smaller by ``tolerance``: ln tolerance / ln radius."""
    if not 0 < tolerance < 1:
        raise InvalidInput(f"tolerance is {tolerance}; expected between 0 and 1.")
    if radius < 0 or math.isnan(radius):
        raise InvalidInput(f"spectral radius is {radius}; expected at least 0.")
    if radius == 0:
        return 1.0
    return math.inf if radius >= 1 else math.log(tolerance) / math.log(radius)


def _diagonal_only(system: ConstraintSystem) -> ConstraintSystem:
    """The same with D alone for A."""
    return ConstraintSystem(
        system.structure,
        system.D,
        np.zeros_like(system.L),
        np.zeros_like(system.siblings),
        system.b,
        system.threads,
    )
