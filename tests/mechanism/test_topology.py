import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from phalanx.mechanism import library
from phalanx.mechanism.topology import incidence_matrix, path_matrix

# Wong 1991, Fig. 3.1: two branches 1-2-3 and 1-4-5
FIGURE_3_1 = (-1, 0, 1, 0, 3)

trees = st.integers(1, 30).flatmap(
    lambda n: st.tuples(st.just(-1), *(st.integers(0, i - 1) for i in range(1, n)))
)


def rows(*texts: str) -> list[list[int]]:
    width = max(map(len, texts))
    return [[int(digit) for digit in text.ljust(width, "0")] for text in texts]


def test_paths_of_figure_3_1():
    expected = rows("1", "11", "111", "1001", "10011")
    np.testing.assert_array_equal(path_matrix(FIGURE_3_1), expected)
    U = incidence_matrix(FIGURE_3_1)
    np.testing.assert_array_equal(U[3], [-1, 0, 0, 1, 0])


def test_paths_of_the_torso():
    expected = rows("1", "11", "101", "1011", "10001", "100011")
    np.testing.assert_array_equal(library.torso().path_matrix, expected)


@given(trees)
def test_path_matrix_is_the_inverse_of_the_incidence_matrix(parents):
    product = incidence_matrix(parents) @ path_matrix(parents)
    np.testing.assert_array_equal(product, np.eye(len(parents)))
