"""Messages that several processors read from one wire."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import casadi as ca
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiprocessor.samples import work
from phalanx import multiprocessor as mp
from phalanx.base.errors import InvalidInput
from phalanx.multiprocessor.plans.route import course

x = ca.SX.sym("x", 2)
# one product that three sums read, each on a processor of its own
FAN = mp.task_graph(
    ca.Function("fan", [x], [x[0] * x[1] + ca.vertcat(x[0], x[1], 1.0)], ["x"], ["y"])
)
# processors 0, 1 and 2 on one wire, 3 behind 2
TREE = mp.Topology("tree", 4, ((0, 1, 2), (2, 3)))
COMPUTER = mp.MessagePassing(4, topology=TREE, start_up=2.0, broadcast=True)


def fan(computer: mp.MessagePassing, *messages: mp.Message) -> mp.Schedule:
    """The product on processor 0, sums on 1, 2 and 3."""
    product = FAN.predecessors[FAN.order[-1]][0]
    sums = [task for task in range(4) if task != product]
    rows = [mp.Placement(product, 0, 0.0, 1.0)]
    rows += [mp.Placement(task, k, 5.0, 6.0) for k, task in enumerate(sums, start=1)]
    own = tuple(message._replace(task=product) for message in messages)
    return mp.Schedule(FAN, computer, tuple(rows), own)


ALL_READ = mp.Message(0, 0, 3, 1, (mp.Hop(0, 1.0, 3.0), mp.Hop(1, 3.0, 5.0)), taps=(1, 2))


def test_one_message_and_three_readers():
    plan = fan(COMPUTER, ALL_READ)
    assert plan.violations == ()
    assert plan.words_sent == 1
    np.testing.assert_array_equal(plan.execute([2.0, 3.0]), [8.0, 9.0, 7.0])
    sets = mp.Periodic(plan, 2.0)
    assert sets.violations == ()
    inputs = np.arange(12.0).reshape(6, 2)
    np.testing.assert_array_equal(sets.execute(inputs), [plan.execute(row) for row in inputs])
    # 1 and 2 have the product 2 before they read it, and 2 also passes it on at once
    assert {(b.processor, b.destination): b.depth for b in sets.buffers_needed} == {
        (0, 0): 0,
        (1, 1): 1,
        (2, 2): 1,
        (2, 3): 0,
        (3, 3): 0,
    }


@pytest.mark.parametrize(
    ("computer", "taps"),
    [(COMPUTER, (1,)), (replace(COMPUTER, broadcast=False), (1, 2))],
    ids=["does not listen", "cannot listen"],
)
def test_who_does_not_read_gets_nothing(computer, taps):
    plan = fan(computer, ALL_READ._replace(taps=taps))
    assert {v.kind for v in plan.violations} == {"message"}
    assert np.isnan(plan.execute([2.0, 3.0])).tolist() == [taps != (1,), True, False]
    assert np.isnan(mp.Periodic(plan, 9.0).execute(np.ones((2, 2)))).any()


def test_a_reader_that_is_not_on_the_wire():
    short = mp.Message(0, 0, 1, 1, (mp.Hop(0, 1.0, 3.0),), taps=(2, 3))
    plan = fan(COMPUTER, short)
    name = plan.graph.tasks[plan.placements[0].task].name
    assert plan.violations[0].text == (
        f"processor 3 reads a message of {name} on its way over wire 0, where it cannot listen."
    )
    assert np.isnan(plan.execute([2.0, 3.0])).tolist() == [False, False, True]
    assert np.isnan(mp.Periodic(plan, 9.0).execute(np.ones((2, 2)))).any()


@given(
    work=work(max_operations=20),
    processors=st.integers(2, 5),
    policy=st.sampled_from([mp.layered, mp.highest_level_first, mp.earliest_finish]),
)
def test_on_a_bus_where_all_listen_results_go_once(work, processors, policy):
    bus = mp.MessagePassing(
        processors, topology=mp.Topology.bus(processors), start_up=0.5, broadcast=True
    )
    plan = policy(work.graph, bus)
    assert plan.violations == ()
    assert max(Counter(message.task for message in plan.messages).values(), default=1) == 1
    assert all(tap != m.destination for m in plan.messages for tap in m.taps)
    np.testing.assert_allclose(plan.execute(work.inputs), work.outputs, rtol=1e-12, atol=1e-12)


@given(work=work(max_operations=20))
def test_listeners_on_a_network_of_several_wires(work):
    computer = mp.MessagePassing(4, topology=TREE, start_up=0.5, per_word=0.25, broadcast=True)
    plan = mp.highest_level_first(work.graph, computer)
    assert plan.violations == ()
    np.testing.assert_allclose(plan.execute(work.inputs), work.outputs, rtol=1e-12, atol=1e-12)


def test_readers_come_back_from_a_file(tmp_path):
    plan = fan(COMPUTER, ALL_READ)
    plan.save(tmp_path / "plan.json")
    assert mp.Schedule.load(tmp_path / "plan.json", FAN) == plan


# a chain of three with wires in one direction each, and one product that the last one reads
ONE_WAY = mp.Topology("both ways", 3, ((0, 1), (1, 0), (1, 2), (2, 1)), one_way=True)
LINE = mp.MessagePassing(3, topology=ONE_WAY, start_up=2.0)


def passed_on(*messages: mp.Message) -> mp.Schedule:
    """The product on processor 0, all sums on 2, once what it sends has gone by 1."""
    product = FAN.predecessors[FAN.order[-1]][0]
    sums = [task for task in range(4) if task != product]
    rows = [mp.Placement(product, 0, 0.0, 1.0)]
    rows += [mp.Placement(task, 2, 5.0 + k, 6.0 + k) for k, task in enumerate(sums)]
    own = tuple(message._replace(task=product) for message in messages)
    return mp.Schedule(FAN, LINE, tuple(rows), own)


FIRST = mp.Message(0, 0, 1, 1, (mp.Hop(0, 1.0, 3.0),))
SECOND = mp.Message(0, 1, 2, 1, (mp.Hop(2, 3.0, 5.0),))


@pytest.mark.parametrize("messages", [(FIRST, SECOND), (SECOND, FIRST)])
def test_a_processor_passes_on_what_a_message_has_brought(messages):
    plan = passed_on(*messages)
    assert plan.violations == ()
    np.testing.assert_array_equal(plan.execute([2.0, 3.0]), [8.0, 9.0, 7.0])
    sets = mp.Periodic(plan, 4.0)
    assert sets.violations == ()
    inputs = np.arange(6.0).reshape(3, 2)
    np.testing.assert_array_equal(sets.execute(inputs), [plan.execute(row) for row in inputs])


@pytest.mark.parametrize(
    ("messages", "text"),
    [
        ((SECOND,), "processor 1 sends results of mul2, which it does not run and no message"),
        ((FIRST, SECOND._replace(hops=(mp.Hop(2, 2.0, 4.0),))), "it is there at 3 and takes 2"),
        ((FIRST._replace(hops=(mp.Hop(1, 1.0, 3.0),)), SECOND), "processor 1 takes wrong wires"),
        ((FIRST, SECOND._replace(hops=(mp.Hop(9, 3.0, 5.0),))), "processor 2 takes wrong wires"),
    ],
)
def test_what_cannot_be_passed_on(messages, text):
    plan = passed_on(*messages)
    assert any(text in violation.text for violation in plan.violations)
    assert np.isnan(plan.execute([2.0, 3.0])).all()


def test_a_message_may_take_a_longer_way():
    ring = mp.MessagePassing(4, topology=mp.Topology.ring(4), start_up=1.0)
    hops = tuple(mp.Hop(link, 1.0 + k, 2.0 + k) for k, link in enumerate((3, 2, 1)))
    product = FAN.predecessors[FAN.order[-1]][0]
    long = mp.Message(product, 0, 1, 1, hops)
    others = (
        mp.Message(product, 0, 2, 1, (mp.Hop(0, 1.0, 2.0), mp.Hop(1, 4.0, 5.0))),
        mp.Message(product, 0, 3, 1, (mp.Hop(3, 2.0, 3.0),)),
    )
    plan = fan(ring, long, *others)
    assert not [v for v in plan.violations if v.kind != "link"]
    assert course(ring, long) == (0, 3, 2, 1)


def test_wires_in_one_direction_in_files_and_routes():
    data = ONE_WAY.to_data()
    assert data["one_way"] is True
    assert ONE_WAY.routes[0, 2] == (0, 2) and ONE_WAY.routes[2, 0] == (3, 1)
    with pytest.raises(InvalidInput, match="no wire of 'half' leads to processor 1"):
        mp.Topology("half", 2, ((1, 0),), one_way=True)
    with pytest.raises(InvalidInput, match="1 different names for the 2 processors of 'pair'"):
        mp.Topology("pair", 2, ((0, 1),), names=("a", "a"))
