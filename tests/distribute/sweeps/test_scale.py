"""Laws of a sweep on paper."""

import heapq

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phalanx.base.errors import InvalidInput
from phalanx.distribute.sweeps.scale import BUSY, Costs, Scale


def played_through(scale, workers, chunk):
    """Time of a sweep, event by event: one window that hands chunks out, workers behind it."""
    free = [0.0] * workers
    window = 0.0
    left = scale.cases
    end = 0.0
    while left > 0:
        cases = min(chunk, left)
        left -= cases
        window = max(window, heapq.heappop(free)) + scale.costs.handover(cases * scale.bytes)
        heapq.heappush(free, window + cases * scale.seconds)
        end = max(end, window + cases * scale.seconds)
    return end + scale.costs.start


@given(
    workers=st.integers(1, 300),
    waves=st.integers(1, 30),
    seconds=st.floats(1e-4, 0.1),
    size=st.floats(0, 1e4),
)
def test_the_formula_bounds_what_is_played_through(workers, waves, seconds, size):
    """The window and the workers overlap: no faster than the formula, slower by one of each."""
    scale = Scale(workers * waves * 8, seconds, size)
    exact = played_through(scale, workers, 8)
    formula = scale.time(workers, 8)
    handover = scale.costs.handover(8 * size)
    assert formula <= exact * (1 + 1e-9)
    # a worker waits for its hand-over in every wave, and for the window's first round
    assert exact <= formula + handover * (waves + workers) + 8 * seconds


@given(workers=st.integers(1, 2000), seconds=st.floats(1e-5, 10), size=st.floats(0, 100))
def test_shortest_chunk_keeps_workers_as_busy_as_asked(workers, seconds, size):
    scale = Scale(10**9, seconds, size)
    try:
        shortest = scale.shortest_chunk(workers)
    except InvalidInput:
        assert BUSY * workers * size / seconds >= scale.costs.bandwidth
        return
    handover = scale.costs.handover(shortest / seconds * size)
    assert shortest / (workers * handover) == pytest.approx(BUSY)


@given(
    cases=st.integers(1, 10**7),
    workers=st.integers(1, 2000),
    seconds=st.floats(1e-6, 100),
    size=st.floats(0, 1e6),
)
def test_a_chosen_chunk_is_possible(cases, workers, seconds, size):
    scale = Scale(cases, seconds, size)
    chunk = scale.chunk(workers)
    assert 1 <= chunk <= cases
    assert chunk * size <= max(64 << 20, size)
    assert -(-cases // chunk) >= min(cases, workers)  # nobody without work who could have some


@pytest.mark.parametrize("workers", [1, 2, 100, 500, 1000])
def test_with_enough_cases_chosen_chunks_keep_all_workers_busy(workers):
    scale = Scale(10_000 * 8 * workers * 20, seconds=1e-3, bytes=100.0)
    chunk = scale.chunk(workers)
    assert scale.busy(workers, chunk) >= BUSY
    assert chunk * scale.seconds >= 0.5 - 0.064


def test_slow_store_is_said():
    with pytest.raises(InvalidInput, match=r"1000 workers make 1000 MB/s.* at most 444 workers"):
        Scale(10**6, seconds=1.0, bytes=1e6).shortest_chunk(1000)


@pytest.mark.parametrize("bad", [{"cases": 0}, {"seconds": 0.0}, {"bytes": -1.0}])
def test_nonsense_is_refused(bad):
    with pytest.raises(InvalidInput):
        Scale(**({"cases": 1, "seconds": 1.0} | bad))
    with pytest.raises(InvalidInput):
        Costs(task=0.0)
