"""A ring shows its rows in order, whatever was written and however often it turned."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from phalanx.planning.trajectory.ring import Ring


@given(st.integers(1, 6), st.lists(st.integers(-1, 11), max_size=30))
def test_it_is_a_list_from_which_the_first_leaves_and_to_which_one_comes(rows, actions):
    ring, kept = Ring(rows, {"x": (2,)}), [[0.0, 0.0]] * rows
    for k, action in enumerate(actions, start=1):
        value = [float(k), -float(k)]
        if action < 0:  # the oldest leaves
            place = ring.place(0)
            ring.arrays["x"][place] = value
            ring.repeat("x", place)
            ring.turn()
            kept = [*kept[1:], value]
        elif action < 6:  # one row is written
            place = ring.place(action % rows)
            ring.arrays["x"][place] = value
            ring.repeat("x", place)
            kept[action % rows] = value
        else:  # all rows from one on
            first = action % rows
            ring.window("x")[first:] = value
            ring.repeat_from("x", first)
            kept[first:] = [value] * (rows - first)
        assert ring.window("x").tolist() == kept
        # both places of a row hold it
        np.testing.assert_array_equal(ring.arrays["x"][:rows], ring.arrays["x"][rows:])


def test_who_may_only_look_cannot_write():
    ring = Ring(3, {"x": ()})
    assert not ring.seen("x").flags.writeable
    assert ring.window("x").flags.writeable
    assert np.shares_memory(ring.seen("x"), ring.window("x"))
