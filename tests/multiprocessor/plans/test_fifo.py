"""A buffer by itself: first in, first out, each reader once, and what finds no room is lost."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from phalanx.multiprocessor.plans import fifo
from phalanx.multiprocessor.plans.fifo import NOTHING, Deliveries, taken
from phalanx.multiprocessor.plans.start_times import Starts, grouped

SETS = 5


def at(first: float, interval: float, time: float = 1.0, order: int = 0, runs=None) -> Starts:
    """Somebody who starts every interval."""
    moments = first + np.arange(SETS) * interval
    going = np.full(SETS, True) if runs is None else np.array(runs, dtype=bool)
    return Starts(moments, moments + time, going, (time > 0, order, 0))


def taken_by(bringer: Starts, readers: list[Starts], depth: int, how=taken) -> list[list[int]]:
    deliveries = Deliveries(bringer, bringer.ends, np.arange(SETS))
    groups = grouped([bringer, *readers])
    return [origins.tolist() for origins in how(deliveries, readers, depth, groups)]


def test_a_wire_brings_what_is_read_as_it_comes():
    assert taken_by(at(0, 2), [at(1, 2, order=1)], depth=0) == [[0, 1, 2, 3, 4]]


def test_a_wire_holds_nothing():
    assert taken_by(at(0, 2), [at(1.5, 2, order=1)], depth=0) == [[NOTHING] * SETS]


def test_what_comes_to_a_full_buffer_is_lost():
    """Values come at 1, 3, 5, 7, 9 and are read from 6 on: one place keeps the first alone."""
    late = at(6, 2, order=1)
    assert taken_by(at(0, 2), [late], depth=3) == [[0, 1, 2, 3, 4]]
    assert taken_by(at(0, 2), [late], depth=1) == [[0, 3, 4, NOTHING, NOTHING]]


def test_a_value_stays_until_all_have_had_it():
    soon, late = at(1, 2, order=1), at(4.5, 2, order=2)
    assert taken_by(at(0, 2), [soon, late], depth=2) == [[0, 1, 2, 3, 4]] * 2
    assert taken_by(at(0, 2), [soon, late], depth=1) == [[0, 1, 2, 3, 4], [0, 2, 3, 4, NOTHING]]


def test_who_misses_a_turn_reads_what_belongs_to_another_set():
    reader = at(1, 2, order=1, runs=[True, False, True, True, True])
    assert taken_by(at(0, 2), [reader], depth=9) == [[0, NOTHING, 1, 2, 3]]
    bringer = at(0, 2, runs=[True, False, True, True, True])
    assert taken_by(bringer, [at(1, 2, order=1)], depth=9) == [[0, NOTHING, 2, 3, 4]]


def test_what_takes_no_time_is_read_in_the_same_moment():
    assert taken_by(at(0, 2, time=0), [at(0, 2, order=1)], depth=0) == [[0, 1, 2, 3, 4]]


# halves, so that moments often coincide
moments = st.integers(0, 12).map(lambda half: half / 2)


@given(
    interval=st.sampled_from([0.5, 1.0, 2.5]),
    time=st.sampled_from([0.0, 0.5, 2.0]),
    reads=st.lists(moments, min_size=1, max_size=3),
    depth=st.integers(0, 6),
)
def test_what_arrays_find_is_what_happens_event_by_event(interval, time, reads, depth):
    bringer = at(1.0, interval, time)
    readers = [at(1.0 + wait, interval, order=k + 1) for k, wait in enumerate(reads)]
    played = taken_by(bringer, readers, depth, how=fifo._played)
    assert taken_by(bringer, readers, depth) == played
    deep_enough = max(reads) - time <= depth * interval
    if min(reads) >= time and deep_enough:
        assert played == [list(range(SETS))] * len(readers)
    else:
        assert played != [list(range(SETS))] * len(readers) or SETS * interval <= max(reads)


@pytest.mark.parametrize("interval", [0.1, 1 / 3, 1e-3])
def test_moments_that_differ_by_rounding_are_one(interval):
    """The third set comes at 3 * interval, the reader of it at the sum of three."""
    bringer = at(0.0, interval, time=interval)
    steps = np.cumsum(np.full(SETS, interval))
    reader = Starts(steps, steps + interval, np.full(SETS, True), (True, 1, 0))
    assert taken_by(bringer, [reader], depth=0) == [list(range(SETS))]
