"""Taking the nearest first: enough, never more than is there."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from phalanx.ground.cuts import nearest_first

AMOUNTS = st.lists(st.tuples(st.floats(0, 5), st.floats(-3, 3)), min_size=1, max_size=12)


@given(AMOUNTS, st.floats(0, 30))
def test_takes_what_is_wanted_or_all_there_is(places, wanted):
    available, distance = np.array(places).T
    taken = nearest_first(available, distance, wanted)
    assert (0 <= taken).all() and (taken <= available).all()
    np.testing.assert_allclose(taken.sum(), min(wanted, available.sum()), atol=1e-12)


@given(AMOUNTS, st.floats(0, 30))
def test_nothing_is_taken_while_something_nearer_is_left(places, wanted):
    available, distance = np.array(places).T
    taken = nearest_first(available, distance, wanted)
    left = distance[available - taken > 1e-9]
    if left.size:
        assert (taken[distance > left.min()] <= 1e-9).all()


def test_what_is_infinitely_far_stays():
    taken = nearest_first(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[np.inf, 2], [1, 0]]), 8.0)
    np.testing.assert_array_equal(taken, [[0, 1], [3, 4]])
