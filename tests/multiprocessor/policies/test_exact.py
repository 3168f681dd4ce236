from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from multiprocessor.plans.test_bounds import shortest
from multiprocessor.samples import SPEEDS, random_layers, small_graphs, work
from phalanx.base.errors import InvalidInput, MissingExtra
from phalanx.multiprocessor import (
    Lanes,
    SharedMemory,
    Speed,
    TaskGraph,
    exact,
    highest_level_first,
    layered,
    lower_bound,
    transputer_mesh,
    uniform_tasks,
)
from phalanx.multiprocessor.policies.time_grid import time_grid

# what a list gets wrong: it starts a short task at once and keeps the long ones waiting
ANOMALY = TaskGraph.of(
    "anomaly",
    {"a": [], "b": [], "c": [], "d": ["a"], "e": ["a"], "f": ["b", "c"], "g": ["f"], "h": ["c"]},
)


@given(graph=small_graphs(), speed=st.sampled_from(SPEEDS), p=st.integers(1, 2))
def test_no_plan_is_shorter(graph, speed, p):
    """Against every order on every processor."""
    pytest.importorskip("ortools")
    for computer in (
        SharedMemory(p, speed),
        SharedMemory(p, [speed, Speed.each(2.0)][:p]),
        SharedMemory(p, speed, synchronization=0.5),
        SharedMemory(p, speed).pipelined(0.25),
        SharedMemory(p, speed, synchronization=0.5).pipelined(0.25),
    ):
        plan = exact(graph, computer)
        assert plan.violations == ()
        assert plan.is_proven_shortest
        assert plan.makespan == pytest.approx(shortest(graph, computer))


@given(
    work=work(max_operations=12), speed=st.sampled_from(SPEEDS), wait=st.sampled_from([0.0, 1.0])
)
@settings(max_examples=10)
def test_it_gives_the_right_numbers(work, speed, wait):
    pytest.importorskip("ortools")
    plan = exact(work.graph, SharedMemory(2, speed, synchronization=wait), time_limit=0.5)
    assert plan.violations == ()
    np.testing.assert_allclose(plan.execute(work.inputs), work.outputs, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "computer",
    [
        SharedMemory(3, Speed(add=2.0, multiply=3.0)),
        SharedMemory(3, synchronization=1.0),
        SharedMemory(2, [Speed(), Speed.each(1.5)]),
        SharedMemory(2, Speed(add=2.0, multiply=3.0, interval=1.0)),
        SharedMemory(2, [Speed(add=7.0, multiply=5.0, interval=1.0), Speed.each(1.5)]),
    ],
    ids=["equal", "delayed", "unequal", "pipelined", "unequally pipelined"],
)
def test_it_is_at_least_as_short_as_every_list(computer, seed):
    pytest.importorskip("ortools")
    graph = random_layers(16, 4, seed)
    plan = exact(graph, computer, time_limit=0.5)
    assert plan.violations == ()
    assert plan.policy == "exact"
    assert lower_bound(graph, computer) <= plan.bound <= plan.makespan * (1 + 1e-9)
    assert plan.makespan <= min(p(graph, computer).makespan for p in (layered, highest_level_first))


def test_a_proof_needs_no_search_when_a_list_meets_the_bound(monkeypatch):
    """And no extra: the fan of two is as short as its critical path."""
    monkeypatch.setitem(sys.modules, "ortools", None)
    plan = exact(TaskGraph.of("fan", {"a": [], "b": ["a"], "c": ["a"]}), uniform_tasks(2))
    assert plan.is_proven_shortest
    assert plan.bound == plan.makespan == 2.0


def needs_a_search() -> tuple[TaskGraph, SharedMemory]:
    for seed in range(100):
        graph = random_layers(14, 4, seed)
        computer = SharedMemory(3, Speed(add=2.0, multiply=3.0))
        if highest_level_first(graph, computer).makespan > lower_bound(graph, computer):
            return graph, computer
    raise AssertionError("every list met its bound")


def test_a_search_needs_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "ortools", None)
    for name in [name for name in sys.modules if name.startswith("ortools.")]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtra, match=r"\[exact\]"):
        exact(*needs_a_search())


def test_a_search_without_time_keeps_the_list_and_its_bound():
    pytest.importorskip("ortools")
    graph, computer = needs_a_search()
    plan = exact(graph, computer, time_limit=0.0)
    assert plan.violations == ()
    assert not plan.is_proven_shortest
    assert plan.bound == lower_bound(graph, computer)


def test_a_search_that_ends_is_the_same_every_time():
    pytest.importorskip("ortools")
    graph, computer = needs_a_search()
    assert exact(graph, computer).placements == exact(graph, computer).placements


def test_wires_and_lanes_are_refused():
    for computer in (transputer_mesh(2, 2), Lanes(4)):
        with pytest.raises(InvalidInput, match=f"no lanes, so it cannot plan for {computer.name}"):
            exact(ANOMALY, computer)
    with pytest.raises(InvalidInput, match="time limit of an exact search is -1"):
        exact(ANOMALY, uniform_tasks(2), time_limit=-1.0)


def test_grids():
    assert time_grid([3.0, 4.5, 0.0]).unit == pytest.approx(1.5)
    assert time_grid([3e-10, 2e-9, 1e-7]).unit == pytest.approx(1e-10)
    assert time_grid([45e-6 * 3, 45e-6]).unit == pytest.approx(45e-6)
    assert time_grid([0.0]).count(0.0) == 0
    grid = time_grid([0.1, 0.25, 0.7])
    assert [grid.count(t) for t in (0.1, 0.25, 0.7)] == [2, 5, 14]


def test_times_without_a_common_unit_are_refused():
    with pytest.raises(InvalidInput, match=r"1 and 1\.41421 have no common unit"):
        time_grid([1.0, 2**0.5])
    with pytest.raises(InvalidInput, match="too small for an exact search"):
        time_grid([1.0, 1.0001, 1.0003, 123456.0, 1 + 1 / 9973, 1 + 1 / 9967])
