"""Checks 1, 7 and 8: the reference chain gives its accelerations, forces, rates and counts."""

from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from papers.sharf import golden
from phalanx.dynamics.evaluators.constraint_forces.chebyshev import ChebyshevJacobi
from phalanx.dynamics.evaluators.constraint_forces.conjugate_gradient import ConjugateGradientJacobi
from phalanx.dynamics.evaluators.constraint_forces.direct import BlockElimination
from phalanx.dynamics.evaluators.constraint_forces.jacobi import Jacobi
from phalanx.dynamics.evaluators.constraint_forces.relaxation import (
    GaussSeidel,
    SuccessiveOverRelaxation,
)
from phalanx.dynamics.evaluators.constraint_forces.solution import LinearSolver
from phalanx.dynamics.evaluators.constraint_forces.spectrum import (
    optimal_omega,
    power_iteration,
    spectral_radius,
)
from phalanx.dynamics.evaluators.constraint_forces.stopping import Stopping


def test_accelerations() -> None:
    equations, posed = golden.posed()
    solved = BlockElimination().solve(posed.system)
    assert solved.changes.shape == (0, 1)  # no step
    a = equations.accelerations(posed, solved.f)
    np.testing.assert_allclose(a[0], golden.ACCELERATIONS, atol=1e-7)
    articulated = px.Dynamics(golden.chain()).forward_dynamics(golden.Q, golden.V, golden.TAU)
    np.testing.assert_allclose(a, articulated, rtol=1e-12)


def test_constraint_forces() -> None:
    equations, posed = golden.posed()
    solved = BlockElimination().solve(posed.system)
    assert solved.residuals.shape == solved.changes.shape == (0, 1)
    f = solved.f
    wrenches = (posed.Q @ f[..., None])[0, :, :, 0]
    bodies = equations.jointed.bodies
    for i, (wrench, expected) in enumerate(zip(wrenches, golden.FORCES, strict=True)):
        R = bodies.body_rotation[i + 1]  # of the rod in the node, whose z is the hinge
        own = np.concatenate([R.T @ wrench[:3], R.T @ wrench[3:]])
        hinge = 3 + golden.HINGES[i]
        np.testing.assert_allclose(np.delete(own, hinge), expected, atol=1e-6)
        assert own[hinge] == pytest.approx(0.0, abs=1e-14)


def test_eigenvalues() -> None:
    A, _ = golden.posed()[1].system.dense()
    eigenvalues = np.linalg.eigvalsh(A[0])
    assert A.shape == (1, 15, 15)
    assert eigenvalues[0] == pytest.approx(golden.EIGENVALUES[0], abs=1e-7)
    assert eigenvalues[-1] == pytest.approx(golden.EIGENVALUES[1], abs=1e-5)
    assert np.trace(A[0]) == pytest.approx(golden.TRACE, abs=1e-6)


def test_spectral_radius() -> None:
    system = golden.posed()[1].system
    (mu,) = spectral_radius(system)
    assert mu == pytest.approx(golden.SPECTRAL_RADIUS, abs=1e-7)
    assert power_iteration(system, tolerance=1e-13)[0] == pytest.approx(mu, abs=1e-9)
    assert optimal_omega(mu) == pytest.approx(1.48728, abs=1e-5)


@pytest.mark.parametrize(
    ("solver", "steps", "more_steps"),
    [
        (Jacobi(), 191, 301),
        (GaussSeidel(), 83, 137),
        (SuccessiveOverRelaxation(), 24, 33),
        (ChebyshevJacobi(), 46, 66),
        (ConjugateGradientJacobi(), 12, 12),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_iteration_counts(solver: LinearSolver, steps: int, more_steps: int) -> None:
    system = golden.posed()[1].system
    direct = BlockElimination().solve(system)
    exact = direct.f
    assert direct.changes.shape == direct.residuals.shape == (0, 1)  # no step, no history
    for change, expected in ((1e-7, steps), (1e-10, more_steps)):
        found = solver.solve(system, stopping=Stopping(change=change))
        assert abs(found.iterations[0] - expected) <= 1
        # what is left may be rho / (1 - rho) times the last change
        rate = golden.SPECTRAL_RADIUS
        left = np.linalg.norm(found.f - exact) / np.linalg.norm(exact)
        assert left <= change * rate / (1 - rate)
