"""One plan in space and time."""

from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from phalanx import multiprocessor as mp
from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.hardware.mesh import CYCLES, mesh_evaluation

TASKS = mesh_evaluation(px.library.double_pendulum())
PLAN = TASKS.plan(CYCLES)
INPUTS = (np.array([0.3, 0.4]), np.array([0.1, -0.2]), np.zeros(2))


def test_every_task_and_every_hop_is_an_event():
    made = mp.plan_at_work(PLAN, INPUTS, TASKS.shape.positions)
    hops = sum(len(message.hops) for message in PLAN.messages)
    assert len(made.events) == len(PLAN.placements) + hops
    assert set(made.set_names) == {task.kind for task in PLAN.graph.tasks}
    for event in made.events[: len(PLAN.placements)]:
        assert made.set_names[event.set] == PLAN.graph.tasks[event.work].kind
    by_name = {site.name: site for site in made.sites}
    assert by_name["(1,2)"].position == (2.0, 1.0)
    roads = [site for site in made.sites if site.ends]
    for road in roads:
        one, other = (made.sites[end].name for end in road.ends)
        assert road.name.startswith(f"{one} → {other}")
    assert len(roads) == len({hop.link for m in PLAN.messages for hop in m.hops})


def test_numbers_are_those_of_the_execution():
    made = mp.plan_at_work(PLAN, INPUTS, TASKS.shape.positions)
    _, _, a, _ = PLAN.execute(*INPUTS)
    (last,) = [work for work in made.works if work.name == "cell 2,3 4" and work.kind != "message"]
    ((_, (slot,)),) = last.writes
    assert made.numbers[0][slot] == a[1]
    brought = next(w for w in made.works if w.name == last.name and w.kind == "message")
    assert brought.writes == last.writes
    assert not mp.plan_at_work(PLAN).numbers


def test_what_does_not_fit():
    with pytest.raises(UnknownName, match=r"has no processor '\(9,9\)'"):
        mp.plan_at_work(PLAN, positions={"(9,9)": (0, 0)})
    costs = mp.TaskGraph.of("costs", {"a": [], "b": ["a"]})
    plan = mp.schedule(
        costs, mp.MessagePassing(2, topology=mp.Topology.line(2)), mp.highest_level_first
    )
    assert mp.plan_at_work(plan).set_names == ("tasks",)
    with pytest.raises(InvalidInput, match="has costs but no program"):
        mp.plan_at_work(plan, [1.0])
