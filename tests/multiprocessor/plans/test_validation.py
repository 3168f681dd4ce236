"""Every way to spoil a plan is found, and shows in the numbers when something is read early."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from multiprocessor.samples import Work, diamond, random_layers, work
from phalanx.multiprocessor import (
    Hop,
    Lanes,
    Message,
    MessagePassing,
    Placement,
    Schedule,
    SharedMemory,
    Speed,
    TaskGraph,
    Topology,
    earliest_finish,
    highest_level_first,
    layered,
    multicore,
    task_graph,
    uniform_tasks,
)

# without choices between numbers a NaN always reaches an output
programs = work(min_operations=20, choices=False)


def kinds(plan: Schedule) -> set[str]:
    return {violation.kind for violation in plan.violations}


def moved(plan: Schedule, *new: Placement) -> Schedule:
    """The plan with some tasks placed elsewhere."""
    others = {placement.task: placement for placement in new}
    return replace(plan, placements=tuple(others.get(p.task, p) for p in plan.placements))


def by_task(plan: Schedule) -> dict[int, Placement]:
    return {p.task: p for p in plan.placements}


def gives_nothing(plan: Schedule, work: Work) -> bool:
    return bool(np.isnan(plan.execute(work.inputs)).any())


def over_wires(work: Work) -> Schedule:
    """A plan with messages on a line of three, or no example."""
    computer = MessagePassing(3, Speed(task=1.0), topology=Topology.line(3), start_up=0.5)
    plan = highest_level_first(work.graph, computer)
    assume(plan.messages)
    return plan


@given(work=programs, data=st.data())
def test_two_dependent_tasks_in_the_wrong_order(work, data):
    plan = layered(work.graph, uniform_tasks(3))
    edges = [(p, i) for i, before in enumerate(work.graph.predecessors) for p in before]
    assume(edges)
    one, other = data.draw(st.sampled_from(edges))
    spoilt = replace(
        plan,
        placements=tuple(
            p._replace(task={one: other, other: one}.get(p.task, p.task)) for p in plan.placements
        ),
    )
    names = work.graph.tasks[one].name, work.graph.tasks[other].name
    assert ("precedence", names) in {(v.kind, v.tasks) for v in spoilt.violations}
    assert gives_nothing(spoilt, work)


@given(work=programs, data=st.data())
def test_a_task_on_a_busy_processor(work, data):
    plan = layered(work.graph, uniform_tasks(3))
    pairs = [
        (one, other)
        for one in plan.placements
        for other in plan.placements
        if one.start == other.start and one.processor != other.processor
    ]
    assume(pairs)
    one, other = data.draw(st.sampled_from(pairs))
    spoilt = moved(plan, one._replace(processor=other.processor))
    names = {work.graph.tasks[p.task].name for p in (one, other)}
    assert any(v.kind == "overlap" and set(v.tasks) == names for v in spoilt.violations)
    assert gives_nothing(spoilt, work)


@given(work=programs, data=st.data())
def test_a_task_that_is_never_run(work, data):
    plan = highest_level_first(work.graph, SharedMemory(2))
    assume(plan.placements)
    lost = data.draw(st.sampled_from(plan.placements))
    spoilt = replace(plan, placements=tuple(p for p in plan.placements if p != lost))
    assert ("missing", (work.graph.tasks[lost.task].name,)) in {
        (v.kind, v.tasks) for v in spoilt.violations
    }
    assert gives_nothing(spoilt, work)


@given(work=programs, data=st.data())
def test_a_processor_that_does_not_exist(work, data):
    plan = earliest_finish(work.graph, SharedMemory(2))
    assume(plan.placements)
    one = data.draw(st.sampled_from(plan.placements))
    for nowhere in (-1, 2):
        spoilt = moved(plan, one._replace(processor=nowhere))
        assert "processor" in kinds(spoilt)
        assert gives_nothing(spoilt, work)


@given(work=programs, data=st.data())
def test_a_task_that_is_run_twice_is_found_and_does_no_harm(work, data):
    plan = layered(work.graph, SharedMemory(2))
    assume(plan.placements)
    again = data.draw(st.sampled_from(plan.placements))
    late = again._replace(start=plan.makespan, end=plan.makespan + again.end - again.start)
    spoilt = replace(plan, placements=(*plan.placements, late))
    assert kinds(spoilt) == {"repeated"}
    np.testing.assert_array_equal(spoilt.execute(work.inputs), plan.execute(work.inputs))


@given(work=programs, data=st.data())
def test_a_task_in_too_little_time(work, data):
    """Its results come when the work is done, not when the plan says."""
    plan = layered(work.graph, uniform_tasks(2))
    first = [
        p
        for p in plan.placements
        if any(by_task(plan)[s].start == p.end for s in work.graph.successors[p.task])
    ]
    assume(first)
    one = data.draw(st.sampled_from(first))
    hurried = [
        p._replace(start=p.start - 0.5, end=p.end - 0.5)
        for p in plan.placements
        if p.start >= one.end
    ]
    spoilt = moved(plan, one._replace(end=one.end - 0.5), *hurried)
    assert "duration" in kinds(spoilt)
    assert gives_nothing(spoilt, work)


@given(work=programs, data=st.data())
def test_a_message_that_is_not_sent(work, data):
    plan = over_wires(work)
    lost = data.draw(st.sampled_from(plan.messages))
    spoilt = replace(plan, messages=tuple(m for m in plan.messages if m != lost))
    assert kinds(spoilt) == {"message"}
    assert gives_nothing(spoilt, work)


@given(work=programs, data=st.data())
def test_a_message_that_leaves_before_its_task_has_ended(work, data):
    plan = over_wires(work)
    early = data.draw(st.sampled_from(plan.messages))
    hops = tuple(Hop(h.link, h.start - 10.0, h.end - 10.0) for h in early.hops)
    spoilt = replace(
        plan,
        messages=tuple(m if m != early else m._replace(hops=hops) for m in plan.messages),
    )
    assert "message" in kinds(spoilt)
    assert gives_nothing(spoilt, work)


@given(work=programs, data=st.data())
def test_a_message_that_comes_too_late(work, data):
    plan = over_wires(work)
    late = data.draw(st.sampled_from(plan.messages))
    hops = tuple(Hop(h.link, h.start + 1e3, h.end + 1e3) for h in late.hops)
    spoilt = replace(
        plan, messages=tuple(m if m != late else m._replace(hops=hops) for m in plan.messages)
    )
    assert "precedence" in kinds(spoilt)
    assert gives_nothing(spoilt, work)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda m: m._replace(words=0), "has 0 of its 1 numbers"),
        (lambda m: m._replace(hops=m.hops[:-1]), "takes wrong wires"),
        (lambda m: m._replace(destination=7), "goes to processor 7 of 3"),
        (lambda m: m._replace(source=(m.source + 2) % 3), "which it does not run and no message"),
        (lambda m: m._replace(hops=(m.hops[0]._replace(end=m.hops[0].start),)), "and takes 0.5"),
    ],
)
def test_messages_that_bring_nothing(change, text):
    computer = MessagePassing(3, Speed(task=1.0), topology=Topology.line(3), start_up=0.5)
    plan = highest_level_first(random_layers(40, 6), computer)
    spoilt = replace(plan, messages=(change(plan.messages[0]), *plan.messages[1:]))
    assert any(text in violation.text for violation in spoilt.violations)


def test_two_messages_on_a_wire_at_a_time():
    computer = MessagePassing(4, topology=Topology.bus(4), start_up=2.0)
    plan = highest_level_first(random_layers(40, 8), computer)
    one, other = plan.messages[:2]
    clash = other._replace(hops=(one.hops[0],))
    spoilt = replace(plan, messages=(one, clash, *plan.messages[2:]))
    names = {plan.graph.tasks[m.task].name for m in (one, other)}
    assert any(v.kind == "link" and set(v.tasks) == names for v in spoilt.violations)


def test_a_long_message_clashes_with_all_that_start_during_it():
    waits = {"a": [], "b": [], "c": [], "end": ["a", "b", "c"]}
    computer = MessagePassing(2, topology=Topology.line(2), start_up=1.0)
    rows = [Placement(i, 0, float(i), i + 1.0) for i in range(3)]
    sent = [(1.0, 9.0), (2.0, 3.0), (4.0, 5.0)]
    messages = tuple(
        Message(i, 0, 1, 1, (Hop(0, start, end),)) for i, (start, end) in enumerate(sent)
    )
    plan = Schedule(
        TaskGraph.of("fan", waits), computer, (*rows, Placement(3, 1, 9.0, 10.0)), messages
    )
    assert [(v.kind, v.tasks) for v in plan.violations] == [
        ("link", ("a", "b")),
        ("link", ("a", "c")),
    ]


def test_a_long_task_clashes_with_all_that_start_during_it():
    graph = diamond()
    rows = [Placement(0, 0, 0.0, 9.0), Placement(1, 0, 1.0, 2.0), Placement(2, 0, 3.0, 4.0)]
    plan = Schedule(graph, SharedMemory(1), (*rows, Placement(3, 0, 9.0, 10.0)))
    clashes = [v.tasks for v in plan.violations if v.kind == "overlap"]
    assert clashes == [("a", "b"), ("a", "c")]


def test_lanes_that_do_different_things():
    graph = random_layers(12, 6)
    plan = highest_level_first(graph, Lanes(3))
    assert plan.violations == ()
    rows = {p.task: p for p in plan.placements}
    lone = next(p for p in plan.placements if p.start > 0)
    beside = next(lane for lane in range(3) if lane != rows[0].processor)
    spoilt = moved(plan, Placement(lone.task, beside, 0.25, 0.25 + lone.end - lone.start))
    assert "lock-step" in kinds(spoilt)


def test_lanes_that_do_unlike_tasks_or_start_apart():
    """Each by itself: other operations at the same start, the same operations at another start."""
    x = ca.SX.sym("x", 4)
    outputs = [x[0] + x[1], x[2] + x[3], x[0] * x[3]]
    graph = task_graph(ca.Function("f", [x], [ca.vertcat(*outputs)]))
    kind = [task.operations for task in graph.tasks]
    one, like = next((i, j) for i in range(3) for j in range(i) if kind[i] == kind[j])
    unlike = next(k for k in range(3) if kind[k] != kind[one])

    def found(*placements):
        plan = Schedule(graph, Lanes(2, Speed.each(1.0)), placements)
        return [v.tasks for v in plan.violations if v.kind == "lock-step"]

    def late(start):
        return Placement(unlike, 0, start, start + 1.0)

    assert found(Placement(one, 0, 0.0, 1.0), Placement(like, 1, 0.0, 1.0), late(1.0)) == []
    apart = found(Placement(one, 0, 0.0, 1.0), Placement(like, 1, 0.5, 1.5), late(2.0))
    assert len(apart) == 1
    assert len(found(Placement(one, 1, 0.0, 1.0), late(0.0), Placement(like, 1, 1.0, 2.0))) == 1


def test_one_tenth_of_a_nanosecond_counts_where_tasks_take_three():
    """Rounding is judged by the size of the times, not by an absolute tolerance."""
    x = ca.SX.sym("x", 2)
    function = ca.Function("f", [x], [(x[0] + x[1]) * x[0]])
    plan = layered(task_graph(function), multicore(1))
    _, second = plan.placements
    spoilt = moved(plan, second._replace(start=second.start - 1e-10))
    assert {"precedence", "overlap"} <= kinds(spoilt)
    assert np.isnan(spoilt.execute([1.0, 2.0])).all()
    assert plan.execute([1.0, 2.0]) == 3.0


def test_violations_tell_what_is_wrong():
    graph = diamond()
    rows = [["a", "b"], ["c", "d"]]
    plan = Schedule.from_levels(graph, uniform_tasks(2), rows)
    assert [v.text for v in plan.violations] == [
        "b starts at 0; what it reads of a is there at 1.",
        "d starts at 1; what it reads of c is there at 2.",
    ]
