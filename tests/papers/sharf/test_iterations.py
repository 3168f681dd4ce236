"""Checks 5-7: what is known of the iterations in theory."""

from __future__ import annotations

import numpy as np
import pytest

from dynamics.evaluators.constraint_forces import machines
from papers.sharf import golden
from phalanx.dynamics.evaluators.constraint_forces.chebyshev import ChebyshevJacobi
from phalanx.dynamics.evaluators.constraint_forces.conjugate_gradient import ConjugateGradientJacobi
from phalanx.dynamics.evaluators.constraint_forces.direct import BlockElimination
from phalanx.dynamics.evaluators.constraint_forces.jacobi import Jacobi
from phalanx.dynamics.evaluators.constraint_forces.relaxation import (
    GaussSeidel,
    SuccessiveOverRelaxation,
)
from phalanx.dynamics.evaluators.constraint_forces.solution import DidNotConverge
from phalanx.dynamics.evaluators.constraint_forces.spectrum import (
    gauss_seidel_radius,
    iterations_estimate,
    optimal_omega,
    power_iteration,
    relaxation_radius,
    spectral_radius,
)
from phalanx.dynamics.evaluators.constraint_forces.stopping import Stopping
from phalanx.dynamics.evaluators.constraint_forces.system import ConstraintSystem
from phalanx.studies.sharf.machines import substitute_arm


def split(system: ConstraintSystem) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Blocks on, below and above the diagonal of A = D - lower - upper."""
    (A,), _ = system.dense()
    joint = np.repeat(np.arange(len(system.structure)), system.structure.sizes)
    before = joint[:, None] > joint
    return (
        np.where(joint[:, None] == joint, A, 0.0),
        -np.where(before, A, 0.0),
        -np.where(before.T, A, 0.0),
    )


def radius(G: np.ndarray) -> float:
    return float(np.abs(np.linalg.eigvals(G)).max())


def random_chain(length: int, seed: int) -> ConstraintSystem:
    return machines.posed(machines.chains([length], ("revolute",), seed), seed=seed)[1].system


def arm() -> ConstraintSystem:
    """The substitute arm, which has left its plane."""
    return machines.posed(substitute_arm(), seed=5)[1].system


def test_three_terms_are_preconditioned_conjugate_gradients() -> None:
    for system in (golden.posed()[1].system, random_chain(8, seed=4)):
        (A,), (b,) = system.dense()
        D, _, _ = split(system)
        x, r = np.zeros_like(b), b.copy()
        z = np.linalg.solve(D, r)
        p = z
        for steps in range(1, 11):
            alpha = r @ z / (p @ A @ p)
            x, r_next = x + alpha * p, r - alpha * A @ p
            z_next = np.linalg.solve(D, r_next)
            p = z_next + r_next @ z_next / (r @ z) * p
            r, z = r_next, z_next
            with pytest.raises(DidNotConverge) as stopped:
                ConjugateGradientJacobi().solve(
                    system, stopping=Stopping(change=1e-300, most=steps)
                )
            f = stopped.value.f[0][system.structure.present]
            assert np.linalg.norm(f - x) <= 1e-12 * np.linalg.norm(x)


def test_conjugate_gradients_end_with_the_dimension() -> None:
    tried = 0
    for seed in range(8):
        system = random_chain(6, seed)
        (A,), _ = system.dense()
        if np.linalg.cond(A) > 1e4:
            continue
        tried += 1
        found = ConjugateGradientJacobi().solve(system, stopping=Stopping(residual=1e-9))
        assert found.iterations[0] <= system.structure.dimension + 5
        exact = BlockElimination().solve(system).f
        assert np.linalg.norm(found.f - exact) <= 1e-6 * np.linalg.norm(exact)
    assert tried >= 3


@pytest.mark.parametrize("system", [golden.posed()[1].system, random_chain(7, 2)])
def test_rates_follow_from_that_of_jacobi(system: ConstraintSystem) -> None:
    D, lower, upper = split(system)
    (mu,) = spectral_radius(system)
    assert mu == pytest.approx(radius(np.linalg.solve(D, lower + upper)), abs=1e-10)
    swept = radius(np.linalg.solve(D - lower, upper))
    assert swept == pytest.approx(float(gauss_seidel_radius(mu)), abs=1e-6)

    def relaxed(omega: float) -> float:
        return radius(np.linalg.solve(D - omega * lower, omega * upper + (1 - omega) * D))

    best = float(optimal_omega(mu))
    # where it is best two eigenvalues meet, and rounding moves them by its square root
    assert relaxed(best) == pytest.approx(best - 1, abs=1e-4)
    for omega in (0.8, 1.2, 0.5 + best / 2, 1.95):
        assert relaxed(omega) == pytest.approx(float(relaxation_radius(mu, omega)), abs=1e-6)


def test_power_iteration_beyond_small_machines() -> None:
    system = random_chain(12, seed=1)
    assert power_iteration(system, tolerance=1e-12) == pytest.approx(
        spectral_radius(system), abs=1e-6
    )


def test_estimate_of_iterations() -> None:
    system = golden.posed()[1].system
    for solver, rate in (
        (Jacobi(), golden.SPECTRAL_RADIUS),
        (GaussSeidel(), golden.SPECTRAL_RADIUS**2),
    ):
        fewer, more = (
            int(solver.solve(system, stopping=Stopping(change=change)).iterations[0])
            for change in (1e-6, 1e-10)
        )
        assert more - fewer == pytest.approx(iterations_estimate(1e-4, rate), abs=3)


def test_acceleration_pays() -> None:
    for system in (golden.posed()[1].system, arm()):
        count = {
            solver.name: int(solver.solve(system).iterations[0])
            for solver in (
                Jacobi(),
                ChebyshevJacobi(),
                ConjugateGradientJacobi(),
                GaussSeidel(),
                SuccessiveOverRelaxation(),
            )
        }
        assert count["ConjugateGradientJacobi"] == min(count.values())
        assert count["ChebyshevJacobi"] < count["Jacobi"]
        assert count["SuccessiveOverRelaxation"] < count["GaussSeidel"] < count["Jacobi"]
