from __future__ import annotations

import math

import pytest

from phalanx.base.errors import InvalidInput
from phalanx.kernel.graph.operations import Operations
from phalanx.multiprocessor import (
    Lanes,
    MessagePassing,
    SharedMemory,
    Speed,
    Task,
    Topology,
    ethernet_cluster,
    intel_8086,
    multicore,
    transputer_mesh,
    uniform_tasks,
    vector_lanes,
)

THREE = Operations(add=2, multiply=1)


def test_a_task_takes_the_sum_of_its_operations():
    speed = Speed(add=1.0, multiply=2.0, divide=4.0, sqrt=8.0, sincos=16.0, other=32.0, start=64.0)
    assert speed.of(Operations(1, 1, 1, 1, 1, 1)) == 127.0
    assert speed.of(Operations(add=3)) == 67.0
    assert Speed(task=5.0).of(THREE) == 5.0
    assert Speed.each(2.0, sincos=7.0).of(Operations(add=1, sincos=1)) == 9.0


def test_processors_may_differ():
    computer = SharedMemory(2, [Speed(), Speed.each(3.0)])
    assert not computer.is_uniform
    assert [computer.time(Task("t", THREE), p) for p in range(2)] == [3.0, 9.0]
    assert SharedMemory(2, [Speed(), Speed()]).is_uniform


def test_what_others_see_when():
    memory = SharedMemory(3, synchronization=2.0)
    assert (memory.delay(5, 0, 0), memory.delay(5, 0, 2)) == (0.0, 2.0)
    wires = MessagePassing(4, topology=Topology.line(4), start_up=1.0, per_word=0.5)
    assert wires.delay(4, 0, 3) == 3 * (1.0 + 4 * 0.5)
    assert wires.delay(4, 2, 2) == 0.0
    assert Lanes(4, shuffle=1.5).delay(1, 0, 1) == 1.5


@pytest.mark.parametrize("processors", [0, -2])
def test_there_is_at_least_one_processor(processors):
    for make in (SharedMemory, Lanes, uniform_tasks, intel_8086, multicore, vector_lanes):
        with pytest.raises(InvalidInput, match=f"{processors} processors"):
            make(processors)


@pytest.mark.parametrize("time", [-1.0, math.nan, math.inf])
def test_times_are_finite_and_not_negative(time):
    with pytest.raises(InvalidInput, match=f"'multiply' is {time}"):
        Speed(multiply=time)
    with pytest.raises(InvalidInput, match=f"'task' is {time}"):
        Speed(task=time)
    with pytest.raises(InvalidInput, match=f"synchronization is {time}"):
        SharedMemory(2, synchronization=time)
    with pytest.raises(InvalidInput, match=f"shuffle is {time}"):
        Lanes(2, shuffle=time)
    for name in ("start_up", "per_word"):
        with pytest.raises(InvalidInput, match=f"{name} is {time}"):
            MessagePassing(2, topology=Topology.line(2), **{name: time})


def test_parts_must_fit_together():
    with pytest.raises(InvalidInput, match="3 speeds for 2 processors"):
        SharedMemory(2, [Speed()] * 3)
    with pytest.raises(InvalidInput, match="line of 3 processors for a computer of 2"):
        MessagePassing(2, topology=Topology.line(3))
    with pytest.raises(InvalidInput, match="equally fast"):
        Lanes(2, [Speed(), Speed.each(2.0)])


def test_dhanarajs_times():
    """Table 4.8: a level of three operations on an 8086 takes 0.135 ms; 156 of them 21.06 ms."""
    computer = intel_8086(4)
    assert computer.time(Task("t", THREE)) == pytest.approx(0.135e-3)
    assert 156 * computer.time(Task("t", THREE)) == pytest.approx(21.06e-3)
    assert uniform_tasks(4).time(Task("t", THREE)) == 1.0


def test_a_transputer_has_its_known_rate_and_the_measured_link():
    """1.5 Mflop/s (Inmos technical note 26), 1.75 Mbyte/s on a link (comp.sys.transputer 1991)."""
    computer = transputer_mesh(2, 3)
    assert computer.processors == 6
    mix = Task("t", Operations(add=1, multiply=1))
    assert 2 / computer.time(mix) == pytest.approx(1.5e6, rel=0.02)
    words = computer.delay(1001, 0, 1) - computer.delay(1, 0, 1)
    assert 8 * 1000 / words == pytest.approx(1.75e6)


def test_a_cluster_has_a_wire_for_every_two():
    computer = ethernet_cluster(4)
    assert computer.topology == Topology.complete(4)
    assert computer.delay(1, 0, 3) == pytest.approx(20e-6, rel=1e-3)
