"""Check 14: one worker per body finds the forces of one processor, and talks to neighbours only."""

from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from distribute.mpi import mpiexec
from papers.sharf import golden, on_ranks
from phalanx.distribute import ProgramJob, launch, run
from phalanx.distribute.programs.chains.chain import chain_of
from phalanx.distribute.programs.chains.forward import ForwardDynamicsJob, Solving
from phalanx.dynamics.evaluators.constraint_forces.chebyshev import ChebyshevJacobi
from phalanx.dynamics.evaluators.constraint_forces.conjugate_gradient import ConjugateGradientJacobi
from phalanx.dynamics.evaluators.constraint_forces.direct import BlockElimination
from phalanx.dynamics.evaluators.constraint_forces.jacobi import Jacobi
from phalanx.dynamics.evaluators.constraint_forces.stopping import Stopping
from phalanx.dynamics.evaluators.method import still_root


def check_log(log, workers, iterations, sums):
    """SentMessages go to neighbours or are a few numbers of a sum, and no more than are needed."""
    assert {line.kind for line in log} == {"neighbour", "sum"}
    passed = [line for line in log if line.kind == "neighbour"]
    assert {abs(line.sender - line.receiver) for line in passed} == {1}
    assert len(passed) == 2 * (workers - 1)
    # an exchange in every step; the joints next door and the forces found; outward a velocity,
    # but from the first, whose neighbour's reach begins at the root, which stands still
    for line in passed:
        assert line.messages == iterations + 2 + (line.receiver > line.sender > 0)
    # sums of at most three numbers: for factors and stopping, and before and after the steps
    summed = [line for line in log if line.kind == "sum"]
    assert max(line.words / line.messages for line in summed) <= 3
    for line in summed:
        assert line.messages == sums * iterations + 2


@pytest.mark.parametrize(
    ("iteration", "sums"),
    [(ConjugateGradientJacobi(), 2), (ChebyshevJacobi(golden.SPECTRAL_RADIUS), 1), (Jacobi(), 1)],
    ids=lambda value: getattr(value, "name", None),
)
def test_one_worker_per_body_on_the_reference_chain(iteration, sums):
    stopping = Stopping(change=1e-7)
    serial = iteration.solve(golden.posed()[1].system, stopping=stopping)
    found = run(
        ForwardDynamicsJob(
            golden.chain(),
            golden.Q[0],
            golden.V[0],
            golden.TAU[0],
            solving=Solving(iteration, stopping),
        ),
        3,
    )
    assert found.iterations == serial.iterations[0]
    np.testing.assert_allclose(found.f, serial.f[0], rtol=0, atol=1e-12 * np.abs(serial.f).max())
    assert found.residual == pytest.approx(serial.residual[0], rel=1e-6)
    check_log(found.log, 3, found.iterations, sums)


@pytest.mark.parametrize(
    "machine",
    [
        px.library.chain(10, alternate=True),
        px.library.chain(8, "universal"),
        px.library.chain(6, "spherical"),
    ],
    ids=lambda m: m.joints[0].motion.kind,
)
def test_one_worker_per_body_on_longer_chains(machine):
    """Against the same iteration on one processor, elimination, and articulated bodies."""
    chain, dynamics = chain_of(machine), px.Dynamics(machine)
    rng = np.random.default_rng(14)
    v, tau = rng.normal(size=machine.nv), rng.normal(size=machine.nv)
    q = dynamics.integrate(machine.neutral(), 0.5 * rng.normal(size=machine.nv))
    how = Solving(stopping=Stopping(change=1e-12, residual=1e-13))
    found = run(ForwardDynamicsJob(machine, q, v, tau, solving=how), len(chain))

    system = chain.equations.pose(q[None], v[None], tau[None], still_root(machine)).system
    serial = how.iteration.solve(system, stopping=how.stopping)
    largest = np.abs(serial.f).max()
    np.testing.assert_allclose(found.f, serial.f[0], rtol=0, atol=1e-12 * largest)
    exact = BlockElimination().solve(system).f[0]
    np.testing.assert_allclose(found.f, exact, rtol=0, atol=1e-11 * largest)
    a = dynamics.forward_dynamics(q, v, tau)
    np.testing.assert_allclose(found.a, a, rtol=0, atol=1e-11 * np.abs(a).max())
    passed = [line for line in found.log if line.kind == "neighbour"]
    assert {abs(line.sender - line.receiver) for line in passed} == {1}
    assert {line.kind for line in found.log} == {"neighbour", "sum"}


@pytest.mark.xdist_group("mpi")
def test_one_worker_per_body_on_ranks():
    mpiexec()
    there = launch(ProgramJob(on_ranks.reference_forces), 3, timeout=60.0)
    system = golden.posed()[1].system
    serial = ConjugateGradientJacobi().solve(system, stopping=on_ranks.STOPPING)
    f = np.concatenate([one["f"] for one in there.results])
    np.testing.assert_allclose(f, serial.f[0], rtol=0, atol=1e-12 * np.abs(serial.f).max())
    a = np.concatenate([one["a"] for one in there.results])
    np.testing.assert_allclose(a, golden.ACCELERATIONS, atol=1e-7)
    check_log(there.log, 3, there.results[0]["iterations"], 2)
