"""Arrays of pipelined operators: latency stays, samples enter as fast as the busiest operator."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import phalanx as px
from papers.lathrop.golden import random_chain
from phalanx import hardware
from phalanx import multiprocessor as mp
from phalanx.base.errors import InvalidInput
from phalanx.hardware.arrays.modulo_slots import ModuloSlots
from phalanx.hardware.arrays.networks import NETWORKS
from phalanx.multiprocessor.tasks.vector_operators import Kind

NETWORK = st.sampled_from([None, *NETWORKS.values()])
PIPELINED = {"multiply": 5.0, "add": 7.0, "multiply_interval": 1.0, "add_interval": 1.0}
UNITS = {"multiply": 5.0, "add": 7.0}


def most_tasks(array: hardware.OperatorArray) -> int:
    """Tasks of the busiest operator."""
    return max(Counter(placed.processor for placed in array.plan.placements).values())


@pytest.mark.parametrize("network", [None, px.scans.sklansky], ids=["linear", "tree"])
def test_a_sample_enters_every_cycle_where_each_operation_has_its_own_operator(network):
    """Not every 26, the time of a step; from input to torque it takes as long as before."""
    puma = px.library.puma560()
    slow = hardware.operator_array(puma, network, **UNITS)
    array = hardware.operator_array(puma, network, **PIPELINED)
    assert (slow.interval, array.interval) == (26.0, 1.0)
    assert array.latency == slow.latency
    assert array.plan.placements == slow.plan.placements
    assert array.time(20) == array.latency + 19
    assert set(array.periodic.utilization.values()) == {1.0}
    array.check()
    # the operators would allow 19, the time of a product of matrix and vector
    assert mp.initiation_interval(slow.plan) == 19.0


@pytest.mark.parametrize("network", [None, px.scans.sklansky], ids=["node", "tier"])
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("enters", [1.0, 2.0])
def test_a_shared_operator_takes_its_operations_one_after_the_other(network, shared, enters):
    """The interval is the number of operations of the busiest operator, times its own."""
    array = hardware.operator_array(
        px.library.puma560(),
        network,
        systolic=False,
        shared=shared,
        multiply=5.0,
        add=7.0,
        multiply_interval=enters,
        add_interval=enters,
    )
    assert array.interval == most_tasks(array) * enters
    assert max(array.plan.busy) == array.interval
    assert array.periodic.violations == ()
    slow = hardware.operator_array(
        px.library.puma560(), network, systolic=False, shared=shared, **UNITS
    )
    assert slow.interval == slow.latency > 10 * array.interval


@given(
    joints=st.integers(1, 7),
    network=NETWORK,
    how=st.sampled_from(["systolic", "single", "shared"]),
    padded=st.booleans(),
    times=st.sampled_from([(5, 7, 1, 1), (5, 7, 2, 1), (5, 7, 5, 7), (2.5, 0.7, 0.5, 0.3)]),
    seed=st.integers(0, 99),
)
def test_every_pipelined_array_gives_the_torques_of_the_serial_recursion(
    joints, network, how, padded, times, seed
):
    rng = np.random.default_rng(seed)
    arm = random_chain(joints, rng)
    array = hardware.operator_array(
        arm,
        network,
        systolic=how == "systolic",
        shared=how == "shared",
        padded=padded,
        multiply=times[0],
        add=times[1],
        multiply_interval=times[2],
        add_interval=times[3],
    )
    assert array.periodic.violations == ()
    assert array.interval >= max(array.plan.busy) * (1 - 1e-9)
    if not padded:
        slots = most_tasks(array) * max(times[2:])
        assert array.interval <= slots * (1 + 1e-9)
    q, v, a = rng.uniform(-1, 1, size=(3, 25, joints))
    function = px.expression(px.inverse_dynamics.recursive, arm)
    expected = np.array([np.array(function(*row)).ravel() for row in zip(q, v, a, strict=True)])
    assert np.abs(array.execute(q, v, a) - expected).max() <= 1e-12 * np.abs(expected).max()


def test_samples_that_enter_too_often_are_told_and_lost():
    array = hardware.operator_array(px.library.puma560(), **PIPELINED, interval=0.5)
    with pytest.raises(InvalidInput, match=r"cannot take a set every 0\.5 Flops: .*The least is 1"):
        array.check()
    q, v, a = np.random.default_rng(0).uniform(-1, 1, (3, 20, 6))
    assert np.isnan(array.execute(q, v, a)).any()


def test_a_longer_interval_leaves_room_for_it():
    """A node that takes a sample every 10 has its starts apart modulo 10."""
    array = hardware.operator_array(
        px.library.puma560(), systolic=False, **PIPELINED, interval=10.0
    )
    assert array.interval == 10.0
    assert array.periodic.violations == ()


def test_fixed_offsets_of_shared_operators_wait_for_an_interval_not_for_a_result():
    """Nine joints on one tier: tasks of a step take turns, which takes time only unpipelined."""
    arm, how = px.library.chain(9), {"systolic": False, "shared": True, "padded": True}
    fast = hardware.operator_array(arm, px.scans.sklansky, **how, **PIPELINED)
    slow = hardware.operator_array(arm, px.scans.sklansky, **how, **UNITS)
    array = hardware.operator_array(arm, px.scans.sklansky, padded=True, **PIPELINED)
    assert fast.latency == array.latency < slow.latency


def test_buffers_hold_as_many_samples_as_enter_while_values_wait():
    """Plans are the same, so values wait as long: w cycles are w samples, or w / 26 rounded up."""
    puma = px.library.puma560()
    slow, fast = (hardware.operator_array(puma, **kind) for kind in (UNITS, PIPELINED))
    waits = {buffer[:4]: buffer.depth for buffer in fast.periodic.buffers_there}
    assert {b[:4]: b.depth for b in slow.periodic.buffers_there} == {
        place: -(-wait // 26) for place, wait in waits.items()
    }
    stays = {p.task: p for p in fast.plan.placements}
    for task, placed in stays.items():
        readers = [stays[i].start for i in fast.tasks.graph.successors[task]]
        for buffer in fast.periodic.buffers_there:
            if buffer.task == fast.tasks.graph.tasks[task].name and len(readers) == 1:
                assert buffer.depth == readers[0] - placed.end


@pytest.mark.parametrize("kind", list(Kind))
def test_an_operator_with_its_own_units_takes_an_operand_every_cycle(kind):
    """Whatever it does: as often as its slowest unit; unpipelined, after its whole latency."""
    task = mp.Task("one", kind.work, kind=kind.value)
    times = {"multiply": 5.0, "add": 7.0}
    one = mp.vector_operator("one", [kind], **times)
    assert one.occupancy(task) == one.time(task) == kind.delay.multiply * 5 + kind.delay.add * 7
    quick = mp.vector_operator("quick", [kind], **times, multiply_interval=1.0, add_interval=1.0)
    assert (quick.time(task), quick.occupancy(task)) == (one.time(task), 1.0)
    uneven = mp.vector_operator("uneven", [kind], **times, multiply_interval=2.0, add_interval=3.0)
    assert uneven.occupancy(task) == (2.0 if kind is Kind.SV else 3.0)
    stages = mp.vector_operator("stages", [kind], **times, add_interval=7.0)
    assert stages.occupancy(task) == (5.0 if kind is Kind.SV else 7.0)


@pytest.mark.parametrize("kind", list(Kind))
def test_units_of_an_operator_do_its_work_level_by_level(kind):
    """Counted again on rows of stages: products at once, then a level of sums after the other."""
    slow, quick = (kind.units(pipelined=pipelined) for pipelined in (False, True))
    assert quick == kind.work
    assert slow.multiply == kind.work.multiply
    assert slow.add * kind.delay.add == kind.work.add


def test_multipliers_and_adders_of_an_array():
    """Of a linear array for one joint by hand: a task an operator, units of its kind each."""
    for kind in (UNITS, PIPELINED):
        array = hardware.operator_array(px.library.puma560(), **kind)
        counts = sum(array.operators.values(), Counter())
        pipelined = array.plan.computer.is_pipelined
        adders = {
            "VA": 3,
            "SV": 0,
            "VC": 3,
            "VD": 2 if pipelined else 1,
            "MV": 6 if pipelined else 3,
        }
        multipliers = {"VA": 0, "SV": 3, "VC": 6, "VD": 3, "MV": 9}
        found = hardware.budgets.scalar_units(array)
        assert found.add == sum(count * adders[name] for name, count in counts.items())
        assert found.multiply == sum(count * multipliers[name] for name, count in counts.items())


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"multiply_interval": 6.0}, "the initiation interval of a multiplication is 6"),
        ({"add_interval": 0.0}, "the initiation interval of an addition is 0"),
        ({"add_interval": -1.0}, "the initiation interval of an addition is -1"),
    ],
)
def test_impossible_pipelines(wrong, text):
    with pytest.raises(InvalidInput, match=text):
        hardware.operator_array(px.library.puma560(), **UNITS, **wrong)


@given(
    starts=st.lists(st.integers(0, 60), min_size=1, max_size=8),
    slot=st.sampled_from([1.0, 2.0, 0.7]),
    room=st.integers(-5, 5),
)
def test_slots_of_an_operator_never_meet(starts, slot, room):
    """Against all pairs of samples: two starts of one operator are its longest occupancy apart."""
    occupied = [slot, *[0.5 * slot] * (len(starts) - 1)]
    table = ModuloSlots([0] * len(starts), occupied, slot * len(starts) + room)
    assert table.interval == slot * len(starts) + max(room, 0)
    taken: list[float] = []
    for moment in map(float, starts):
        start = table.first(0, moment)
        assert moment <= start < moment + table.interval + slot
        assert table.first(0, start) == pytest.approx(start)
        table.take(0, start)
        taken.append(start)
    for k, one in enumerate(taken):
        for other in taken[k + 1 :]:
            apart = (other - one) % table.interval
            assert slot * (1 - 1e-6) <= apart <= table.interval - slot * (1 - 1e-6)
