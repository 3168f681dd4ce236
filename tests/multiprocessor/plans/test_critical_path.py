from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiprocessor.samples import SPEEDS, diamond, random_layers, work
from phalanx.multiprocessor import (
    SharedMemory,
    Speed,
    TaskGraph,
    critical_path,
    parallelism_profile,
)
from phalanx.multiprocessor.computers.costs import mean_times, quickest_times, serial_processor
from phalanx.multiprocessor.plans.critical_path import earliest_starts, levels

SERIAL = SharedMemory(1)


@given(work=work(), speed=st.sampled_from(SPEEDS))
def test_the_path_is_a_chain_as_long_as_it_says(work, speed):
    computer = SharedMemory(1, speed)
    path = critical_path(work.graph, computer)
    for one, other in zip(path.tasks, path.tasks[1:], strict=False):
        assert one in work.graph.predecessors[other]
    assert path.length == pytest.approx(sum(computer.time(work.graph.tasks[i]) for i in path.tasks))


@given(work=work(), speed=st.sampled_from(SPEEDS))
def test_starts_and_levels_meet_on_the_path_and_nowhere_exceed_it(work, speed):
    """Two sweeps, outward and inward, that know nothing of each other."""
    computer = SharedMemory(1, speed)
    length = critical_path(work.graph, computer).length
    through = [
        start + level
        for start, level in zip(
            earliest_starts(work.graph, computer), levels(work.graph, computer), strict=True
        )
    ]
    assert max(through) == pytest.approx(length)


@given(work=work(), speed=st.sampled_from(SPEEDS))
def test_the_profile_holds_all_the_work(work, speed):
    computer = SharedMemory(1, speed)
    profile = parallelism_profile(work.graph, computer)
    total = sum(computer.time(task) for task in work.graph.tasks)
    length = critical_path(work.graph, computer).length
    if length:
        assert profile.average == pytest.approx(total / length)
        assert profile.times[-1] == pytest.approx(length)
        assert profile.average <= profile.widest + 1e-9


def test_a_diamond():
    assert critical_path(diamond(), SERIAL).tasks == (0, 1, 3)
    profile = parallelism_profile(diamond(), SERIAL)
    assert profile.times == (0.0, 1.0, 2.0, 3.0)
    assert profile.running == (1, 2, 1)
    assert (profile.widest, profile.average) == (2, pytest.approx(4 / 3))


def test_nothing_to_do():
    empty = TaskGraph("empty", (), ())
    assert critical_path(empty, SERIAL).length == 0.0
    assert parallelism_profile(empty, SERIAL).widest == 0
    assert parallelism_profile(empty, SERIAL).average == 1.0


def test_unequal_processors():
    """Quick at additions, quick at products, slow at all."""
    speeds = [Speed(add=1.0, multiply=9.0), Speed(add=9.0, multiply=2.0), Speed.each(9.0)]
    computer = SharedMemory(3, speeds)
    graph = random_layers(50, 5)
    times = [[computer.time(task, p) for task in graph.tasks] for p in range(3)]
    assert quickest_times(graph, computer) == [min(t) for t in zip(*times, strict=True)]
    assert mean_times(graph, computer) == pytest.approx(
        [sum(t) / 3 for t in zip(*times, strict=True)]
    )
    assert serial_processor(graph, computer) == min(range(3), key=lambda p: sum(times[p]))
