"""Plans that are repeated: every set gets the numbers it would get alone, or they are lost."""

from __future__ import annotations

import json
from dataclasses import replace

import casadi as ca
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import phalanx as px
from multiprocessor.samples import Work, chips, computers, diamond, work
from phalanx import multiprocessor as mp
from phalanx.base.errors import InvalidInput, ReadError, UnknownName

# without choices between numbers a NaN always reaches an output
programs = work(min_operations=8, max_operations=16, choices=False)


def repeated(work: Work, data: st.DataObject) -> mp.Periodic:
    """A plan on operators or on any computer, repeated as soon as can be or somewhat later."""
    computer = data.draw(chips() | computers(max_processors=3))
    assume(not computer.in_lock_step)
    policy = data.draw(st.sampled_from([mp.layered, mp.highest_level_first, mp.earliest_finish]))
    plan = policy(work.graph, computer)
    assume(plan.makespan > 0)
    periodic = mp.Periodic(
        plan, mp.initiation_interval(plan) * data.draw(st.sampled_from([1, 1.25]))
    )
    assume(not periodic.violations)
    return periodic


def inputs_of(work: Work, sets: int) -> np.ndarray:
    return work.inputs + np.arange(sets)[:, None] * [0.1, 0.2, -0.1, 0.3]


@given(work=programs, data=st.data())
def test_every_set_gets_what_it_would_get_alone(work, data):
    periodic = repeated(work, data)
    inputs = inputs_of(work, 6)
    alone = [periodic.plan.execute(row) for row in inputs]
    np.testing.assert_array_equal(periodic.execute(inputs), alone)
    expected = [np.array(work.function(row)).ravel() for row in inputs]
    np.testing.assert_allclose(alone, expected, rtol=1e-12, atol=1e-12)


@given(work=programs, data=st.data())
def test_too_short_an_interval_loses_values(work, data):
    plan = repeated(work, data).plan
    short = mp.Periodic(plan, mp.initiation_interval(plan) * data.draw(st.floats(0.3, 0.95)))
    assert "interval" in {violation.kind for violation in short.violations}
    outputs = short.execute(inputs_of(work, short.sets_at_a_time + 2))
    assert np.isnan(outputs).any()


@given(work=programs, data=st.data())
def test_a_plan_that_reads_too_early_gets_nothing(work, data):
    periodic = repeated(work, data)
    plan = periodic.plan
    edges = [(p, i) for i, before in enumerate(work.graph.predecessors) for p in before]
    assume(edges)
    _, reader = data.draw(st.sampled_from(edges))
    rows = tuple(p._replace(start=-1.0) if p.task == reader else p for p in plan.placements)
    spoilt = replace(periodic, plan=replace(plan, placements=rows))
    assert "precedence" in {violation.kind for violation in spoilt.violations}
    assert np.isnan(spoilt.execute(inputs_of(work, 3))).any()


@given(work=programs, data=st.data(), part=st.floats(0.0, 0.99))
def test_between_fill_and_drain_every_interval_is_like_the_next(work, data, part):
    periodic = repeated(work, data)
    sets = periodic.sets_at_a_time + 3
    plan = periodic.unrolled(sets)
    assert plan.makespan == pytest.approx(periodic.time(sets))
    moment = periodic.fill + part * periodic.interval
    assert moment + periodic.interval <= plan.makespan - periodic.drain + 1e-9

    def at_work(moment: float) -> list[tuple[int, int]]:
        return sorted(
            (p.processor, p.task % len(work.graph))
            for p in plan.placements
            if p.start < moment < p.end
        )

    assume(all(abs(p.start - moment) > 1e-9 < abs(p.end - moment) for p in plan.placements))
    later = moment + periodic.interval
    assume(all(abs(p.start - later) > 1e-9 < abs(p.end - later) for p in plan.placements))
    assert at_work(moment) == at_work(later)


