from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from phalanx.multiprocessor.policies.gaps import Gaps


def test_a_task_goes_into_the_first_gap_that_holds_it():
    gaps = Gaps(1)
    assert gaps.take(0, 10.0, 2.0) == 10.0
    assert gaps.take(0, 3.0, 4.0) == 3.0
    assert gaps.take(0, 0.0, 3.5) == 12.0  # 0 to 3 and 7 to 10 are too short
    assert gaps.take(0, 0.0, 3.0) == 0.0  # fills its gap
    assert gaps.take(0, 0.0, 3.0) == 7.0
    assert gaps.take(0, 0.0, 1.0) == 15.5


def test_ready_times_and_speeds_differ_between_processors():
    gaps = Gaps(2)
    gaps.take(0, 4.0, 1.0)
    starts = gaps.starts(np.array([1.0, 2.0]), np.array([4.0, 1.0]))
    assert starts.tolist() == [5.0, 2.0]
    assert gaps.starts(np.array([1.0, 2.0]), 3.0).tolist() == [1.0, 2.0]


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 5)), max_size=40))
def test_no_two_tasks_overlap_and_none_starts_before_it_is_ready(requests):
    """However many gaps there are; those forgotten are lost, never given twice."""
    gaps, taken = Gaps(1), []
    for ready, time in requests:
        promised = gaps.starts(np.array([float(ready)]), float(time))[0]
        start = gaps.take(0, float(ready), float(time))
        assert start == promised == max(start, ready)
        assert all(start + time <= a or b <= start for a, b in taken)
        taken.append((start, start + time))
