"""Tables of Runge-Kutta methods: conditions of order, and another's numbers."""

import numpy as np
import pytest
from scipy.integrate import RK45

from phalanx.simulation.integrators.tableaux import CLASSIC, DORMAND_PRINCE, EULER, GILL

TABLES = pytest.mark.parametrize(
    "table", [EULER, CLASSIC, GILL, DORMAND_PRINCE], ids=lambda table: table.name
)


def conditions(A, b, c):
    """What the weights of a method have to be, and are, for every tree of up to four nodes.

    Hairer, Norsett, Wanner (1993), sec. II.2.
    """
    one = np.ones(len(b))
    return {
        1: [(b @ one, 1)],
        2: [(b @ c, 1 / 2)],
        3: [(b @ c**2, 1 / 3), (b @ A @ c, 1 / 6)],
        4: [
            (b @ c**3, 1 / 4),
            (b @ (c * (A @ c)), 1 / 8),
            (b @ A @ c**2, 1 / 12),
            (b @ A @ A @ c, 1 / 24),
        ],
    }


def matrix(table):
    A = np.zeros((len(table.c), len(table.c)))
    for k, row in enumerate(table.a):
        A[k, : len(row)] = row
    return A, np.array(table.b) / table.over, np.array(table.c)


@TABLES
def test_conditions_of_order(table):
    A, b, c = matrix(table)
    np.testing.assert_allclose(A.sum(axis=1), c, rtol=0, atol=1e-15)
    for order, pairs in conditions(A, b, c).items():
        holds = all(is_ == pytest.approx(should, rel=0, abs=1e-15) for is_, should in pairs)
        assert holds == (order <= table.order), order


def test_the_second_method_of_dormand_and_prince_is_of_order_four():
    A, b, c = matrix(DORMAND_PRINCE)
    # the last stage is the end of the step
    A = np.vstack([np.pad(A, ((0, 0), (0, 1))), [*b, 0]])
    b, c = np.array([*b, 0]) - DORMAND_PRINCE.error, np.array([*c, 1])
    for pairs in conditions(A, b, c).values():
        for is_, should in pairs:
            assert is_ == pytest.approx(should, rel=0, abs=1e-15)
    assert abs(b @ c**4 - 1 / 5) > 1e-4


def test_dormand_and_prince_as_scipy_has_it():
    A, b, c = matrix(DORMAND_PRINCE)
    np.testing.assert_array_equal(A, np.pad(RK45.A, ((0, 0), (0, 1))))
    np.testing.assert_array_equal(b, RK45.B)
    np.testing.assert_array_equal(c, RK45.C)
    np.testing.assert_array_equal(DORMAND_PRINCE.error, RK45.E)
