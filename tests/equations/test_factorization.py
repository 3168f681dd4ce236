"""Sparse factorization of symmetric positive definite matrices."""

import casadi as ca
import numpy as np
import pytest
from casadi import SX

import phalanx as px
from evaluate import close
from phalanx.equations.mass_matrix.factorization import factorize
from strategies import menagerie


@pytest.mark.parametrize("n", [1, 2, 3, 6, 10])
def test_solves_dense_systems(n):
    rng = np.random.default_rng(n)
    A = rng.standard_normal((n, n))
    A = A @ A.T + n * np.eye(n)
    B = rng.standard_normal((n, 3))
    x = factorize(SX(ca.DM(A))).solve(SX(ca.DM(B)))
    close(np.array(ca.DM(x)), np.linalg.solve(A, B), 1e-12)  # well conditioned


@pytest.mark.parametrize(
    "machine", [px.library.torso(), px.library.chain(5), px.library.cat215b()], ids=lambda m: m.name
)
def test_a_tree_s_matrix_does_not_fill_in(machine):
    q = SX.sym("q", machine.nq)
    M = px.mass_matrix.composite_body(machine, q)
    below = factorize(M).below
    sparsity = M.sparsity()
    for k, row in enumerate(below):
        assert all(sparsity.has_nz(k, i) for i in row)


def test_mimics_fill_in_and_are_solved_all_the_same():
    machine = menagerie()
    M = px.expression(px.mass_matrix.composite_body, machine)
    q = machine.random_positions(seed=1)
    A = np.array(M(q))
    b = np.arange(1.0, machine.nv + 1)
    x = factorize(SX(M(q))).solve(SX(ca.DM(b)))
    close(A @ np.array(ca.DM(x))[:, 0], b, 1e-9)
