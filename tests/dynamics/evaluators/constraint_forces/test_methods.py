"""Methods by constraint forces: any root, any wrench, any batch, and what they refuse."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import phalanx as px
from dynamics.evaluators.constraint_forces import machines
from phalanx.base.errors import InvalidInput, InvalidModel
from phalanx.dynamics.evaluators.bodies import bodies_of
from phalanx.dynamics.evaluators.constraint_forces.chebyshev import ChebyshevJacobi
from phalanx.dynamics.evaluators.constraint_forces.conjugate_gradient import ConjugateGradientJacobi
from phalanx.dynamics.evaluators.constraint_forces.direct import BlockElimination, eliminate
from phalanx.dynamics.evaluators.constraint_forces.jacobi import Jacobi
from phalanx.dynamics.evaluators.constraint_forces.jointed import jointed_bodies
from phalanx.dynamics.evaluators.constraint_forces.methods import (
    BlockTridiagonal,
    ConstraintIteration,
)
from phalanx.dynamics.evaluators.constraint_forces.relaxation import (
    GaussSeidel,
    SuccessiveOverRelaxation,
)
from phalanx.dynamics.evaluators.constraint_forces.solution import DidNotConverge
from phalanx.dynamics.evaluators.constraint_forces.spectrum import spectral_radius
from phalanx.dynamics.evaluators.constraint_forces.stopping import Stopping
from phalanx.dynamics.evaluators.method import Method, still_root
from phalanx.dynamics.evaluators.serial import Serial
from phalanx.mechanism import Body, Joint, Mechanism, Pose, Revolute, Spherical

METHODS = (BlockTridiagonal(), ConstraintIteration())


def rod(name: str) -> Body:
    return Body(name, 1.0, (0.0, 0.0, -0.5), np.diag([0.09, 0.09, 0.01]))


def star(arms: int) -> Mechanism:
    """A ball on a rod that carries many rods at one point."""
    bodies = [Body("ground"), rod("hub"), *(rod(f"arm_{k}") for k in range(arms))]
    joints = [Joint("hip", "ground", "hub", Spherical())]
    for k in range(arms):
        axis = np.array([np.cos(k), np.sin(k), 0.3 * k])
        pose = Pose(translation=np.array([0.0, 0.0, -1.0]))
        joints.append(Joint(f"joint_{k}", "hub", f"arm_{k}", Revolute(axis), pose))
    return Mechanism("star", bodies, joints)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_roots_that_move_and_wrenches_in_batches(method: Method) -> None:
    m = machines.chains([4, 5], ("revolute", "universal", "spherical"), 4, branching=True)
    bodies, samples = bodies_of(m), 5
    rng = np.random.default_rng(3)
    q, v, tau = machines.states(m, samples)
    root = rng.standard_normal((samples, 9))
    external = 3 * rng.standard_normal((samples, len(bodies), 6))
    solver = method.solver(bodies, 2)
    external[:, jointed_bodies(bodies).inner_nodes] = 0.0
    a = solver.accelerations(q, v, tau, root, external)
    expected = Serial().solver(bodies, 1).accelerations(q, v, tau, root, external)
    np.testing.assert_allclose(a, expected, atol=2e-8 * np.abs(expected).max())
    for k in range(samples):
        one = slice(k, k + 1)
        alone = solver.accelerations(q[one], v[one], tau[one], root[one], external[one])
        np.testing.assert_array_equal(alone[0], a[k])


def test_a_long_chain() -> None:
    m = px.library.chain(3000, "spherical")
    rng = np.random.default_rng(0)
    q = m.neutral()[None] + 0.05 * rng.standard_normal((1, m.nq))
    v, tau = 0.1 * rng.standard_normal((2, 1, m.nv))
    bodies, root = bodies_of(m), still_root(m)
    expected = Serial().solver(bodies, 1).accelerations(q, v, tau, root)
    solver = BlockTridiagonal().solver(bodies, 2)
    a = solver.accelerations(q, v, tau, root)
    np.testing.assert_allclose(a, expected, atol=1e-11 * np.abs(expected).max())
    assert solver.depth == 3 * 3000


def test_elimination_by_passes_and_by_turns_agree() -> None:
    system = machines.posed(machines.chains([6, 3], ("revolute", "universal"), 1), 3)[1].system
    assert not len(system.structure.siblings)
    expected = BlockElimination().solve(system)
    np.testing.assert_allclose(eliminate(system), expected.f, rtol=1e-9, atol=1e-9)
    assert (expected.residual < 1e-13).all()


@pytest.mark.parametrize(("samples", "lanes"), [(1, {1}), (3, {0, 1})])
def test_one_sample_runs_scalar_code_and_several_run_in_lanes(samples: int, lanes: set) -> None:
    """Of the pass for angular velocities; 0 stands for all lanes, and 1 counts the work."""
    m = machines.chains([5, 3], ("revolute", "universal"), 6)
    equations, posed = machines.posed(m, samples)
    assert set(equations._turning._kernels) == lanes
    v = machines.states(m, samples)[1]
    one = [
        equations.turning(posed.q[k : k + 1], v[k : k + 1], np.zeros((1, 3)))[0]
        for k in range(samples)
    ]
    together = equations.turning(posed.q, v, np.zeros((samples, 3)))
    np.testing.assert_allclose(together, one, rtol=0, atol=1e-13)


def test_siblings_can_make_jacobi_diverge_and_nothing_hides_it() -> None:
    m = star(6)
    solver = ConstraintIteration().solver(bodies_of(m), 1)
    q, v, tau = machines.states(m, 2)
    posed, found = solver.solve(q, v, tau, still_root(m, 2))
    assert len(posed.system.structure.siblings) == 15
    assert (spectral_radius(posed.system) > 1).all()
    exact = BlockElimination().solve(posed.system).f
    np.testing.assert_allclose(found.f, exact, atol=1e-7 * np.abs(exact).max())
    relaxed = GaussSeidel().solve(posed.system, stopping=Stopping(residual=1e-10))
    np.testing.assert_allclose(relaxed.f, exact, atol=1e-7 * np.abs(exact).max())
    with pytest.raises(DidNotConverge, match="Jacobi did not converge in"):
        Jacobi().solve(posed.system)
    with pytest.raises(InvalidInput, match="needs one below 1"):
        ChebyshevJacobi().solve(posed.system)
    with pytest.raises(InvalidInput, match="best omega is not known"):
        SuccessiveOverRelaxation().solve(posed.system)


def test_no_convergence_says_where_it_stands_and_falls_back_only_if_told() -> None:
    m = px.library.chain(8, alternate=True)
    bodies, root = bodies_of(m), still_root(m, 2)
    q, v, tau = machines.states(m, 2)
    short = ConstraintIteration(Jacobi(), Stopping(most=7))
    with pytest.raises(DidNotConverge, match=r"in 7 iterations \(sample 0\).*fallback=") as stopped:
        short.solver(bodies, 1).accelerations(q, v, tau, root)
    assert stopped.value.iterations == 7
    assert 0 < stopped.value.residual < 10
    told = replace(short, fallback=BlockElimination()).solver(bodies, 1)
    found = told.solve(q, v, tau, root)[1]
    assert found.fell_back.all()
    assert f"the last changed f by {found.changes[-1, 0]:.2g} of its size" in str(stopped.value)
    expected = BlockTridiagonal().solver(bodies, 1).accelerations(q, v, tau, root)
    np.testing.assert_allclose(told.accelerations(q, v, tau, root), expected, rtol=1e-12)


def test_samples_stop_when_they_have_converged_and_history_says_how() -> None:
    system = machines.posed(px.library.chain(6, "spherical"), 5)[1].system
    stopping = Stopping(change=1e-6, residual=1e-8)
    for solver in (Jacobi(), ConjugateGradientJacobi(), GaussSeidel()):
        found = solver.solve(system, stopping=stopping)
        assert len(set(found.iterations.tolist())) > 1
        assert (found.residual <= 1.01e-8).all()
        for k, steps in enumerate(found.iterations):
            assert np.isfinite(found.changes[:steps, k]).all()
            assert np.isnan(found.changes[steps:, k]).all()
            assert found.changes[steps - 1, k] <= 1e-6
            assert found.residuals[steps - 1, k] <= 1e-8
        again = solver.solve(system, found.f, stopping=stopping)
        assert (again.iterations <= 2).all()


def test_numbers_that_are_none_are_named() -> None:
    m = px.library.chain(3, "universal")
    solver = BlockTridiagonal().solver(bodies_of(m), 1)
    q, v, tau = machines.states(m, 2)
    root = still_root(m, 2)
    tau[1, 2] = np.nan
    with pytest.raises(InvalidInput, match=r"'tau' .* has nan at \[2\] of sample 1"):
        solver.accelerations(q, v, tau, root)
    wrench = np.zeros((2, 6, 6))
    wrench[0, 2, 1] = 1.0
    with pytest.raises(InvalidInput, match="acts within joint 'joint_2'"):
        solver.accelerations(q, v, np.zeros_like(v), root, wrench)


def test_machines_that_have_no_such_equations_are_refused() -> None:
    ground = Body("ground")
    with pytest.raises(InvalidModel, match="no body that moves"):
        BlockTridiagonal().solver(bodies_of(Mechanism("rock", [ground], [])), 1)
    with pytest.raises(InvalidModel, match=r"body 'hub' .* carries 700 joints"):
        jointed_bodies(bodies_of(star(700)))


def test_choices_are_checked() -> None:
    for wrong in (0.0, 1.0, -1e-3, np.nan):
        with pytest.raises(InvalidInput, match="change of Stopping"):
            Stopping(change=wrong)
    with pytest.raises(InvalidInput, match="by change, by residual or both"):
        Stopping(change=None)
    with pytest.raises(InvalidInput, match="most of Stopping is 0"):
        Stopping(most=0)
    with pytest.raises(InvalidInput, match="omega of SuccessiveOverRelaxation is 2"):
        SuccessiveOverRelaxation(2.0)
    with pytest.raises(InvalidInput, match="mu of ChebyshevJacobi"):
        ChebyshevJacobi(1.0)
    with pytest.raises(InvalidInput, match="iteration of ConstraintIteration"):
        ConstraintIteration("jacobi")  # type: ignore[arg-type]
    system = machines.posed(px.library.chain(2))[1].system
    with pytest.raises(InvalidInput, match="expected \\(1, 2, 5\\)"):
        Jacobi().solve(system, np.zeros(10))
    with pytest.raises(InvalidInput, match="not finite"):
        Jacobi().solve(system, np.full((1, 2, 5), np.inf))
