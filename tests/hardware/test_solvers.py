"""Systolic solvers: every method against NumPy and exact numbers, and what it cannot solve."""

from __future__ import annotations

from fractions import Fraction

import casadi as ca
import numpy as np
import pytest
from casadi import SX
from hypothesis import given, settings
from hypothesis import strategies as st

from phalanx import hardware
from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.hardware.solvers.methods import METHODS
from phalanx.hardware.solvers.row_operations import (
    HYPERBOLIC,
    LINEAR,
    ORTHOGONAL,
    PAIRWISE,
)
from phalanx.kernel.graph.operations import count_operations

every_method = pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
SWAPPING = [method for method in METHODS.values() if method.swaps]


def positive(rng, *shape):
    half = rng.normal(size=(*shape, shape[-1]))
    return half @ np.swapaxes(half, -1, -2) + shape[-1] * np.eye(shape[-1])


@every_method
@settings(max_examples=15)
@given(n=st.integers(1, 8), sides=st.integers(1, 3), systems=st.integers(1, 3), seed=st.integers())
def test_systems_one_after_the_other_with_several_sides(method, n, sides, systems, seed):
    rng = np.random.default_rng(abs(seed))
    A, b = positive(rng, systems, n), rng.normal(size=(systems, n, sides))
    found = hardware.systolic_solve(A, b, method)
    assert found.x.shape == b.shape
    np.testing.assert_allclose(found.x, np.linalg.solve(A, b), rtol=1e-11, atol=1e-12)
    assert found.array.violations == ()
    assert 0 < found.utilization <= 1


@every_method
def test_the_next_system_follows_without_a_gap(method):
    """Each further one costs the interval, and no cell is late or early for it."""
    rng = np.random.default_rng(3)
    A, b = positive(rng, 3, 5), rng.normal(size=(3, 5))
    one, three = (hardware.systolic_solve(A[:k], b[:k], method) for k in (1, 3))
    assert three.cycles - one.cycles == 2 * one.interval
    assert three.first_cycle == one.first_cycle
    lengths = {"substitution": 10, "faddeev": 6}
    assert one.interval == lengths.get(method.name, 10)
    for k in range(3):
        alone = hardware.systolic_solve(A[k], b[k], method)
        np.testing.assert_array_equal(three.x[k], alone.x)  # to the last bit
    # work adds up, and an array that is fed without a gap is better used
    assert sum(three.busy.values()) == 3 * sum(one.busy.values())
    assert three.utilization > one.utilization


@pytest.mark.parametrize("n", [16, 32])
@every_method
def test_large_systems(method, n):
    rng = np.random.default_rng(n)
    A, b = positive(rng, n), rng.normal(size=n)
    found = hardware.systolic_solve(A, b, method)
    np.testing.assert_allclose(found.x, np.linalg.solve(A, b), rtol=1e-11)


@pytest.mark.parametrize("method", SWAPPING, ids=lambda method: method.name)
@settings(max_examples=15)
@given(n=st.integers(1, 7), seed=st.integers(0, 2**32))
def test_methods_that_swap_or_rotate_take_any_matrix(method, n, seed):
    """Among them such with zeros on the diagonal."""
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.normal(size=(n, n)))[0]
    A = np.round(turn @ np.diag(rng.uniform(1, 4, n)), 1) + 0.0
    A[np.diag_indices(n)] *= rng.integers(0, 2, n)
    if np.linalg.cond(A) > 1e4:
        return
    x = rng.normal(size=n)
    np.testing.assert_allclose(hardware.systolic_solve(A, A @ x, method).x, x, rtol=0, atol=1e-9)


def exact(A, b):
    """The solution in fractions, by elimination; numbers that NumPy rounds are exact here."""
    n = len(b)
    rows = [
        [Fraction(float(x)) for x in row] + [Fraction(float(y))]
        for row, y in zip(A, b, strict=True)
    ]
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i in range(n):
            if i != k:
                rows[i] = [x - rows[i][k] * y for x, y in zip(rows[i], rows[k], strict=True)]
    return np.array([float(row[n]) for row in rows])


