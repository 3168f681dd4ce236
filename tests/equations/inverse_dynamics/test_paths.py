from __future__ import annotations

import itertools
import math

from hypothesis import given
from hypothesis import strategies as st

from phalanx.equations.inverse_dynamics.paths import heavy_paths


@st.composite
def trees(draw):
    count = draw(st.integers(0, 40))
    return [draw(st.integers(-1, i - 1)) for i in range(count)]


@given(parents=trees())
def test_paths_are_rows_of_all_nodes_and_come_after_what_they_hang_on(parents):
    paths = heavy_paths(parents)
    assert sorted(i for path in paths for i in path) == list(range(len(parents)))
    seen = {-1}
    for path in paths:
        assert parents[path[0]] in seen
        for one, other in itertools.pairwise(path):
            assert parents[other] == one
        seen.update(path)


@given(parents=trees())
def test_a_way_to_the_root_changes_paths_no_more_than_log_n_times(parents):
    on = {i: k for k, path in enumerate(heavy_paths(parents)) for i in path}
    for i in range(len(parents)):
        changes, at = 0, i
        while parents[at] >= 0:
            changes += on[parents[at]] != on[at]
            at = parents[at]
        assert changes <= math.log2(len(parents))


def test_a_chain_is_one_path_and_a_star_is_as_many_as_rays():
    assert heavy_paths([-1, 0, 1, 2]) == [[0, 1, 2, 3]]
    assert heavy_paths([-1, -1, -1]) == [[0], [1], [2]]
    assert heavy_paths([-1, 0, 0, 2]) == [[0, 2, 3], [1]]