def test_measures_of_a_pipeline():
    """Three stages of 2, each on its own processor: a set every 2, three at a time."""
    graph = mp.TaskGraph.of("line", {"a": [], "b": ["a"], "c": ["b"]})
    rows = tuple(mp.Placement(k, k, 2.0 * k, 2.0 * k + 2) for k in range(3))
    stages = [mp.Operator(f"stage {k}", {"add": 2.0 - k}) for k in range(3)]
    plan = mp.Schedule(graph, mp.SharedMemory(3, stages, "ticks"), rows)
    pipeline = mp.Periodic(plan, 2.0)
    assert pipeline.violations == ()
    assert (pipeline.latency, pipeline.throughput, pipeline.sets_at_a_time) == (6.0, 0.5, 3)
    assert (pipeline.fill, pipeline.drain, pipeline.time(10)) == (4.0, 4.0, 24.0)
    assert pipeline.utilization == {"stage 0": 1.0, "stage 1": 1.0, "stage 2": 1.0}
    assert repr(pipeline) == (
        "Periodic(3 tasks on 3 × shared memory: a set every 2 ticks, 3 at a time)"
    )


def test_a_reader_that_cannot_keep_up_reads_what_belongs_to_other_sets():
    """The second stage takes two intervals: it starts in every other set, with the next in line."""
    x = ca.SX.sym("x")
    graph = mp.task_graph(ca.Function("f", [x], [3 * (x + 1)], ["x"], ["y"]))
    first, second = graph.order
    rows = (mp.Placement(first, 0, 0.0, 1.0), mp.Placement(second, 1, 1.0, 3.0))
    stages = [mp.Operator("adder", {"add": 1.0}), mp.Operator("multiplier", {"multiply": 2.0})]
    plan = mp.Schedule(graph, mp.SharedMemory(2, stages), rows)
    sums = graph.tasks[first].name
    hasty = mp.Periodic(plan, 1.0, (mp.Buffer(sums, 1, 1, 1, depth=9),))
    assert {violation.kind for violation in hasty.violations} == {"interval"}
    result = hasty.execute(np.arange(6.0)[:, None]).ravel()
    np.testing.assert_array_equal(result, [3.0, np.nan, 6.0, np.nan, 9.0, np.nan])
    wire = mp.Periodic(plan, 1.0, ())
    result = wire.execute(np.arange(6.0)[:, None]).ravel()
    np.testing.assert_array_equal(result, [3.0, np.nan, 9.0, np.nan, 15.0, np.nan])


def test_torques_of_an_arm_from_a_pipeline():
    """A PUMA 560 on transputers: 4 states, the next before the last has ended."""
    arm = px.library.puma560()
    graph = mp.streamlined_tasks(arm)
    plan = mp.schedule(graph, mp.transputer_mesh(2, 2), mp.earliest_finish)
    pipeline = mp.Periodic(plan, mp.initiation_interval(plan))
    q, v, a = np.random.default_rng(5).normal(size=(3, 4, 6))
    function = px.expression(px.inverse_dynamics.recursive, arm)
    tau = [np.array(function(*row)).ravel() for row in zip(q, v, a, strict=True)]
    np.testing.assert_allclose(pipeline.execute(q, v, a), tau, rtol=1e-12, atol=1e-11)


# files


CHIP = mp.SharedMemory(
    3, (mp.Operator("left", {"add": 1.0}), mp.Speed(), mp.Operator("right", {"sum": 2.0}))
)


@pytest.mark.parametrize("shallow", [False, True])
@pytest.mark.parametrize(
    "computer",
    [
        CHIP,
        mp.SharedMemory(2),
        mp.MessagePassing(3, topology=mp.Topology.bus(3), start_up=1.0, broadcast=True),
    ],
    ids=["operators", "shared memory", "bus"],
)
def test_a_repeated_plan_comes_back_as_it_was(computer, shallow, tmp_path):
    graph = diamond()
    plan = mp.schedule(graph, computer)
    interval = mp.initiation_interval(plan)
    buffers = mp.Periodic(plan, interval).buffers_needed if shallow else None
    periodic = mp.Periodic(plan, interval, buffers)
    periodic.save(tmp_path / "plan.json")
    assert mp.Periodic.load(str(tmp_path / "plan.json"), graph) == periodic
    data = json.loads((tmp_path / "plan.json").read_text())
    assert (data["version"], data["periodic"]["interval"]) == (2, interval)
    assert data["measures"]["throughput"] == 1 / interval
    with pytest.raises(ReadError, match=r"plan\.json has a plan that is repeated; Periodic\.load"):
        mp.Schedule.load(tmp_path / "plan.json", graph)


