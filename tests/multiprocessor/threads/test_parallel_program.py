"""Plans on real threads: the bits of one processor, and nobody left spinning."""

from __future__ import annotations

import gc
import multiprocessing
import os
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import casadi as ca
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import phalanx as px
from agree.robots import folder
from multiprocessor.samples import diamond, work
from phalanx import multiprocessor as mp
from phalanx.base.errors import InvalidInput
from phalanx.kernel.parallel.shared_memory import STOP_WORD
from strategies import state_of
from waiting import eventually, falls_asleep

ROBOTS = {
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "talos": "talos_data/robots/talos_full_v2.urdf",
}


def machine(name):
    place = folder()
    if name == "puma":
        return px.library.puma560()
    if place is None:  # of the size of Talos
        return px.library.chain(44, alternate=True)
    return px.load(place / ROBOTS[name])


def arm_plan(processors, policy=mp.highest_level_first, **options):
    graph = mp.task_graph(px.inverse_dynamics.recursive, px.library.puma560(), **options)
    return policy(graph, mp.SharedMemory(processors))


STATE = tuple(np.random.default_rng(3).uniform(-2, 2, (3, 6)))


@pytest.mark.parametrize(
    ("name", "counts"), [("puma", range(1, 10)), ("ur5", (2, 3, 9)), ("talos", (2, 9))]
)
def test_torques_are_bitwise_those_of_one_processor(name, counts):
    mechanism = machine(name)
    graph = mp.task_graph(px.inverse_dynamics.recursive, mechanism)
    moving = state_of(mechanism, 1)
    state = moving.q, moving.v, moving.a
    alone = mp.compile_serial(graph)(*state)
    function = px.expression(px.inverse_dynamics.recursive, mechanism)
    truth = np.array(function(*state)).ravel()
    np.testing.assert_allclose(alone, truth, rtol=1e-10, atol=1e-11 * np.abs(truth).max())
    for processors in counts:
        plan = mp.highest_level_first(graph, mp.SharedMemory(processors))
        program = mp.compile_plan(plan)
        assert program.processors == processors
        for _ in range(3):  # the memory remembers the evaluation before
            assert program(*state).tobytes() == alone.tobytes()


@given(work(max_operations=60), st.integers(1, 4), st.sampled_from(["layered", "earliest-finish"]))
def test_random_programs(work, processors, policy):
    computer = mp.SharedMemory(processors, synchronization=0.5)
    program = mp.compile_plan(mp.policy_by_name(policy)(work.graph, computer))
    found = program(work.inputs)
    assert found.tobytes() == mp.compile_serial(work.graph)(work.inputs).tobytes()
    np.testing.assert_allclose(found, work.outputs, rtol=1e-9, atol=1e-12)


def test_every_processor_computes_the_sines_it_reads():
    x = ca.SX.sym("x", 2)
    sine = ca.sin(x[0])
    function = ca.Function("f", [x], [ca.vertcat(sine * x[1], sine + x[1])], ["x"], ["y"])
    plan = mp.schedule(mp.task_graph(function, angles_given=True), mp.SharedMemory(2))
    assert {p.processor for p in plan.placements} == {0, 1}
    program = mp.compile_plan(plan)
    assert program.waits == 0
    np.testing.assert_allclose(program([0.3, 2.0]), [2 * np.sin(0.3), 2 + np.sin(0.3)], rtol=1e-15)


def test_results_nobody_computes():
    x = ca.SX.sym("x", 2)
    function = ca.Function(
        "f", [x], [ca.vertcat(x[1], 7, ca.sin(x[0])), x[0] + 1], ["x"], ["y", "z"]
    )
    graph = mp.task_graph(function, angles_given=True)
    for processors in (1, 3):
        y, z = mp.compile_plan(mp.schedule(graph, mp.SharedMemory(processors)))(
            np.array([0.5, 4.0])
        )
        np.testing.assert_allclose(y, [4, 7, np.sin(0.5)], rtol=1e-15)
        assert z == 1.5


def test_every_kind_of_operation():
    x = ca.SX.sym("x", 4)
    y = [
        ca.tan(x[0]) / ca.sqrt(x[1]),
        ca.if_else(x[0] < x[1], ca.exp(x[2]), ca.log(x[3])),
        ca.tanh(x[1]) * ca.atan2(x[2], x[3]),
        ca.fmax(x[0], ca.fabs(x[2])) + ca.sign(x[2]) * ca.floor(x[3]),
    ]
    function = ca.Function("f", [x], [ca.vertcat(*y)], ["x"], ["y"])
    numbers = np.array([0.3, 1.7, -0.4, 2.6])
    program = mp.compile_plan(mp.schedule(mp.task_graph(function), mp.SharedMemory(3)))
    np.testing.assert_allclose(program(numbers), np.array(function(numbers)).ravel(), rtol=1e-13)


def test_threads_stay_where_they_were_allowed_to_run():
    if not hasattr(os, "sched_getaffinity"):
        pytest.skip("threads cannot be pinned here")
    before = os.sched_getaffinity(0)
    mp.compile_plan(arm_plan(2)).repeat(10, *STATE)
    assert os.sched_getaffinity(0) == before


