"""Offsets of recurrences: smallest solutions, shortest periods, and circles that have none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phalanx.multiprocessor import (
    AtLeast,
    SharedMemory,
    Speed,
    TaskGraph,
    Unsatisfiable,
    Way,
    offset_inequalities,
    recurrence_ways,
    shortest_period,
    smallest_offsets,
)

NAMES = "uvwxyz"
UNIT = SharedMemory(1, Speed(task=1.0))

ways = st.lists(
    st.builds(
        Way,
        st.sampled_from(NAMES),
        st.sampled_from(NAMES),
        st.integers(0, 9).map(float),
        st.integers(1, 2),
    ),
    max_size=12,
)


def test_offsets_are_the_longest_ways_to_each_variable():
    conditions = [AtLeast("b", "a", 3), AtLeast("c", "b", 4), AtLeast("c", "a", 6)]
    assert smallest_offsets(conditions, {"a": 4}) == {"a": 4, "b": 7, "c": 11}
    assert smallest_offsets(conditions, {"a": 4, "c": 20}) == {"a": 4, "b": 7, "c": 20}
    assert smallest_offsets([], {"x": 2}) == {"x": 2}
    assert smallest_offsets([AtLeast("b", "a", -3)]) == {"a": 0, "b": 0}


@given(ways=ways)
def test_at_the_shortest_period_all_conditions_hold_and_each_offset_is_needed(ways):
    period = shortest_period(ways)
    conditions = offset_inequalities(ways, period)
    offset = smallest_offsets(conditions)
    for c in conditions:
        assert offset[c.later] >= offset[c.earlier] + c.delay - 1e-9
    for name, value in offset.items():
        # what is not at its start is there because some condition asks for it
        tight = [offset[c.earlier] + c.delay for c in conditions if c.later == name]
        assert value == pytest.approx(max([0.0, *tight]), abs=1e-9)


@given(ways=ways)
def test_nothing_shorter_than_the_shortest_period_works(ways):
    period = shortest_period(ways)
    smallest_offsets(offset_inequalities(ways, period + 1e-6))
    if period > 0:
        with pytest.raises(Unsatisfiable):
            smallest_offsets(offset_inequalities(ways, period - 1e-3))


def test_a_circle_that_gains_time_is_named():
    conditions = [AtLeast("x", "y", 2), AtLeast("y", "z", -1), AtLeast("z", "x", 0.5)]
    with pytest.raises(Unsatisfiable, match=r"(x ≥ y ≥ z ≥ x|y ≥ z ≥ x ≥ y|z ≥ x ≥ y ≥ z) .* 1\.5"):
        smallest_offsets(conditions)
    assert shortest_period([Way("x", "y", 2), Way("y", "z", 1), Way("z", "x", 3)]) == 2


def test_a_circle_within_a_node_has_no_period():
    with pytest.raises(Unsatisfiable, match="circle within one node"):
        shortest_period([Way("x", "y", 1, steps=0), Way("y", "x", 1, steps=0)])


def test_a_period_shorter_than_a_variable_s_own_way_is_refused_by_name():
    with pytest.raises(Unsatisfiable, match="x ≥ x would have to be later than itself by 1"):
        smallest_offsets(offset_inequalities([Way("x", "x", 4)], 3))


def test_ways_are_read_from_tasks_and_end_at_other_variables():
    graph = TaskGraph.of(
        "node",
        {
            "x0": [],
            "y0": [],
            "t1": ["x0"],
            "t2": ["t1"],
            "x1": ["t2", "x0"],
            "t3": ["y0", "t1"],
            "y1": ["t3", "x1"],
        },
    )
    number = graph.number
    found = recurrence_ways(
        graph,
        UNIT,
        {"x": [number("x0")], "y": [number("y0")]},
        {"x": number("x1"), "y": number("y1")},
    )
    assert set(found) == {
        Way("x", "x", 3),
        Way("y", "y", 2),
        Way("y", "x", 3),  # through t1 and t3
        Way("y", "x", 1, steps=0),
    }
    assert shortest_period(found) == 3
    # x at 0 and 3; y waits for x of its own node
    assert smallest_offsets(offset_inequalities(found, 3)) == {"x": 0, "y": 1}
