"""Check 16: one body, no forces at all, a locked joint, a ball."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import phalanx as px
from papers.sharf import golden
from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.dynamics.evaluators.bodies import bodies_of
from phalanx.dynamics.evaluators.constraint_forces.chebyshev import ChebyshevJacobi
from phalanx.dynamics.evaluators.constraint_forces.conjugate_gradient import ConjugateGradientJacobi
from phalanx.dynamics.evaluators.constraint_forces.direct import BlockElimination
from phalanx.dynamics.evaluators.constraint_forces.equations import ConstraintEquations
from phalanx.dynamics.evaluators.constraint_forces.jacobi import Jacobi
from phalanx.dynamics.evaluators.constraint_forces.jointed import jointed_bodies
from phalanx.dynamics.evaluators.constraint_forces.relaxation import (
    GaussSeidel,
    SuccessiveOverRelaxation,
)
from phalanx.dynamics.evaluators.constraint_forces.stopping import Stopping
from phalanx.dynamics.evaluators.method import still_root
from phalanx.mechanism import Mechanism

SOLVERS = (
    BlockElimination(),
    Jacobi(),
    GaussSeidel(),
    SuccessiveOverRelaxation(),
    ChebyshevJacobi(),
    ConjugateGradientJacobi(),
)
STOPPINGS = (Stopping(), Stopping(change=None, residual=1e-9))


def falling(m: Mechanism, v: float = 0.0) -> tuple[ConstraintEquations, np.ndarray, np.ndarray]:
    equations = ConstraintEquations(jointed_bodies(bodies_of(m)))
    return equations, m.neutral()[None], np.full((1, m.nv), v)


@pytest.mark.parametrize("joint", ["revolute", "universal", "spherical"])
def test_one_body(joint: str) -> None:
    m = px.library.chain(1, joint)
    equations, q, v = falling(m, 0.3)
    tau = np.arange(1.0, 1 + m.nv)[None]
    posed = equations.pose(q, v, tau, still_root(m))
    expected = px.Dynamics(m).forward_dynamics(q, v, tau)
    for solver in SOLVERS:
        solved = solver.solve(posed.system)
        assert solved.iterations[0] <= 2  # A is its only block
        np.testing.assert_allclose(equations.accelerations(posed, solved.f), expected, rtol=1e-9)


def test_a_free_body_has_no_constraint_force() -> None:
    m = px.with_floating_base(px.subtree(golden.chain(), "link_3"))
    equations, q, v = falling(m, 0.1)
    posed = equations.pose(q, v, np.zeros_like(v), still_root(m))
    assert posed.system.structure.dimension == 0
    for solver in SOLVERS:
        solved = solver.solve(posed.system)
        assert not solved.f.any()
        expected = px.Dynamics(m).forward_dynamics(q, v, np.zeros_like(v))
        np.testing.assert_allclose(equations.accelerations(posed, solved.f), expected, atol=1e-12)


@pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: solver.name)
def test_nothing_acts(solver: object) -> None:
    m = px.library.chain(3, "spherical", gravity=(0.0, 0.0, 0.0))
    equations, q, v = falling(m)
    posed = equations.pose(q, v, np.zeros_like(v), still_root(m))
    for stopping in STOPPINGS:
        solved = solver.solve(posed.system, stopping=stopping)
        assert not solved.f.any()
        assert solved.residual[0] == 0.0
        assert solved.iterations[0] <= 1
        assert not equations.accelerations(posed, solved.f).any()


@cache
def braked() -> ConstraintEquations:
    return ConstraintEquations(jointed_bodies(bodies_of(golden.chain()), locked=["joint_2"]))


@pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: solver.name)
def test_a_locked_joint_holds_its_body_in_all_directions(solver: object) -> None:
    equations = braked()
    v = golden.V * [1.0, 0.0, 1.0]
    posed = equations.pose(golden.Q, v, golden.TAU, still_root(golden.chain()))
    assert posed.system.structure.sizes.tolist() == [5, 6, 5]
    a = equations.accelerations(posed, solver.solve(posed.system, stopping=Stopping(1e-12)).f)
    held = px.lock(golden.chain(), {"joint_2": golden.Q[0, 1]})
    moving = [0, 2]
    expected = px.Dynamics(held).forward_dynamics(
        golden.Q[:, moving], v[:, moving], golden.TAU[:, moving]
    )
    np.testing.assert_allclose(a[:, moving], expected, rtol=1e-8)
    assert a[0, 1] == 0.0


def test_a_locked_joint_that_moves_or_is_unknown_is_refused() -> None:
    bodies = bodies_of(golden.chain())
    with pytest.raises(InvalidInput, match="'joint_2' is locked, but has a velocity"):
        braked().pose(golden.Q, golden.V, golden.TAU, still_root(bodies.mechanism))
    with pytest.raises(UnknownName, match="Did you mean 'joint_2'"):
        jointed_bodies(bodies, locked=["jont_2"])
