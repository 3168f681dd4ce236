"""Constraint forces of chains by cyclic reduction are those of elimination in a row."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import phalanx as px
from dynamics.evaluators.test_scan import error
from phalanx.base.errors import InvalidModel
from phalanx.dynamics.evaluators.bodies import bodies_of
from phalanx.dynamics.evaluators.constraint_forces.cyclic_reduction import CyclicElimination, reduce
from phalanx.dynamics.evaluators.constraint_forces.direct import eliminate
from phalanx.dynamics.evaluators.constraint_forces.methods import BlockTridiagonal, CyclicReduction
from phalanx.dynamics.evaluators.constraint_forces.structure import Structure
from phalanx.dynamics.evaluators.constraint_forces.system import ConstraintSystem
from phalanx.dynamics.evaluators.method import still_root


def system(count: int, samples: int, width: int, seed: int) -> ConstraintSystem:
    """A block tridiagonal one, symmetric and positive definite, of joints of several sizes."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, width + 1, count).astype(np.int32)
    sizes[0] = width
    structure = Structure(np.arange(-1, count - 1, dtype=np.int32), sizes, width)
    there = structure.present[:, :, None] & structure.present[:, None, :]
    # A = C Cᵀ with a block bidiagonal C
    C = np.where(there, rng.standard_normal((samples, count, width, width)), 0.0)
    E = rng.standard_normal((samples, count, width, width))
    E[:, 0] = 0.0
    E[:, 1:] *= structure.present[1:, :, None] & structure.present[:-1, None, :]
    D = C @ C.swapaxes(2, 3) + E @ E.swapaxes(2, 3) + 0.5 * np.eye(width)
    L = np.zeros_like(D)
    L[:, 1:] = -E[:, 1:] @ C[:, :-1].swapaxes(2, 3)
    b = np.where(structure.present, rng.standard_normal((samples, count, width)), 0.0)
    return ConstraintSystem(structure, D, L, np.zeros((samples, 0, width, width)), b)


@given(st.integers(1, 40), st.integers(1, 3), st.sampled_from([1, 3]), st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_solves_any_chain_of_blocks(count: int, samples: int, width: int, seed: int) -> None:
    chain = system(count, samples, width, seed)
    found = CyclicElimination().solve(chain)
    assert (found.residual < 1e-13).all()
    np.testing.assert_allclose(found.f, eliminate(chain), rtol=1e-8, atol=1e-10)
    assert not found.f[:, ~chain.structure.present].any()


@pytest.mark.parametrize("joint", ["revolute", "spherical"])
def test_accelerations_of_chains(joint: str) -> None:
    for n in (1, 2, 3, 8, 9, 33):
        m = px.library.chain(n, joint)
        q = m.random_positions(3)
        v, tau = np.random.default_rng(n).standard_normal((2, 3, m.nv))
        bodies, root = bodies_of(m), still_root(m, 3)
        expected = BlockTridiagonal().solver(bodies, 1).accelerations(q, v, tau, root)
        if n == 9:
            np.testing.assert_allclose(
                expected,
                px.Dynamics(m).forward_dynamics(q, v, tau),
                atol=1e-9 * np.abs(expected).max(),
            )
        a = CyclicReduction().solver(bodies, 2).accelerations(q, v, tau, root)
        np.testing.assert_allclose(a, expected, atol=1e-10 * np.abs(expected).max())


def test_samples_do_not_depend_on_their_batch() -> None:
    chain = system(13, 4, 3, 0)
    together = reduce(chain)
    for k in range(4):
        np.testing.assert_array_equal(reduce(chain.take(np.array([k])))[0], together[k])


@pytest.mark.parametrize("n", [4, 64, 512])
def test_as_many_digits_as_elimination_in_a_row(n: int) -> None:
    m = px.library.chain(n, alternate=True)
    assert error(CyclicReduction(), m) < 10 * error(BlockTridiagonal(), m) + 1e-14


def test_elimination_is_logarithmic() -> None:
    for n, levels in ((1, 0), (2, 1), (3, 1), (4, 2), (1000, 9), (1024, 10)):
        structure = Structure(np.arange(-1, n - 1, dtype=np.int32), np.ones(n, np.int32), 1)
        assert CyclicElimination().depth(structure) == 3 * levels + 1


def test_a_tree_is_refused() -> None:
    bodies = bodies_of(px.library.torso())
    with pytest.raises(InvalidModel, match=r"branches at body '.+'; cyclic reduction takes chains"):
        CyclicReduction().solver(bodies, 1)
    posed = BlockTridiagonal().solver(bodies, 1)
    m = bodies.mechanism
    zero = np.zeros((1, m.nv))
    state = posed.equations.pose(m.neutral()[None], zero, zero, still_root(m))
    with pytest.raises(InvalidModel, match="cyclic reduction is for chains"):
        CyclicElimination().solve(state.system)
