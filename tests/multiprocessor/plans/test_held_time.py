"""Messages that take time of processors: overhead of sends, sends that block."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise

import casadi as ca
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiprocessor.samples import diamond, work
from phalanx.base.errors import InvalidInput
from phalanx.multiprocessor import (
    Hop,
    Message,
    MessagePassing,
    Placement,
    Schedule,
    Speed,
    Task,
    TaskGraph,
    Topology,
    critical_chain,
    earliest_finish,
    highest_level_first,
    initiation_interval,
    layered,
    plan_at_work,
)
from phalanx.multiprocessor.pictures.gantt import HELD, gantt_figure
from phalanx.multiprocessor.pictures.gantt_page import page
from phalanx.multiprocessor.plans.held_time import holds
from phalanx.multiprocessor.tasks.writer import TaskWriter

PAIR = TaskGraph.of("pair", {"a": [], "other": [], "b": ["a"]})
POLICIES = (layered, highest_level_first, earliest_finish)


def line(overhead: float = 0.0, *, blocking: bool = False, processors: int = 2) -> MessagePassing:
    return MessagePassing(
        processors,
        Speed(task=1.0),
        topology=Topology.line(processors),
        start_up=3.0,
        overhead=overhead,
        blocking=blocking,
    )


def sent(computer: MessagePassing, start: float, other: Placement, b: float) -> Schedule:
    """a on processor 0, its message from ``start``, and b on processor 1."""
    placements = (Placement(0, 0, 0.0, 1.0), other, Placement(2, 1, b, b + 1.0))
    message = Message(0, 0, 1, 1, (Hop(0, start, start + 3.0),))
    return Schedule(PAIR, computer, placements, (message,))


@pytest.mark.parametrize(
    ("computer", "start", "held"),
    [
        (line(), 1.0, (0.0, 0.0)),
        (line(2.0), 3.0, (2.0, 0.0)),
        (line(blocking=True), 1.0, (3.0, 3.0)),
        (line(2.0, blocking=True), 3.0, (5.0, 3.0)),
    ],
)
def test_what_a_message_takes_of_its_ends(computer, start, held):
    """The sender for the overhead and while it blocks; the receiver while it blocks."""
    end = start + 3.0
    plan = sent(computer, start, Placement(1, 0, end, end + 1.0), end)
    assert plan.violations == ()
    assert plan.held == held
    assert plan.idle == pytest.approx(2 * plan.makespan - 3.0 - sum(held))
    assert computer.delay(1, 0, 1) == computer.overhead + 3.0


@pytest.mark.parametrize(
    ("computer", "start", "other", "kind", "text"),
    [
        # the sender works while it should send
        (line(2.0), 3.0, Placement(1, 0, 1.5, 2.5), "overlap", "still at a message of a until 3"),
        (line(blocking=True), 1.0, Placement(1, 0, 2.0, 3.0), "overlap", "at a message of a until"),
        # the receiver works while it should receive
        (line(blocking=True), 1.0, Placement(1, 1, 0.5, 1.5), "overlap", "when a message of a st"),
        # the wire takes it before the sender could have sent it
        (line(2.0), 2.0, Placement(1, 0, 3.0, 4.0), "message", "takes 3 after 2 to send it"),
    ],
)
def test_a_processor_does_one_thing_at_a_time(computer, start, other, kind, text):
    plan = sent(computer, start, other, start + 3.0)
    (violation, *_) = [v for v in plan.violations if v.kind == kind]
    assert text in violation.text
    free = replace(plan, computer=line())
    assert free.violations == ()


@st.composite
def holding(draw: st.DrawFn) -> MessagePassing:
    """Networks whose messages take time of processors."""
    p = draw(st.integers(2, 5))
    networks = (Topology.line, Topology.ring, Topology.star, Topology.complete, Topology.bus)
    return MessagePassing(
        p,
        Speed(add=1.0, multiply=2.0, sincos=5.0, other=3.0),
        topology=draw(st.sampled_from(networks))(p),
        start_up=draw(st.sampled_from([0.0, 0.5, 3.0])),
        per_word=0.125,
        broadcast=draw(st.booleans()),
        overhead=draw(st.sampled_from([0.0, 0.3, 2.0])),
        blocking=draw(st.booleans()),
    )


@given(work=work(), computer=holding(), policy=st.sampled_from(POLICIES))
def test_policies_leave_room_for_messages(work, computer, policy):
    plan = policy(work.graph, computer)
    assert plan.violations == ()
    np.testing.assert_array_equal(np.ravel(plan.execute(work.inputs)), work.outputs)
    for busy, held in zip(plan.busy, plan.held, strict=True):
        assert busy + held <= plan.makespan * (1 + 1e-12)
    spans = sum(
        (computer.overhead + (hop.end - hop.start) * computer.blocking)
        for message in plan.messages
        for hop in message.hops
    )
    received = sum(
        (hop.end - hop.start) * computer.blocking for m in plan.messages for hop in m.hops
    )
    assert sum(plan.held) == pytest.approx(spans + received)


def with_numbers() -> TaskGraph:
    """The pair, with numbers: b is one more than a, the sine of the first input."""
    writer = TaskWriter("pair", 10)
    x = writer.input("x", 2)
    a = writer.task(Task("a"), ca.sin(x[0]))
    other = writer.task(Task("other"), ca.cos(x[1]))
    b = writer.task(Task("b"), a + 1)
    return writer.graph({"b": b, "other": other})


@pytest.mark.parametrize(
    ("other", "lost"),
    [
        (Placement(1, 0, 5.0, 6.0), None),
        # begins while the sender still holds: it is not done
        (Placement(1, 0, 4.5, 5.5), "other"),
        # the receiver is at work when the message comes: it brings nothing
        (Placement(1, 1, 1.5, 2.5), "b"),
    ],
)
def test_a_message_without_its_processors_brings_nothing(other, lost):
    graph = with_numbers()
    plan = replace(sent(line(1.0, blocking=True), 2.0, other, 5.0), graph=graph)
    b, cosine = plan.execute(np.array([0.3, 0.4]))
    assert bool(plan.violations) == (lost is not None)
    assert np.isnan(b) == (lost == "b") and np.isnan(cosine) == (lost == "other")
    if lost is None:
        np.testing.assert_allclose(np.ravel([b, cosine]), [np.sin(0.3) + 1, np.cos(0.4)])


@given(
    work=work(min_operations=10).filter(lambda made: len(made.graph)),
    computer=holding(),
    policy=st.sampled_from(POLICIES),
)
def test_the_longest_path_has_no_gaps(work, computer, policy):
    """Every part of the time is a task, a message, or the overhead before it."""
    plan = policy(work.graph, computer)
    legs = critical_chain(plan)
    begin = [leg.start - (computer.overhead if leg.is_message else 0.0) for leg in legs]
    assert begin[0] == pytest.approx(0.0)
    for before, (leg, start) in zip(legs, list(zip(legs, begin, strict=True))[1:], strict=False):
        assert start <= before.end + 1e-9 * max(1.0, before.end), (before, leg)


def test_in_files(tmp_path):
    computer = line(2.0, blocking=True)
    plan = highest_level_first(diamond(), computer)
    plan.save(tmp_path / "plan.json")
    again = Schedule.load(tmp_path / "plan.json", plan.graph)
    assert again == plan and again.computer == computer
    data = json.loads((tmp_path / "plan.json").read_text())
    assert data["version"] == 2
    assert (data["computer"]["overhead"], data["computer"]["blocking"]) == (2.0, True)
    highest_level_first(diamond(), line()).save(tmp_path / "plain.json")
    plain = json.loads((tmp_path / "plain.json").read_text())
    assert plain["version"] == 1
    assert "overhead" not in plain["computer"] and "blocking" not in plain["computer"]


def test_in_pictures():
    """On the rows of processors that messages hold, in a colour of their own."""
    plan = sent(line(2.0, blocking=True), 3.0, Placement(1, 0, 6.0, 7.0), 6.0)
    spans = [(0, 1.0, 6.0), (1, 3.0, 6.0)]
    assert [(h.processor, h.start, h.end) for h in holds(plan.computer, plan.messages)] == spans
    text = page(plan)
    data = json.loads(
        text.split('<script type="application/json"', 1)[1]
        .split(">", 1)[1]
        .split("</script>", 1)[0]
    )
    assert [tuple(bar[-3:]) for bar in data["held"]] == spans
    events = plan_at_work(plan).events
    assert {(e.site, e.start, e.end) for e in events if e.work >= len(PAIR)} >= set(spans)
    legend = gantt_figure(plan).axes[0].get_legend()
    assert legend is not None and "messages" in {text.get_text() for text in legend.get_texts()}
    assert HELD not in str(gantt_figure(replace(plan, computer=line())).axes[0].collections)


def test_plans_that_are_repeated_overlap_messages_and_work():
    plan = highest_level_first(diamond(), line(2.0))
    with pytest.raises(InvalidInput, match="take time of the processors that send them"):
        initiation_interval(plan)


def test_times_that_there_are_not():
    with pytest.raises(InvalidInput, match="overhead is -1; a time must be finite"):
        line(-1)


def test_a_bus_that_blocks_has_one_reader_a_message():
    """Who listens would have to be free for it, so that each reader has a message of its own."""
    graph = TaskGraph.of("fan", {"a": [], "b": ["a"], "c": ["a"]})
    bus = MessagePassing(
        3, Speed(task=10.0), topology=Topology.bus(3), start_up=1.0, broadcast=True, blocking=True
    )
    plan = highest_level_first(graph, bus)
    assert plan.violations == () and not any(message.taps for message in plan.messages)
    ends = [message.hops[0] for message in plan.messages]
    assert all(one.end <= other.start for one, other in pairwise(sorted(ends)))
