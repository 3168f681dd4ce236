"""Laws that the plans of every policy obey, on every kind of computer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiprocessor.samples import SPEEDS, Work, computers, diamond, random_layers, work
from phalanx.base.errors import UnknownName
from phalanx.multiprocessor import (
    Computer,
    Lanes,
    SharedMemory,
    Speed,
    critical_path,
    earliest_finish,
    highest_level_first,
    layered,
    lower_bound,
    parallelism_profile,
    policy_by_name,
    schedule,
)
from phalanx.multiprocessor.policies import POLICIES

LISTS = (layered, highest_level_first)
QUICK = (*LISTS, earliest_finish)


@pytest.mark.parametrize("policy", QUICK)
@given(work=work(), computer=computers())
def test_plans_can_be_carried_out_and_give_the_right_numbers(policy, work, computer):
    plan = policy(work.graph, computer)
    assert plan.violations == ()
    # CasADi rounds like NumPy, but its simplifications differ from the program's
    np.testing.assert_allclose(plan.execute(work.inputs), work.outputs, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("policy", QUICK)
@given(work=work(), computer=computers())
def test_no_plan_is_shorter_than_the_bound(policy, work, computer):
    assert policy(work.graph, computer).makespan >= lower_bound(work.graph, computer) * (1 - 1e-12)


@pytest.mark.parametrize("policy", LISTS)
@given(work=work(), speed=st.sampled_from(SPEEDS), p=st.integers(1, 6))
def test_lists_obey_grahams_bound(policy, work, speed, p):
    """Graham (1969): no list schedule is longer than 2 - 1/p times the shortest plan.

    In the form his proof has: the critical path and an equal share of the rest of the work.
    """
    computer = SharedMemory(p, speed)
    plan = policy(work.graph, computer)
    path = critical_path(work.graph, computer).length
    assert plan.makespan <= (path + (plan.serial_time - path) / p) * (1 + 1e-12)
    assert plan.makespan <= (2 - 1 / p) * lower_bound(work.graph, computer) * (1 + 1e-12)


@pytest.mark.parametrize("policy", QUICK)
@given(work=work(), speed=st.sampled_from(SPEEDS), dear=st.sampled_from([0.0, 7.0]))
def test_one_processor_takes_all_the_work(policy, work, speed, dear):
    for computer in (SharedMemory(1, speed, synchronization=dear), Lanes(1, speed, shuffle=dear)):
        plan = policy(work.graph, computer)
        assert plan.makespan == pytest.approx(sum(map(computer.time, work.graph.tasks)))
        assert plan.speedup == pytest.approx(1.0)


@pytest.mark.parametrize("policy", QUICK)
@given(work=work(), speed=st.sampled_from(SPEEDS))
def test_processors_for_the_widest_moment_reach_the_critical_path(policy, work, speed):
    """More than that add nothing: every task already starts as early as it can."""
    widest = parallelism_profile(work.graph, SharedMemory(1, speed)).widest
    for p in (max(1, widest), widest + 3):
        computer = SharedMemory(p, speed)
        path = critical_path(work.graph, computer).length
        assert policy(work.graph, computer).makespan == pytest.approx(path)


@given(work=work(), computer=computers())
def test_earliest_finish_is_never_slower_than_one_processor(work: Work, computer: Computer):
    assert earliest_finish(work.graph, computer).speedup >= 1 - 1e-9


def test_lists_keep_no_processor_idle_while_a_task_is_ready():
    """The defining property, checked on the plan alone."""
    graph, computer = random_layers(200, 9), SharedMemory(4)
    for policy in LISTS:
        plan = policy(graph, computer)
        end = {p.task: p.end for p in plan.placements}
        for p in plan.placements:
            ready = max((end[i] for i in graph.predecessors[p.task]), default=0.0)
            waited = {q.start for q in plan.placements if ready <= q.start < p.start} | {ready}
            for moment in waited - {p.start}:
                busy = sum(q.start <= moment < q.end for q in plan.placements)
                assert busy == 4


def test_lanes_work_in_lock_step():
    """The work is alike in all lanes at all times; a kind apart needs a step of its own."""
    graph = random_layers(60, 12)
    plan = highest_level_first(graph, Lanes(4))
    together: dict[float, set] = {}
    for p in plan.placements:
        together.setdefault(p.start, set()).add(graph.tasks[p.task].operations)
    assert all(len(kinds) == 1 for kinds in together.values())
    assert plan.violations == ()
    assert plan.makespan > highest_level_first(graph, SharedMemory(4)).makespan


def test_the_quicker_processor_gets_the_work():
    slow_and_quick = SharedMemory(2, [Speed.each(10.0), Speed.each(1.0)])
    for policy in QUICK:
        plan = policy(diamond(), slow_and_quick)
        assert {p.processor for p in plan.placements if p.task in (0, 3)} == {1}


def test_a_plan_is_the_same_every_time():
    graph = random_layers(150, 10)
    for policy in QUICK:
        assert (
            policy(graph, SharedMemory(3)).placements == policy(graph, SharedMemory(3)).placements
        )


def test_schedule_takes_a_policy_and_has_a_default():
    plan = schedule(diamond(), SharedMemory(2), layered)
    assert (plan.policy, plan.makespan) == ("layered", 3.0)
    assert schedule(diamond(), SharedMemory(2)).policy == "highest-level-first"


def test_policies_have_names():
    assert policy_by_name("earliest-finish") is earliest_finish
    for name, policy in POLICIES.items():
        assert policy(diamond(), SharedMemory(2)).policy == name


def test_an_unknown_policy_is_named():
    with pytest.raises(UnknownName, match=r"no policy 'laired'\. Did you mean 'layered'"):
        policy_by_name("laired")


@pytest.mark.slow
def test_a_hundred_thousand_tasks_on_64_processors():
    """How long that takes, benchmarks/scheduling.py says."""
    graph = random_layers(100_000, 256)
    plan = highest_level_first(graph, SharedMemory(64, synchronization=2.0))
    assert plan.efficiency > 0.8
