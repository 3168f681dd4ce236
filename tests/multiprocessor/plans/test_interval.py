"""How soon a plan can be repeated, against the same sets written out as one plan."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from multiprocessor.samples import chips, computers, diamond, small_graphs, work
from phalanx import multiprocessor as mp
from phalanx.base.errors import InvalidInput

POLICIES = st.sampled_from([mp.layered, mp.highest_level_first, mp.earliest_finish])


@st.composite
def plans(draw: st.DrawFn) -> mp.Schedule:
    """Plans on operators and on every kind of computer that is not in lock-step."""
    if draw(st.booleans()):
        graph, computer = draw(work(max_operations=12)).graph, draw(chips())
    else:
        graph, computer = draw(small_graphs()), draw(computers(max_processors=3))
    assume(not computer.in_lock_step)
    plan = draw(POLICIES)(graph, computer)
    assume(plan.makespan > 0)
    return plan


def clashes(plan: mp.Schedule, interval: float) -> bool:
    """Whether sets that are at work together meet somewhere, by the rules for one plan."""
    periodic = mp.Periodic(plan, interval)
    return bool(periodic.unrolled(periodic.sets_at_a_time + 1).violations)


@given(plan=plans())
def test_the_smallest_interval_is_possible_and_no_shorter_one_is(plan):
    interval = mp.initiation_interval(plan)
    assert max(plan.busy) * (1 - 1e-9) <= interval <= plan.makespan * (1 + 1e-9)
    assert mp.Periodic(plan, interval).violations == ()
    assert not clashes(plan, interval)
    for part in (1 - 1e-6, 0.9, 0.7):
        shorter = mp.Periodic(plan, interval * part)
        assert {v.kind for v in shorter.violations} == {"interval"}
        assert clashes(plan, interval * part)


@given(plan=plans(), part=st.floats(0.2, 2.0))
def test_an_interval_is_possible_when_the_sets_in_one_plan_are(plan, part):
    """Longer intervals than the smallest may be impossible again."""
    interval = plan.makespan * part
    assert bool(mp.Periodic(plan, interval).violations) == clashes(plan, interval)


def test_a_longer_interval_may_be_impossible_again():
    graph = mp.TaskGraph.of("two", {"a": [], "b": ["a"]})
    rows = (mp.Placement(0, 0, 0.0, 1.0), mp.Placement(1, 0, 5.0, 6.0))
    plan = mp.Schedule(graph, mp.SharedMemory(1), rows)
    assert mp.initiation_interval(plan) == 2.0
    possible = [
        t for t in (1.5, 2.0, 2.4, 3.0, 4.0, 5.0, 6.0) if not mp.Periodic(plan, t).violations
    ]
    assert possible == [2.0, 3.0, 4.0, 6.0]


def test_a_clash_names_the_operator_the_tasks_and_the_sets():
    graph = mp.TaskGraph.of("two", {"a": [], "b": ["a"]})
    rows = (mp.Placement(0, 0, 0.0, 1.0), mp.Placement(1, 0, 5.0, 6.0))
    plan = mp.Schedule(graph, mp.SharedMemory(1, [mp.Operator("adder", {"add": 1.0})]), rows)
    (violation,) = mp.Periodic(plan, 2.25).violations
    assert violation == (
        "interval",
        ("a", "b"),
        "adder is still at a of set 2 until 5.5 when b of set 0 starts at 5.",
    )


def test_a_wire_is_booked_like_a_processor():
    """Tasks take 1, messages 3: the wire decides."""
    graph = mp.TaskGraph.of("two", {"a": [], "b": ["a"]})
    wired = mp.MessagePassing(2, topology=mp.Topology.line(2), start_up=3.0)
    rows = (mp.Placement(0, 0, 0.0, 1.0), mp.Placement(1, 1, 4.0, 5.0))
    plan = mp.Schedule(graph, wired, rows, (mp.Message(0, 0, 1, 1, (mp.Hop(0, 1.0, 4.0),)),))
    assert mp.initiation_interval(plan) == 3.0
    (violation,) = mp.Periodic(plan, 2.0).violations
    assert violation.text == "wire 0 is still at a of set 0 until 4 when a of set 1 starts at 3."


def test_work_without_time_has_no_smallest_interval():
    plan = mp.schedule(diamond(), mp.SharedMemory(1, mp.Speed.each(0.0)))
    assert mp.initiation_interval(plan) == 0.0


def test_a_wrong_plan_has_no_interval():
    plan = mp.schedule(diamond(), mp.SharedMemory(2))
    with pytest.raises(InvalidInput, match="cannot be repeated: task a is never run"):
        mp.initiation_interval(replace(plan, placements=plan.placements[1:]))
