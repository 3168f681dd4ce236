"""Arrays at work as data: what is told of a repeated plan is what it does."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from multiprocessor.plans.test_periodic import inputs_of, programs, repeated
from multiprocessor.samples import diamond
from phalanx import multiprocessor as mp
from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.multiprocessor.plans.space_time import Site, SiteEvent, SiteStore, SiteWork, Waiting

X = ca.SX.sym("x", 4)
PRODUCT = ca.Function(
    "product", [X], [ca.vertcat(X[0] * X[2] - X[1] * X[3], X[0] * X[3] + X[1] * X[2])], ["x"], ["y"]
)


def complex_product(interval: float | None = None) -> mp.Periodic:
    """A complex product on two multipliers and an adder."""
    operators = (
        mp.Operator("node 1 · left", {"multiply": 2.0}),
        mp.Operator("node 1 · right", {"multiply": 2.0}),
        mp.Operator("node 2 · sum", {"add": 1.0}),
    )
    plan = mp.schedule(mp.task_graph(PRODUCT), mp.SharedMemory(3, operators, "ticks", "chip"))
    return mp.Periodic(plan, interval or mp.initiation_interval(plan))


def one_after_the_other() -> mp.Periodic:
    """The same on one processor, where results wait for each other."""
    plan = mp.schedule(mp.task_graph(PRODUCT), mp.SharedMemory(1, unit="ticks"))
    return mp.Periodic(plan, plan.makespan)


@settings(max_examples=25)
@given(work=programs, data=st.data())
def test_every_task_of_every_set_is_where_and_when_it_is_planned(work, data):
    periodic = repeated(work, data)
    made = periodic.at_work(3)
    plan = periodic.unrolled(3)
    on_processors = {(p.processor, p.task, p.start, p.end) for p in plan.placements}
    on_wires = {
        (f"wire {hop.link}", hop.start, hop.end)
        for message in plan.messages
        for hop in message.hops
    }
    count, processors = len(work.graph), plan.computer.processors
    found = [e for e in made.events if e.site < processors]
    assert {(e.site, e.set * count + e.work, e.start, e.end) for e in found} == on_processors
    assert {
        (made.sites[e.site].name, e.start, e.end) for e in made.events if e.site >= processors
    } == on_wires
    assert (made.sets, made.broken) == (3, ())
    ends = [*(p.end for p in plan.placements), *(end for _, _, end in on_wires)]
    assert made.span == max(ends)


@settings(max_examples=25)
@given(work=programs, data=st.data())
def test_numbers_are_those_of_each_set(work, data):
    periodic = repeated(work, data)
    inputs = inputs_of(work, 3)
    made = periodic.at_work(inputs=[inputs])
    program, outputs = work.graph.program, periodic.execute(inputs)
    for k in range(3):
        of_task = {w.name: made.numbers[k][list(q.slots)] for w in made.works for q in w.writes}
        for task in range(len(work.graph)):
            # what a task reads is what others handed on, or an input
            for name, slots in made.works[task].reads:
                values = made.numbers[k][list(slots)]
                if name in of_task:
                    assert set(values) <= set(of_task[name])
                elif name.startswith("x["):
                    assert values == [inputs[k][int(name[2:-1])]]
        owner = work.graph.owner
        for place, node in enumerate(program.results[0]):
            if node in owner:
                writes = work.graph.writes(owner[node])
                task = work.graph.tasks[owner[node]].name
                assert of_task[task][writes.index(node)] == outputs[k][place]


@settings(max_examples=25)
@given(work=programs, data=st.data())
def test_buffers_fill_to_their_depth_and_are_empty_in_the_end(work, data):
    periodic = repeated(work, data)
    deepest = max((buffer.depth for buffer in periodic.buffers_needed), default=0)
    made = periodic.at_work(deepest + 2)
    assert len(made.stores) == sum(1 for b in periodic.buffers_needed if b.depth)
    for number, store in enumerate(made.stores):
        _, amounts = made.fill(number)
        assert amounts.max() == store.depth
        assert amounts[-1] == 0 and amounts.min() >= 0
    _, words = made.fill()
    assert max(words, default=0) <= sum(s.depth * s.words for s in made.stores)


def test_nodes_and_positions_follow_from_names():
    made = complex_product().at_work()
    assert made.groups == {"node 1": (0, 1), "node 2": (2,)}
    assert [site.position for site in made.sites] == [(1.0, 0.0), (1.0, 0.0), (2.0, 0.0)]
    assert made.links == ((0, 2), (1, 2))
    assert made.sets == 8  # as many as there are colours
    turned = complex_product().at_work(positions={"node 1": (0, 0), "node 2 · sum": (0, 1)})
    assert [site.position for site in turned.sites] == [(0, 0), (0, 0), (0, 1)]


def test_names_say_where_numbers_come_from():
    x, y = ca.SX.sym("q", 2), ca.SX.sym("y")
    function = ca.Function("f", [x, y], [ca.cos(x[0]) * y + 2.0 * x[1]], ["q", "y"], ["z"])
    plan = mp.schedule(mp.task_graph(function, angles_given=True), mp.SharedMemory(1))
    made = mp.Periodic(plan, plan.makespan).at_work(inputs=[[[0.5, 3.0]], [7.0]])
    found = {
        name: made.numbers[0][list(slots)].tolist() for w in made.works for name, slots in w.reads
    }
    assert found["cos(q[0])"] == [np.cos(0.5)]
    assert (found["y[0]"], found["q[1]"]) == ([7.0], [3.0])


def test_lost_values_are_lost_here_too():
    made = complex_product(3.0).at_work()
    assert any("still at" in text for text in made.broken)
    assert any(np.isnan(row).any() for row in made.numbers.values())


def test_a_graph_of_costs_alone_has_no_numbers():
    periodic = mp.Periodic(mp.schedule(diamond(), mp.SharedMemory(2)), 3.0)
    made = periodic.at_work(2)
    assert made.numbers == {} and all(work.reads == () for work in made.works)
    with pytest.raises(InvalidInput, match="'diamond' has costs but no program"):
        periodic.at_work(inputs=[np.zeros((2, 4))])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sets": 0}, "works on 0 sets; expected a whole number, at least one"),
        ({"sets": 2.5}, r"works on 2\.5 sets"),
        ({"sets": 3, "inputs": [np.zeros((2, 4))]}, "inputs of 2 sets for 3 sets"),
        ({"inputs": [np.zeros((2, 5))]}, r"'x' of 'product' has shape \(4,\), got \(5,\)"),
        ({"inputs": []}, "the inputs of 'product' are nothing"),
        ({"inputs": [np.zeros((2, 4)), np.zeros((2, 4))]}, "takes x; got 2 arrays"),
    ],
)
def test_what_does_not_fit_is_refused(arguments, message):
    with pytest.raises(InvalidInput, match=message):
        complex_product().at_work(**arguments)


def test_a_node_that_is_not_there():
    with pytest.raises(UnknownName, match=r"no node 'node 3'. Did you mean 'node 2'"):
        complex_product().at_work(positions={"node 3": (0.0, 0.0)})


def by_hand() -> mp.SpaceTime:
    return mp.SpaceTime(
        "two", "ticks", (Site("a"), Site("b")), (SiteWork("w"),), (SiteEvent(0, 0, 0, 0.0, 1.0),)
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sites": (Site("a"), Site("a"))}, "two sites called 'a'"),
        ({"events": (SiteEvent(2, 0, 0, 0.0, 1.0),)}, "there are 2 sites and 1 works"),
        ({"events": (SiteEvent(0, 0, 0, 2.0, 1.0),)}, "nothing ends before it begins"),
        ({"events": (SiteEvent(0, 0, -1, 0.0, 1.0),)}, "set=-1"),
        ({"waiting": (Waiting(0, 0, 0.0, 1.0),)}, "there are 0 stores"),
        (
            {"stores": (SiteStore("s", 0, 1, 1),), "waiting": (Waiting(0, 0, 1.0, 0.0),)},
            "nothing ends before it begins",
        ),
    ],
)
def test_descriptions_that_cannot_be(change, message):
    with pytest.raises(InvalidInput, match=message):
        replace(by_hand(), **change)
