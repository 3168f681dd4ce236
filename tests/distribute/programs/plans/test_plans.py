"""Schedules on processes: every message of the plan travels, nothing else; the same bits."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import Counter
from dataclasses import replace
from importlib import import_module

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import phalanx as px
from distribute.mpi import mpiexec
from distribute.programs.plans.marked import MARK, marked
from phalanx import multiprocessor as mp
from phalanx.distribute import PlanJob, launch, processes, run
from phalanx.distribute.programs.plans.graph_data import graph_from_data, graph_to_data
from phalanx.distribute.programs.plans.planned_rank import PlannedRank
from phalanx.distribute.programs.plans.rank_script import DO, scripts_of
from waiting import eventually

RING = mp.MessagePassing(5, topology=mp.Topology.ring(5), start_up=1.0, per_word=0.5)
MESH = mp.transputer_mesh(2, 3)
FREE = mp.MessagePassing(4, topology=mp.Topology.line(4))  # messages take no time at all
BUS = mp.MessagePassing(3, topology=mp.Topology.bus(3), broadcast=True)


@pytest.fixture(scope="module")
def tasks():
    return mp.task_graph(px.inverse_dynamics.recursive, px.library.puma560())


@pytest.fixture(scope="module")
def state():
    return np.random.default_rng(1).normal(size=(3, 6))


def wires_of(plan):
    """How often the plan uses each wire."""
    return Counter(hop.link for message in plan.messages for hop in message.hops)


def between_ranks(plan, processors):
    """How many messages have to travel: hops whose ends are on different ranks."""
    host = {p: rank for rank, own in enumerate(processors) for p in own}
    count = 0
    for message in plan.messages:
        here = message.source
        for hop in message.hops:
            ends = plan.computer.attached(hop.link)
            there = ends[1] if ends[0] == here else ends[0]
            count += host[here] != host[there]
            here = there
    return count


@pytest.mark.parametrize("computer", [RING, MESH, FREE], ids=["ring", "mesh", "free"])
@pytest.mark.parametrize("policy", [mp.highest_level_first, mp.earliest_finish, mp.layered])
def test_nodes_compute_what_the_plan_does_to_the_last_bit(tasks, state, computer, policy):
    plan = policy(tasks, computer)
    expected = plan.execute(*state)
    for count in {1, 2, computer.processors - 1, computer.processors}:
        found = run(PlanJob(plan, *state), count)
        np.testing.assert_array_equal(found.output, expected)
        assert found.hops == dict(sorted(wires_of(plan).items()))
        assert found.messages == between_ranks(plan, found.processors)
        assert found.carried == 0
        assert sorted(p for own in found.processors for p in own) == [*range(computer.processors)]


def test_messages_carry_the_words_of_the_plan(tasks, state):
    """With a rank for every processor and wires to neighbours alone, hop for hop."""
    plan = mp.highest_level_first(tasks, RING)
    found = run(PlanJob(plan, *state), 5)
    words = sum(len(message.hops) * message.words for message in plan.messages)
    assert sum(line.words for line in found.log) == words
    assert {line.kind for line in found.log} == {"send"}
    neighbours = {(p, (p + 1) % 5) for p in range(5)} | {((p + 1) % 5, p) for p in range(5)}
    assert {(line.sender, line.receiver) for line in found.log} <= neighbours


def test_a_wire_on_which_others_listen(tasks, state):
    """Ranks share no wire: a listener gets a message, which is no hop of the plan."""
    plan = mp.highest_level_first(tasks, BUS)
    taps = sum(len(message.taps) for message in plan.messages)
    assert taps > 0
    found = run(PlanJob(plan, *state), 3)
    np.testing.assert_array_equal(found.output, plan.execute(*state))
    assert found.hops == {0: len(plan.messages)}
    assert found.messages == len(plan.messages) + taps


def test_a_processor_reads_nothing_but_its_own_memory(tasks, state):
    """Without one of its messages a plan is wrong, also where both processors are on one rank."""
    plan = mp.highest_level_first(tasks, FREE)
    (script,) = scripts_of(plan, 1)
    rank = PlannedRank(0, tasks.program, script, {})
    load = next(k for k, line in enumerate(script.lines) if line[0] == "load")
    lame = replace(script, lines=script.lines[:load] + script.lines[load + 1 :])
    lame_rank = PlannedRank(0, tasks.program, lame, {})
    rows = [row[None] for row in state]
    found = [processes.run_together([one.steps(rows, 1)]).results[0] for one in (rank, lame_rank)]
    assert np.isfinite(found[0]["values"]).all()
    assert np.isnan(found[1]["values"]).any()


@settings(max_examples=20)
@given(seed=st.integers(0, 10**6), processors=st.integers(1, 5), data=st.data())
def test_any_program_on_any_wires(seed, processors, data):
    """Random expressions, random plans; tasks of several operations, outputs that are inputs."""
    rng = np.random.default_rng(seed)
    x = ca.SX.sym("x", 4)
    known = [*ca.vertsplit(x), ca.SX(0.5)]
    for _ in range(int(rng.integers(1, 30))):
        one, other = (known[int(k)] for k in rng.integers(len(known), size=2))
        known.append([one + other, one * other, one - other, ca.sin(one)][int(rng.integers(4))])
    function = ca.Function(
        "f", [x], [ca.vertcat(*known[-3:]), ca.vertcat(x[0], 2)], ["x"], ["y", "z"]
    )
    graph = mp.task_graph(function)
    if data.draw(st.booleans()):
        graph = mp.coarsen(graph, 4)
    wires = data.draw(
        st.sampled_from(
            [
                mp.Topology.line,
                mp.Topology.ring,
                mp.Topology.star,
                mp.Topology.complete,
                mp.Topology.bus,
            ]
        )
    )
    computer = mp.MessagePassing(processors, topology=wires(processors), start_up=0.1)
    plan = data.draw(st.sampled_from([mp.highest_level_first, mp.earliest_finish]))(graph, computer)
    at = rng.normal(size=4)
    found = run(PlanJob(plan, at), data.draw(st.integers(1, processors)))
    for one, other in zip(found.outputs, plan.execute(at), strict=True):
        np.testing.assert_array_equal(one, other)
    assert found.hops == dict(sorted(wires_of(plan).items()))


def pendulum_step():
    """A step of three coupled pendula with a torque: its results are inputs of the next."""
    s, u = ca.SX.sym("s", 6), ca.SX.sym("u")
    q, v = s[:3], s[3:]
    pull = [q[(k + 1) % 3] + q[k - 1] - 2 * q[k] for k in range(3)]
    v = v + 0.01 * (ca.vertcat(u, 0, 0) + 5 * ca.vertcat(*pull) - 9.81 * ca.sin(q))
    ends = [ca.vertcat(q + 0.01 * v, v), ca.sumsqr(v)]
    return ca.Function("step", [s, u], ends, ["s", "u"], ["s_next", "E"])


START = [0.3, -0.2, 0.5, 0.0, 0.1, 0.0]


def by_hand(steps, torque):
    step, at, rows = pendulum_step(), np.array(START), []
    for k in range(steps):
        at, _ = (np.array(one).ravel() for one in step(at, torque[k]))
        rows.append(at)
    return np.array(rows)


def test_steps_whose_results_are_inputs_of_the_next():
    plan = mp.highest_level_first(mp.task_graph(pendulum_step()), FREE)
    torque = np.sin(np.arange(50.0))[:, None]
    for count in (1, 2, 4):
        found = run(PlanJob(plan, START, torque, steps=50, back={"s": "s_next"}), count)
        np.testing.assert_allclose(found.outputs[0], by_hand(50, torque), rtol=0, atol=1e-13)
        assert found.outputs[1].shape == (50, 1)
        assert found.hops == {wire: 50 * n for wire, n in sorted(wires_of(plan).items())}
        assert found.messages == 50 * between_ranks(plan, found.processors)
    assert found.carried > 0  # between steps, beside the plan


@pytest.mark.xdist_group("mpi")
def test_ranks_do_the_same_as_nodes_of_one_process(tasks, state):
    mpiexec()
    plan = mp.highest_level_first(tasks, MESH)
    many = np.random.default_rng(2).normal(size=(3, 4, 6))
    there = launch(PlanJob(plan, *many, steps=4), 4, timeout=60.0)
    here = run(PlanJob(plan, *many, steps=4), 4)
    np.testing.assert_array_equal(there.output, here.output)
    np.testing.assert_array_equal(there.output[3], plan.execute(*many[:, 3]))
    assert there.log == here.log
    assert there.hops == here.hops == {w: 4 * n for w, n in sorted(wires_of(plan).items())}
    assert there.messages == 4 * between_ranks(plan, there.processors)


@pytest.mark.xdist_group("mpi")
def test_steps_on_ranks_without_a_new_start():
    mpiexec()
    plan = mp.highest_level_first(mp.task_graph(pendulum_step()), FREE)
    torque = np.sin(np.arange(200.0))[:, None]
    found = launch(PlanJob(plan, START, torque, steps=200, back={"s": "s_next"}), 2, timeout=60.0)
    np.testing.assert_allclose(found.outputs[0], by_hand(200, torque), rtol=0, atol=1e-12)


@pytest.mark.xdist_group("mpi")
def test_a_rank_that_is_killed_ends_the_run(tmp_path, monkeypatch):
    mpiexec()
    mark = tmp_path / "under_way"
    monkeypatch.setenv(MARK, str(mark))
    monkeypatch.setattr(import_module("phalanx.distribute.programs.plans.job"), "planned", marked)
    plan = mp.highest_level_first(mp.task_graph(pendulum_step()), FREE)
    struck = []

    def strike():
        eventually(lambda: mark.is_file() and mark.read_text())
        os.kill(int(mark.read_text()), signal.SIGKILL)
        struck.append(time.monotonic())

    striker = threading.Thread(target=strike)
    striker.start()
    # so many steps that the end is not reached
    # MPICH's daemon sometimes ends the other rank within a moment, and both are named
    with pytest.raises(processes.RanksFailed, match=r"rank 1 was lost|ranks 0, 1 were lost"):
        launch(PlanJob(plan, START, [0.0], steps=10**8, back={"s": "s_next"}), 2, timeout=600.0)
    assert time.monotonic() - struck[0] < 60  # the launcher sees it, and nobody waits for ever
    striker.join()


def test_what_cannot_be_carried_out(tasks, state):
    plan = mp.highest_level_first(tasks, FREE)
    with pytest.raises(px.InvalidInput, match=r"ranks=5 for a plan of 4 processors; expected 1 to"):
        run(PlanJob(plan, *state), 5)
    with pytest.raises(px.InvalidInput, match="on 0 processes"):
        launch(PlanJob(plan, *state), 0)
    with pytest.raises(px.InvalidInput, match="'shared memory', which has no wires"):
        run(PlanJob(mp.layered(tasks, mp.SharedMemory(2)), *state), 2)
    spoilt = replace(plan, messages=plan.messages[1:])
    with pytest.raises(px.InvalidInput, match=r"cannot be carried out: .* never gets the results"):
        run(PlanJob(spoilt, *state), 2)
    costs = mp.highest_level_first(mp.TaskGraph.of("demo", {"a": [], "b": ["a"]}), FREE)
    with pytest.raises(px.InvalidInput, match="'demo' has costs but no program"):
        run(PlanJob(costs), 1)


def test_inputs_that_do_not_fit(tasks, state):
    plan = mp.highest_level_first(tasks, FREE)
    with pytest.raises(px.InvalidInput, match=r"takes .*; got 2 arrays"):
        run(PlanJob(plan, *state[:2]), 1)
    with pytest.raises(
        px.InvalidInput, match=r"has shape \(6,\), or \(3, 6\) for a new one a step"
    ):
        run(PlanJob(plan, np.ones((2, 6)), *state[1:], steps=3), 1)
    with pytest.raises(px.InvalidInput, match="steps=0"):
        run(PlanJob(plan, *state, steps=0), 1)
    step = mp.highest_level_first(mp.task_graph(pendulum_step()), FREE)
    at = START, [0.0]
    with pytest.raises(px.UnknownName, match="has no input 'S'"):
        run(PlanJob(step, *at, steps=2, back={"S": "s_next"}), 1)
    with pytest.raises(px.UnknownName, match="has no output 'next'"):
        run(PlanJob(step, *at, steps=2, back={"s": "next"}), 1)
    with pytest.raises(
        px.InvalidInput,
        match="output 'E' has 1 numbers, input 's', which is to be it in the next step, 6",
    ):
        run(PlanJob(step, *at, steps=2, back={"s": "E"}), 1)


def test_a_program_as_plain_data(tasks):
    assert graph_from_data(graph_to_data(tasks.program)) == tasks.program


def test_consecutive_tasks_of_a_processor_are_one_line(tasks):
    plan = mp.highest_level_first(tasks, mp.MessagePassing(1, topology=mp.Topology.line(1)))
    (script,) = scripts_of(plan, 1)
    assert [line[0] for line in script.lines] == [DO]


def test_messages_to_nobody_are_refused():
    def sends(receiver):
        yield processes.Send(receiver, np.ones(1))

    def receives(expects):
        return (yield processes.Receive(0, expects))

    for receiver in (0, 2, -1):
        with pytest.raises(
            processes.UnmatchedMessages, match=f"rank 0 has a message .* rank {receiver}"
        ):
            processes.run_together([sends(receiver), receives(1)])
    with pytest.raises(processes.UnmatchedMessages, match="sent 1 numbers where rank 1 expected 2"):
        processes.run_together([sends(1), receives(2)])
    assert processes.run_together([sends(1), receives(1)]).results[1] == np.ones(1)