@every_method
def test_an_ill_conditioned_matrix_costs_as_many_digits_as_elsewhere(method):
    """Hilbert's matrix of order 7, condition 5e8: as good as condition and digits allow."""
    n = 7
    A = 1.0 / (np.arange(n)[:, None] + np.arange(n) + 1.0)
    b = np.ones(n)
    x = exact(A, b)
    error = np.abs(hardware.systolic_solve(A, b, method).x - x).max() / np.abs(x).max()
    assert 0 < error < np.linalg.cond(A) * np.finfo(float).eps


def test_growth_of_multiples_without_swaps():
    """A small first pivot ruins LU in order; methods that swap or rotate keep all digits."""
    A, b = np.array([[1e-12, 0.7], [0.9, 1.3]]), np.array([0.6, 2.1])
    x = exact(A, b)
    error = {
        method.name: np.abs(hardware.systolic_solve(A, b, method).x - x).max()
        for method in (hardware.feed_forward_lu, *SWAPPING)
    }
    assert error.pop("lu") > 1e-6
    assert max(error.values()) < 1e-15


@every_method
def test_a_singular_matrix_names_the_pivot(method):
    A = np.array([[2.0, 1.0, 3.0], [1.0, 2.0, 3.0], [3.0, 3.0, 6.0]])  # the third is the sum
    with pytest.raises(hardware.SingularSystem, match=r": pivot 3 is ") as caught:
        hardware.systolic_solve(A, np.ones(3), method)
    assert (caught.value.pivot, caught.value.system) == (3, 0)
    good = np.eye(3)
    with pytest.raises(hardware.SingularSystem, match=r": pivot 3 of system 1 is "):
        hardware.systolic_solve([good, A, good], np.ones((3, 3)), method)
    with pytest.raises(hardware.SingularSystem, match=r": pivot 1 is "):
        hardware.systolic_solve([[0.0]], [1.0], method)


def test_a_matrix_that_is_not_positive_or_not_symmetric():
    with pytest.raises(hardware.SingularSystem, match="pivot 2 is nan: the matrix is not positive"):
        hardware.systolic_solve([[1.0, 2.0], [2.0, 1.0]], [1, 1], hardware.feed_forward_cholesky)
    with pytest.raises(InvalidInput, match=r"A is not symmetric, at \(0, 1\) by 1; feed-forward"):
        hardware.systolic_solve([[3.0, 1.0], [0.0, 3.0]], [1, 1], hardware.feed_forward_cholesky)


@pytest.mark.parametrize(
    ("A", "b", "says"),
    [
        (np.ones((2, 3)), np.ones(2), r"A has shape \(2, 3\); expected \(n, n\)"),
        (np.ones(4), np.ones(2), r"A has shape \(4,\)"),
        (np.eye(2), np.ones(3), r"b has shape \(3,\); expected \(2,\), or \(2, sides\)"),
        (np.eye(2), np.ones((2, 0)), r"b has shape \(2, 0\)"),
        (np.ones((3, 2, 2)), np.ones((2, 2)), r"b has shape \(2, 2\); expected \(3, 2\), or"),
        (np.array([[1.0, np.nan], [0, 1]]), np.ones(2), r"A\[0, 1\] is nan"),
        (np.eye(2), np.array([1.0, np.inf]), r"b\[1\] is inf"),
        ("x", np.ones(2), "A is 'x'; expected an array of real numbers"),
        (np.eye(2), [1j, 2.0], "b is .*; expected an array of real numbers"),
        (np.eye(2), [[1.0], [1.0, 2.0]], "b is .*; expected an array of real numbers"),
        (np.zeros((0, 0)), np.zeros(0), r"b has shape \(0,\)"),
    ],
)
def test_what_does_not_fit(A, b, says):
    with pytest.raises(InvalidInput, match=says):
        hardware.systolic_solve(A, b)


def test_methods_by_name():
    with pytest.raises(InvalidInput, match="method='qr'; expected one such as"):
        hardware.systolic_solve(np.eye(2), np.ones(2), "qr")
    assert hardware.systolic_method_by_name("qr") is hardware.feed_forward_qr
    with pytest.raises(UnknownName, match=r"has no method 'cholesk'\. Did you mean 'cholesky'"):
        hardware.systolic_method_by_name("cholesk")


