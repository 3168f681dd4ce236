from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiprocessor.samples import SPEEDS, random_layers, small_graphs
from phalanx.kernel.graph.operations import Operations
from phalanx.multiprocessor import (
    SharedMemory,
    Speed,
    Task,
    TaskGraph,
    critical_path,
    highest_level_first,
    lower_bound,
    uniform_tasks,
)


def shortest(graph: TaskGraph, computer: SharedMemory) -> float:
    """By trying every order and every processor: five tasks at most."""
    best = float("inf")
    everywhere = range(computer.processors)
    time = [[computer.time(task, p) for p in everywhere] for task in graph.tasks]
    occupied = [[computer.occupancy(task, p) for p in everywhere] for task in graph.tasks]
    for order in itertools.permutations(range(len(graph))):
        place = {i: k for k, i in enumerate(order)}
        if any(place[p] > place[i] for i in order for p in graph.predecessors[i]):
            continue
        for where in itertools.product(everywhere, repeat=len(graph)):
            free, end = [0.0] * computer.processors, [0.0] * len(graph)
            for i in order:
                data = [
                    end[p] + computer.delay(1, where[p], where[i]) for p in graph.predecessors[i]
                ]
                start = max([free[where[i]], *data])
                end[i] = start + time[i][where[i]]
                free[where[i]] = start + occupied[i][where[i]]
            best = min(best, max(end))
    return best


@given(graph=small_graphs(), speed=st.sampled_from(SPEEDS), p=st.integers(1, 2))
def test_the_bound_holds_for_the_shortest_plan_there_is(graph, speed, p):
    for computer in (
        SharedMemory(p, speed),
        SharedMemory(p, [speed, Speed.each(2.0)][:p]),
        SharedMemory(p, [Speed(multiply=4.0), Speed(add=4.0)][:p]),
        SharedMemory(p, speed, synchronization=1.0),
        SharedMemory(p, speed).pipelined(0.25),
        SharedMemory(p, [speed, Speed.each(2.0)][:p]).pipelined(0.5),
    ):
        bound = lower_bound(graph, computer)
        assert bound <= shortest(graph, computer) * (1 + 1e-12)
        assert bound >= critical_path(graph, computer).length * (1 - 1e-12)


def test_work_that_has_to_be_done_at_a_time_counts():
    """A fan of four between two tasks: the path is 3, a share of the work 3, the truth 4."""
    middle = [f"m{k}" for k in range(4)]
    graph = TaskGraph.of("fan", {"a": [], **{m: ["a"] for m in middle}, "z": middle})
    computer = uniform_tasks(2)
    assert critical_path(graph, computer).length == 3.0
    assert len(graph) / 2 == 3.0
    assert lower_bound(graph, computer) == 4.0 == highest_level_first(graph, computer).makespan


def test_equal_tasks_take_whole_rounds():
    graph = TaskGraph("free", tuple(Task(f"t{i}") for i in range(7)), ((),) * 7)
    assert lower_bound(graph, uniform_tasks(3)) == 3.0
    assert lower_bound(graph, SharedMemory(3, Speed(task=0.5))) == 1.5


def test_slow_processors_count_for_what_they_do():
    graph = TaskGraph("free", tuple(Task(f"t{i}") for i in range(12)), ((),) * 12)
    computer = SharedMemory(2, [Speed(), Speed.each(2.0)])
    assert lower_bound(graph, computer) == pytest.approx(8.0)


def test_each_may_be_quick_at_something_else():
    kinds = [Operations(add=1), Operations(multiply=1)] * 2
    tasks = tuple(Task(f"t{i}", kind) for i, kind in enumerate(kinds))
    computer = SharedMemory(2, [Speed(multiply=4.0), Speed(add=4.0)])
    graph = TaskGraph("specialists", tasks, ((),) * 4)
    assert lower_bound(graph, computer) == 2.0 == shortest(graph, computer)


def test_nothing_takes_no_time():
    assert lower_bound(TaskGraph("empty", (), ()), uniform_tasks(2)) == 0.0
    free = TaskGraph.of("free", {"a": [], "b": ["a"]})
    assert lower_bound(free, SharedMemory(2, Speed.each(0.0))) == 0.0
    assert lower_bound(free, SharedMemory(2, [Speed.each(0.0), Speed()])) == 0.0


def test_large_graphs_are_bounded_by_fewer_moments():
    graph, computer = random_layers(5_000, 50), SharedMemory(16)
    bound = lower_bound(graph, computer)
    plan = highest_level_first(graph, computer)
    assert plan.serial_time / 16 * (1 - 1e-9) <= bound <= plan.makespan