def test_plans_without_anything_new_are_written_in_the_first_version(tmp_path):
    for computer, version in ((mp.SharedMemory(2), 1), (CHIP, 2)):
        plan = mp.schedule(diamond(), computer)
        plan.save(tmp_path / "plan.json")
        data = json.loads((tmp_path / "plan.json").read_text())
        assert data["version"] == version
        assert "periodic" not in data
        assert mp.Schedule.load(tmp_path / "plan.json", diamond()) == plan
        with pytest.raises(ReadError, match="is not repeated"):
            mp.Periodic.load(tmp_path / "plan.json", diamond())


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("periodic", "interval"), 0.0, "plan.json: an interval of 0.0 between sets"),
        (("periodic", "interval"), "2", "periodic: 'interval' is '2'; expected a number"),
        (("periodic", "buffers", 0, "task"), "z", "has no task 'z'"),
        (("periodic", "buffers", 0, "depth"), -1, "buffer 1: 'depth' is -1"),
        (("periodic", "buffers", 0, "processor"), 9, "'processor' is 9; expected a whole number"),
        (("computer", "speed", 0, "times"), {}, "operator 'left' does nothing"),
        (("computer", "speed", 0, "times", "add"), "1", "times: 'add' is '1'; expected a number"),
        (("graph", "tasks", 0, "kind"), "product", "task 'a' is of kind 'product'; in"),
    ],
)
def test_a_file_that_does_not_fit_says_where(path, value, message, tmp_path):
    plan = mp.schedule(diamond(), CHIP)
    periodic = mp.Periodic(plan, 4.0)
    replace(periodic, buffers=periodic.buffers_needed).save(tmp_path / "plan.json")
    data = json.loads((tmp_path / "plan.json").read_text())
    *way, last = path
    place = data
    for step in way:
        place = place[step]
    place[last] = value
    (tmp_path / "plan.json").write_text(json.dumps(data))
    with pytest.raises(ReadError) as caught:
        mp.Periodic.load(tmp_path / "plan.json", diamond())
    assert message in str(caught.value)


def test_a_picture_shows_every_set(tmp_path):
    periodic = mp.Periodic(mp.schedule(diamond(), mp.SharedMemory(2)), 3.0)
    periodic.gantt(tmp_path / "sets.html", sets=4)
    page = (tmp_path / "sets.html").read_text()
    assert all(text in page for text in ("set 0", "set 3", "d #3"))
    with pytest.raises(InvalidInput, match="a plan of 0 sets"):
        periodic.unrolled(0)


# what is refused


@pytest.mark.parametrize("interval", [0.0, -1.0, np.inf, np.nan])
def test_impossible_intervals(interval):
    with pytest.raises(InvalidInput, match="must be finite and positive"):
        mp.Periodic(mp.schedule(diamond(), mp.SharedMemory(2)), interval)


def test_buffers_of_nobody_and_lanes_are_refused():
    plan = mp.schedule(diamond(), mp.SharedMemory(2))
    with pytest.raises(UnknownName, match="has no task 'z'"):
        mp.Periodic(plan, 4.0, (mp.Buffer("z", 0, 0, 1, 1),))
    with pytest.raises(InvalidInput, match="depth -1 for a; it cannot be negative"):
        mp.Periodic(plan, 4.0, (mp.Buffer("a", 0, 0, 1, -1),))
    with pytest.raises(InvalidInput, match="in lock-step work on one set at a time"):
        mp.Periodic(mp.schedule(diamond(), mp.vector_lanes(2)), 4.0)


def test_inputs_have_an_axis_of_sets():
    with pytest.raises(InvalidInput, match="has costs but no program"):
        mp.Periodic(mp.schedule(diamond(), mp.SharedMemory(2)), 4.0).execute(np.ones(4))
    graph = mp.task_graph(px.inverse_dynamics.recursive, px.library.chain(1))
    pipeline = mp.Periodic(mp.schedule(graph, mp.SharedMemory(2)), 1e3)
    with pytest.raises(InvalidInput, match=r"are \(\), \(1,\), \(1,\); the first axis"):
        pipeline.execute(1.0, [1.0], [1.0])
    with pytest.raises(InvalidInput, match="the first axis of each counts the sets"):
        pipeline.execute(np.ones((2, 1)), np.ones((3, 1)), np.ones((2, 1)))
    with pytest.raises(InvalidInput, match="has shape"):
        pipeline.execute(np.ones((2, 3)), np.ones((2, 1)), np.ones((2, 1)))