@pytest.mark.parametrize("operation", [LINEAR, PAIRWISE, ORTHOGONAL, HYPERBOLIC])
@given(x=st.floats(0.1, 3), y=st.floats(-3, 3), u=st.floats(-2, 2), v=st.floats(-2, 2))
def test_a_row_operation_makes_zero_and_keeps_what_it_should(operation, x, y, u, v):
    if operation is HYPERBOLIC:
        y *= 0.3 * x / 3
    kept = operation.chosen(SX(x), SX(y))
    x1, y1 = (float(one) for one in operation.applied(kept, SX(x), SX(y)))
    u1, v1 = (float(one) for one in operation.applied(kept, SX(u), SX(v)))
    assert abs(y1) < 1e-14
    if operation is ORTHOGONAL:
        np.testing.assert_allclose([x1**2, u1**2 + v1**2], [x**2 + y**2, u**2 + v**2], atol=1e-12)
    elif operation is HYPERBOLIC:
        np.testing.assert_allclose([x1**2, u1**2 - v1**2], [x**2 - y**2, u**2 - v**2], atol=1e-12)
    else:  # areas of the parallelogram of two columns stay, but for their sign
        assert abs(abs(x1 * v1 - u1 * y1) - abs(x * v - u * y)) < 1e-12


@pytest.mark.parametrize("operation", [LINEAR, HYPERBOLIC])
def test_the_arithmetic_of_a_row_operation_is_what_its_expressions_have(operation):
    x, y, kept = SX.sym("x"), SX.sym("y"), SX.sym("kept", operation.parameters)
    chosen = ca.Function("f", [x, y], [operation.chosen(x, y)])
    ahead = ca.Function("f", [kept, x, y], [operation.applied(kept, x, y)[0]])
    assert count_operations(chosen) + count_operations(ahead) == operation.at_pivot


@pytest.mark.parametrize("operation", [LINEAR, ORTHOGONAL, HYPERBOLIC])
def test_the_arithmetic_of_applying_it(operation):
    x, y, kept = SX.sym("x"), SX.sym("y"), SX.sym("kept", operation.parameters)
    function = ca.Function("f", [kept, x, y], [*operation.applied(kept, x, y)])
    assert count_operations(function) == operation.after_pivot


def test_methods_side_by_side():
    rng = np.random.default_rng(6)
    A, b = positive(rng, 6), rng.normal(size=6)
    rows = {row.method.name: row for row in hardware.compare_solvers(A, b)}
    assert list(rows) == list(METHODS)
    assert {name: row.cycles for name, row in rows.items()} == {
        "lu": 23,
        "pivoting": 23,
        "qr": 23,
        "cholesky": 24,
        "substitution": 38,
        "faddeev": 23,
    }
    assert {name: row.cells for name, row in rows.items()} == {
        "lu": 27,
        "pivoting": 27,
        "qr": 27,
        "cholesky": 33,
        "substitution": 27,
        "faddeev": 42,
    }
    assert all(row.error < 1e-14 for row in rows.values())
    skew = hardware.compare_solvers([[0.0, 1.0], [-1.0, 0.0]], [1.0, 2.0])
    assert {row.method.name for row in skew if row.refused} == {"lu", "cholesky", "substitution"}
    assert all(row.error < 1e-15 for row in skew if not row.refused)
    singular = hardware.compare_solvers(np.ones((2, 2)), np.ones(2))
    assert all("pivot 2 is" in row.refused for row in singular)


@pytest.mark.parametrize(
    "method", [hardware.feed_forward_lu, hardware.factor_and_substitute], ids=["lu", "sub"]
)
def test_a_page_of_a_run(method, tmp_path):
    found = hardware.systolic_solve([[4.0, 1.0], [1.0, 3.0]], [1.0, 2.0], method)
    found.space_time(tmp_path / "run.html")
    text = (tmp_path / "run.html").read_text()
    assert method.title in text and "(1,2)" in text