def test_a_new_state_gives_new_torques():
    program = mp.compile_plan(arm_plan(2))
    d = px.Dynamics(px.library.puma560())
    for state in np.random.default_rng(5).uniform(-2, 2, (5, 3, 6)):
        np.testing.assert_allclose(program(*state), d.inverse_dynamics(*state), atol=1e-12)


def test_repeat_evaluates_so_often():
    program = mp.compile_plan(arm_plan(2))
    assert 0 < program.repeat(10, *STATE) < 1.0
    assert program._evaluations == 11


def test_waits_that_others_cover_are_left_out():
    plan = arm_plan(4)
    where = {p.task: p.processor for p in plan.placements}
    crossing = {
        (b, where[i])
        for i, before in enumerate(plan.graph.predecessors)
        for b in before
        if where[b] != where[i]
    }
    program = mp.compile_plan(plan)
    assert 0 < program.messages <= program.waits < len(crossing)


def test_several_python_threads_share_a_program():
    program = mp.compile_plan(arm_plan(3))
    states = np.random.default_rng(7).uniform(-2, 2, (12, 3, 6))
    expected = [program(*state) for state in states]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda state: program(*state), states))
    assert np.array(found).tobytes() == np.array(expected).tobytes()


def test_an_interrupted_call_leaves_nobody_spinning(monkeypatch):
    program = mp.compile_plan(arm_plan(3))
    expected = program(*STATE)
    pool = program._threads
    hand, sent = pool.hand, []

    def interrupted(part):
        if len(sent) == 1:
            raise KeyboardInterrupt
        hand(part)
        sent.append(part)
        eventually(lambda: part._claims)

    with monkeypatch.context() as patch:
        patch.setattr(pool, "hand", interrupted)
        with pytest.raises(KeyboardInterrupt):
            program(*STATE)
    # its first helper waited for two that never came
    assert sent[0].over
    assert program._counters[STOP_WORD] == 1
    assert program(*STATE).tobytes() == expected.tobytes()


def test_threads_end_with_their_program():
    program = mp.compile_plan(arm_plan(4))
    program(*STATE)
    serving = program._threads.serving
    assert len(serving) == 3
    del program
    gc.collect()
    eventually(lambda: serving == [])


def test_idle_threads_use_no_processor():
    program = mp.compile_plan(arm_plan(2))
    program(*STATE)
    assert program._threads.serving
    for thread in program._threads.serving:
        falls_asleep(SimpleNamespace(native_id=thread))


def _in_child(program, queue):
    queue.put(program(*STATE).tobytes())


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not fork")
def test_a_forked_child_has_its_own_threads():
    program = mp.compile_plan(arm_plan(2))
    expected = program(*STATE).tobytes()
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the point of the test
        child = context.Process(target=_in_child, args=(program, queue))
        child.start()
    assert queue.get(timeout=30) == expected
    child.join(30)


def test_a_plan_that_cannot_be_carried_out_is_refused():
    plan = arm_plan(2)
    late = mp.Schedule(plan.graph, plan.computer, plan.placements[1:])
    with pytest.raises(InvalidInput, match=r"cannot be carried out: .* is never run"):
        mp.compile_plan(late)


def test_other_computers_than_shared_memory_are_refused():
    graph = arm_plan(1).graph
    wired = mp.schedule(graph, mp.MessagePassing(3, topology=mp.Topology.ring(3)))
    with pytest.raises(InvalidInput, match=r"threads share a memory.*SharedMemory\(3\)"):
        mp.compile_plan(wired)
    with pytest.raises(InvalidInput, match=r"threads share a memory, .* 'vector lanes'"):
        mp.compile_plan(mp.schedule(graph, mp.vector_lanes(4)))


def test_too_many_threads_are_refused():
    with pytest.raises(InvalidInput, match="65 processors; at most 64 threads"):
        mp.compile_plan(arm_plan(65))


def test_costs_alone_cannot_run():
    with pytest.raises(InvalidInput, match="costs but no program"):
        mp.compile_plan(mp.schedule(diamond(), mp.SharedMemory(2)))


def test_wrong_inputs():
    program = mp.compile_plan(arm_plan(2))
    q, v, a = STATE
    with pytest.raises(InvalidInput, match="takes q, v, a; got 2 arrays"):
        program(q, v)
    with pytest.raises(InvalidInput, match=r"'v' .* shape \(6,\), got \(5,\)"):
        program(q, v[:5], a)
    with pytest.raises(InvalidInput, match=r"got \(2, 6\); threads work on one state"):
        program(np.array([q, q]), v, a)
    with pytest.raises(InvalidInput, match="0 evaluations"):
        program.repeat(0, q, v, a)


def test_repr():
    program = mp.compile_plan(arm_plan(2))
    assert f"{len(program.graph)} tasks on 2 threads, {program.waits} waits" in repr(program)
