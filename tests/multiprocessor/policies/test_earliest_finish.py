from __future__ import annotations

from functools import cache

import pytest

import phalanx as px
from multiprocessor.samples import diamond, random_layers
from phalanx.multiprocessor import (
    MessagePassing,
    Placement,
    SharedMemory,
    Speed,
    TaskGraph,
    Topology,
    earliest_finish,
    highest_level_first,
    task_graph,
    transputer_mesh,
)
from phalanx.multiprocessor.policies.earliest_finish import upward_ranks


@cache
def arm() -> TaskGraph:
    return task_graph(px.inverse_dynamics.recursive, px.library.puma560())


def test_ranks_count_the_mean_message():
    """Two processors: a message is needed half of the time, so it counts half."""
    computer = SharedMemory(2, synchronization=3.0)
    assert upward_ranks(diamond(), computer) == [1 + 1.5 + 1 + 1.5 + 1, 3.5, 3.5, 1.0]


def test_dear_messages_keep_tasks_together():
    plan = earliest_finish(diamond(), SharedMemory(2, synchronization=5.0))
    assert plan.makespan == 4.0
    assert {p.processor for p in plan.placements} == {0}


def test_cheap_messages_spread_them():
    """c starts a quarter late elsewhere, and d where c is, when b's result has come too."""
    assert earliest_finish(diamond(), SharedMemory(2, synchronization=0.25)).makespan == 3.25


def test_a_gap_takes_a_later_task():
    """While one processor waits for a message, a short task of low rank fits in between."""
    waits = {"a": [], "b": [], "join": ["a", "b"], "end": ["join"], "idle": []}
    graph = TaskGraph.of("gap", waits)
    computer = SharedMemory(2, synchronization=1.0)
    plan = earliest_finish(graph, computer)
    assert plan.makespan == 4.0
    assert Placement(graph.number("join"), 0, 2.0, 3.0) in plan.placements
    assert Placement(graph.number("idle"), 0, 1.0, 2.0) in plan.placements


@pytest.mark.parametrize("network", [Topology.line, Topology.ring, Topology.bus])
@pytest.mark.parametrize("processors", [2, 4, 8])
def test_it_beats_a_list_when_messages_are_dear(network, processors):
    graph = arm()
    for start_up in (1.0, 5.0):
        computer = MessagePassing(processors, topology=network(processors), start_up=start_up)
        assert (
            earliest_finish(graph, computer).makespan
            < highest_level_first(graph, computer).makespan
        )


def test_a_transputer_mesh_does_not_pay_for_scalar_tasks():
    """A message takes as long as a dozen operations: all of them stay on one transputer."""
    graph = arm()
    computer = transputer_mesh(2, 2)
    assert highest_level_first(graph, computer).speedup < 0.5
    assert earliest_finish(graph, computer).speedup >= 1 - 1e-9


def test_large_tasks_pay_even_there():
    big = Speed(add=1e-3, multiply=1e-3)
    computer = MessagePassing(4, big, topology=Topology.mesh(2, 2), start_up=1e-5, per_word=1e-5)
    plan = earliest_finish(random_layers(200, 20), computer)
    assert plan.speedup > 3.5
    assert plan.messages
    assert plan.violations == ()
