"""Wong (1991), 4.5: the feed-forward solver that completes the mesh, and those it is compared with.

Acceptance check 14 of the spec (specs/wong-1991.md). Cycles are counted in runs of the cells; where
the source counts otherwise, the test says how.
"""

import numpy as np
import pytest
from scipy.linalg import cho_factor, cho_solve

from phalanx import hardware


def positive(n, seed=0):
    rng = np.random.default_rng([n, seed])
    half = rng.normal(size=(n, n))
    return half @ half.T + n * np.eye(n), rng.normal(size=n)


@pytest.mark.parametrize("n", range(1, 13))
def test_14_solutions_are_those_of_a_factorization(n):
    A, b = positive(n)
    found = hardware.systolic_solve(A, b)
    expected = cho_solve(cho_factor(A), b)
    assert np.abs(found.x - expected).max() < 1e-12 * np.abs(expected).max()


@pytest.mark.parametrize("n", [*range(1, 13), 32])
def test_14_the_first_solution_leaves_in_cycle_3n_and_the_last_before_4n(n):
    found = hardware.systolic_solve(*positive(n))
    assert found.first_cycle == 3 * n
    assert found.cycles == 4 * n - 1  # it is where it is needed in cycle 4n
    assert found.cells == n * (n + 1) // 2 + n
    assert found.array.violations == ()


@pytest.mark.parametrize("n", [1, 4, 7])
def test_14_the_first_n_outputs_are_zero(n):
    A, b = positive(n)
    found = hardware.systolic_solve(A, b)
    out = found.array.run(found.fed.ticks, **found.fed.streams)["x 1"]
    leaving = out[~np.isnan(out)]
    np.testing.assert_array_equal(leaving[:n], 0.0)
    np.testing.assert_array_equal(leaving[n:], found.x)


@pytest.mark.parametrize("n", [2, 5, 12])
def test_14_a_matrix_that_is_not_symmetric_is_fed_transposed(n):
    """Column c of the mesh streams column c of A, a row of its transpose."""
    rng = np.random.default_rng(n)
    A, b = rng.normal(size=(n, n)) + 2 * n * np.eye(n), rng.normal(size=n)
    found = hardware.systolic_solve(A, b)
    np.testing.assert_allclose(A @ found.x, b, rtol=0, atol=1e-12)
    for c in range(n):
        stream = found.fed.streams[f"row {c + 1}"]
        np.testing.assert_array_equal(stream[c : c + n], A[:, c])


@pytest.mark.parametrize("n", [2, 4, 6, 12])
def test_14_no_cell_does_more_than_the_source_says(n):
    """At most (2n + 1) multiplications or divisions, and 2n additions."""
    found = hardware.systolic_solve(*positive(n))
    assert max(one.multiply + one.divide for one in found.operations.values()) <= 2 * n + 1
    assert max(one.add for one in found.operations.values()) <= 2 * n
    busiest = found.operations[found.busiest]
    assert (busiest.multiply, busiest.add, busiest.divide) == (2 * n - 1, 2 * n - 1, 1)


@pytest.mark.parametrize("n", [1, 4, 9])
def test_orthogonal_rotations_take_the_same_mesh_and_the_same_cycles(n):
    A, b = positive(n)
    linear, orthogonal = (
        hardware.systolic_solve(A, b, method)
        for method in (hardware.feed_forward_lu, hardware.feed_forward_qr)
    )
    assert orthogonal.array.wires == linear.array.wires
    assert (orthogonal.first_cycle, orthogonal.cycles) == (linear.first_cycle, linear.cycles)
    # its pivots are those of Aᵀ = Q R, whose squares are those of Cholesky's factor of A Aᵀ
    factor = np.linalg.cholesky(A @ A.T)
    np.testing.assert_allclose(np.abs(orthogonal.pivots[0]), np.diag(factor), rtol=1e-12)


@pytest.mark.parametrize("n", [1, 4, 9])
def test_hyperbolic_rotations_find_the_factor_of_cholesky(n):
    """One row of cells more, which divide by roots, so everything is a cycle later."""
    A, b = positive(n)
    found = hardware.systolic_solve(A, b, hardware.feed_forward_cholesky)
    np.testing.assert_allclose(found.pivots[0], np.diag(np.linalg.cholesky(A)), rtol=1e-12)
    assert (found.first_cycle, found.cycles) == (3 * n + 1, 4 * n)
    assert found.cells == n * (n + 1) // 2 + 2 * n


@pytest.mark.parametrize("n", [1, 2, 4, 6, 12])
def test_factors_and_substitution_take_7n_minus_5_cycles_and_one_for_b(n):
    """3n - 2 until A is reduced, one more for b behind it, 4n - 3 for the line of cells.

    The source leaves out the one. Rows leave the triangle in the wrong order, so nothing overlaps.
    """
    A, b = positive(n)
    found = hardware.systolic_solve(A, b, hardware.factor_and_substitute)
    rows = found.array.registers(found.fed.ticks, **found.fed.streams)
    reduced = 1 + int(np.flatnonzero(rows[f"({n},{n}).i"] == n)[0])
    assert reduced == 3 * n - 2
    begins = 1 + min(cell.first for cell in found.array.cells if cell.name.startswith("line"))
    assert begins == reduced + 2
    assert found.cycles - begins + 1 == 4 * n - 3
    assert found.cycles == (7 * n - 5) + 1
    assert found.cells == n * (n + 1) // 2 + n


@pytest.mark.parametrize("n", [1, 2, 4, 6, 12])
def test_faddeev_begins_in_cycle_3n_with_nearly_twice_the_cells(n):
    """With wires to neighbours alone pivot rows pass n more cells, so the last comes with LU's."""
    A, b = positive(n)
    found = hardware.systolic_solve(A, b, hardware.faddeev)
    assert found.first_cycle == 3 * n
    assert found.cycles == 4 * n - 1
    assert found.cells == n * (n + 1) == 2 * (n * (n + 1) // 2 + n) - 2 * n


@pytest.mark.parametrize(
    "method", [hardware.factor_and_substitute, hardware.faddeev], ids=lambda m: m.name
)
@pytest.mark.parametrize("n", [1, 2, 3, 5, 12])
def test_baselines_find_the_solutions_of_a_factorization(method, n):
    """F38: their numbers, for several right-hand sides, and of a matrix without symmetry."""
    A, b = positive(n)
    sides = np.column_stack([b, b[::-1], np.arange(1.0, n + 1)])
    expected = cho_solve(cho_factor(A), sides)
    found = hardware.systolic_solve(A, sides, method).x
    assert np.abs(found - expected).max() < 1e-12 * np.abs(expected).max()
    skewed = A + np.triu(np.full((n, n), 0.3), 1)
    found = hardware.systolic_solve(skewed, b, method).x
    np.testing.assert_allclose(skewed @ found, b, rtol=0, atol=1e-12)


def test_faddeev_swaps_rows_where_the_feed_forward_solver_cannot():
    A = np.array([[0.0, 2.0, 1.0], [1.0, 0.0, 3.0], [4.0, 1.0, 0.0]])
    b = np.array([7.0, 10.0, 6.0])
    np.testing.assert_allclose(
        hardware.systolic_solve(A, b, hardware.faddeev).x, [1.0, 2.0, 3.0], rtol=1e-14
    )
    with pytest.raises(hardware.SingularSystem, match=r"pivot 1 is 0: its leading block of 1 rows"):
        hardware.systolic_solve(A, b)
