"""What is measured on this machine: real times, of what they say they are."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import phalanx as px
from phalanx import multiprocessor as mp
from phalanx.base.errors import InvalidInput


def test_this_machine_as_a_computer():
    computer = mp.measured_multicore(3)
    assert (computer.processors, computer.unit) == (3, "s")
    speed = computer.speed_of(0)
    # from a hundredth of a nanosecond to a microsecond, on any machine of today
    for time in (speed.add, speed.multiply, speed.divide, speed.sqrt, speed.sincos, speed.other):
        assert 1e-11 < time < 1e-6
    # sines are polynomials of a dozen operations
    assert speed.sincos > 3 * speed.add
    # a cache line takes longer from core to core than a number through an adder
    assert computer.synchronization > 3 * speed.add


def test_one_processor_has_nobody_to_wait_for():
    assert mp.measured_multicore(1).synchronization == 0


def test_a_plan_is_measured_beside_its_promise():
    graph = mp.task_graph(px.inverse_dynamics.recursive, px.library.puma560())
    plan = mp.highest_level_first(graph, mp.SharedMemory(2))
    measured = mp.measure(plan, *np.zeros((3, 6)), turns=3)
    assert measured.predicted == plan.speedup > 1.9
    assert measured.plan is plan
    assert measured.speedup == measured.serial / measured.parallel
    # an arm of six joints takes less time than two threads take to agree a few times
    assert measured.waits > 10
    assert measured.speedup < 1


def test_inputs_are_made_up_when_there_are_none():
    graph = mp.task_graph(px.inverse_dynamics.recursive, px.library.double_pendulum())
    assert mp.measure(mp.schedule(graph, mp.SharedMemory(1)), turns=1).parallel > 0


def test_the_fastest_plan_uses_both_processors():
    arm = px.expression(px.inverse_dynamics.recursive, px.library.puma560())
    states = [[ca.SX.sym(f"{name}{k}", 6) for name in "qva"] for k in "12"]
    pair = ca.Function("pair", [*states[0], *states[1]], [arm(*states[0]), arm(*states[1])])
    graph = mp.task_graph(pair)
    best = mp.fastest_plan(graph, mp.multicore(2), turns=2)
    assert {p.processor for p in best.plan.placements} == {0, 1}
    assert len(best.plan.graph) < len(graph)
    assert not best.plan.violations


def test_too_small_for_a_second_processor():
    graph = mp.task_graph(px.inverse_dynamics.recursive, px.library.puma560())
    with pytest.raises(InvalidInput, match=r"'.*' with its \d+ operations is too small"):
        mp.fastest_plan(graph, mp.multicore(2, synchronization=1.0))


def test_no_turns():
    graph = mp.task_graph(px.inverse_dynamics.recursive, px.library.double_pendulum())
    with pytest.raises(InvalidInput, match="0 turns"):
        mp.measure(mp.schedule(graph, mp.SharedMemory(1)), turns=0)
