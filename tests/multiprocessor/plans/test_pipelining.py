"""Pipelined operators, against a simulation that moves operands from stage to stage, tick by tick.

The simulation knows operations and stages; it takes no occupancy, interval, buffer or violation
from the code under test.
"""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from dataclasses import asdict, replace
from itertools import pairwise

import casadi as ca
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from multiprocessor.samples import computers, pipelines, small_graphs, work
from phalanx import multiprocessor as mp
from phalanx.base.errors import InvalidInput
from phalanx.kernel.graph.operations import Operations
from phalanx.multiprocessor.plans.evaluate import evaluate_nodes, given_values
from phalanx.multiprocessor.policies.earliest_finish import on_one_processor

POLICIES = st.sampled_from([mp.layered, mp.highest_level_first, mp.earliest_finish])


@st.composite
def plans(draw: st.DrawFn, max_operations: int = 12) -> tuple[mp.Schedule, np.ndarray]:
    made = draw(work(max_operations=max_operations, choices=False))
    plan = draw(POLICIES)(made.graph, draw(pipelines()))
    assume(plan.makespan > 0)
    return plan, made


class Ticks:
    """Operators as rows of stages; operands move a stage a tick.

    Attributes:
        refused: Operands that came when the first stages were not free, by operator and tick.
        unready: Tasks that read what no stage had let go of.
    """

    def __init__(self, plan: mp.Schedule, interval: int, sets: int, order: random.Random) -> None:
        """Operations of a task enter one after the other, in any order of kinds."""
        self.plan = plan
        self.refused: list[tuple[int, int]] = []
        self.unready: list[tuple[int, int]] = []
        # operands that are to enter: by tick, then operator, kind, task, set, whether the last
        enter = defaultdict(list)
        for p in plan.placements:
            operator = plan.computer.speed_of(p.processor)
            counts = asdict(plan.graph.tasks[p.task].operations)
            kinds = [kind for kind, count in counts.items() for _ in range(count)]
            order.shuffle(kinds)
            for k in range(sets):
                tick = round(p.start) + k * interval
                enter[tick].append(("reads", p.processor, None, p.task, k))
                for kind in kinds:
                    enter[tick].append(("enters", p.processor, kind, p.task, k))
                    tick += int(operator.times[kind])
                enter[tick].append(("writes", p.processor, None, p.task, k))
        wait = int(plan.computer.synchronization)
        closed = [0] * plan.computer.processors  # ticks until the first stages are free
        there: dict[tuple[int, int], tuple[int, int]] = {}  # task and set: when, and where
        for tick in range(max(enter, default=0) + 1):
            events = enter.get(tick, ())
            for what, where, _, task, k in events:
                if what == "writes":
                    there[task, k] = tick, where
            for what, where, kind, task, k in events:
                if what == "enters":
                    if closed[where]:
                        self.refused.append((where, tick))
                    closed[where] = int(plan.computer.speed_of(where).intervals[kind])
                elif what == "reads":
                    for source in plan.graph.predecessors[task]:
                        when, at = there.get((source, k), (1 << 60, where))
                        if when + (wait if at != where else 0) > tick:
                            self.unready.append((task, k))
            closed = [max(0, left - 1) for left in closed]


def sets_at_a_time(plan: mp.Schedule, interval: float) -> int:
    return int(plan.makespan // interval) + 3


@given(drawn=plans(), seed=st.integers(0, 9))
def test_plans_keep_stages_apart(drawn, seed):
    """Once, and repeated as soon as the plan allows: nothing is refused, nothing is read early."""
    plan, _ = drawn
    assert plan.violations == ()
    interval = mp.initiation_interval(plan)
    assert mp.Periodic(plan, interval).violations == ()
    assume(interval == int(interval))
    ticks = Ticks(plan, int(interval), sets_at_a_time(plan, interval), random.Random(seed))
    assert (ticks.refused, ticks.unready) == ([], [])


def is_of_single_operations(plan: mp.Schedule) -> bool:
    return all(task.operations.total == 1 for task in plan.graph.tasks)


@given(drawn=plans(), interval=st.integers(1, 12), moved=st.integers(-3, 3), which=st.integers(0))
def test_a_plan_is_wrong_when_the_stages_say_so(drawn, interval, moved, which):
    """A task moved, and any interval: violations are those of the simulation, none more or less."""
    plan, _ = drawn
    assume(is_of_single_operations(plan))
    rows = list(plan.placements)
    k = which % len(rows)
    moved = max(moved, -int(rows[k].start))
    rows[k] = rows[k]._replace(start=rows[k].start + moved, end=rows[k].end + moved)
    plan = replace(plan, placements=tuple(rows))
    periodic = mp.Periodic(plan, float(interval))
    kinds = {violation.kind for violation in periodic.violations} - {"buffer"}
    sets = sets_at_a_time(plan, interval)
    ticks = Ticks(plan, interval, sets, random.Random(0))
    assert bool(kinds & {"overlap", "interval"}) == bool(ticks.refused)
    assert ("precedence" in kinds) == bool(ticks.unready)
    assert bool(periodic.unrolled(sets).violations) == bool(ticks.refused or ticks.unready)


def evaluated(graph: mp.TaskGraph, x: np.ndarray) -> np.ndarray:
    """The graph's program node by node, without tasks, plans or buffers."""
    program = graph.program
    values = given_values(program, (x,), graph.owner)
    nodes = [n for n in range(len(program.nodes)) if n not in values]
    evaluate_nodes(program, nodes, values)
    return np.array([values[n] for nodes in program.results for n in nodes])


@given(drawn=plans(), seed=st.integers(0, 99))
def test_every_sample_has_the_numbers_of_the_graph_alone(drawn, seed):
    plan, made = drawn
    samples = np.random.default_rng(seed).uniform(-1, 1, size=(7, 4))
    periodic = mp.Periodic(plan, mp.initiation_interval(plan))
    found = np.asarray(periodic.execute(samples)).reshape(7, -1)
    for row, x in zip(found, samples, strict=True):
        np.testing.assert_array_equal(row, evaluated(made.graph, x))
        np.testing.assert_array_equal(row, np.asarray(plan.execute(x)).ravel())


@given(drawn=plans())
def test_an_operator_that_is_not_pipelined_has_the_plan_it_always_had(drawn):
    """Intervals as long as latencies change nothing."""
    plan, made = drawn
    bare = [mp.Operator(one.name, one.times) for one in plan.computer.speed]
    slow = [mp.Operator(one.name, one.times, one.times) for one in plan.computer.speed]
    for policy in (mp.layered, mp.highest_level_first, mp.earliest_finish):
        one = policy(made.graph, replace(plan.computer, speed=bare))
        other = policy(made.graph, replace(plan.computer, speed=slow))
        assert one.placements == other.placements
        assert one.busy == other.busy
        assert mp.initiation_interval(one) == mp.initiation_interval(other)
        assert one.released == tuple(p.end for p in one.placements)
        assert mp.lower_bound(made.graph, one.computer) == mp.lower_bound(
            made.graph, other.computer
        )


@given(graph=small_graphs(), computer=computers(max_processors=3), policy=POLICIES)
def test_every_kind_of_computer_can_be_pipelined(graph, computer, policy):
    """Wires, meshes, lanes: right plans, never longer than the processors are for one task."""
    plan = policy(graph, computer.pipelined(0.25))
    assert plan.violations == ()
    assert plan.makespan >= mp.lower_bound(graph, plan.computer) * (1 - 1e-12)
    assert plan.makespan >= mp.critical_path(graph, computer).length * (1 - 1e-12)
    assert plan.utilization <= 1 + 1e-12
    path = mp.critical_chain(plan)
    assert all(a.end <= b.start * (1 + 1e-12) for a, b in pairwise(path))
    assert sum(mp.exposed(plan).values()) <= plan.makespan * (1 + 1e-12)


# ---- closed forms ---------------------------------------------------------------------------


def multipliers_and_adder(count: int, enters: float) -> mp.SharedMemory:
    units = [
        mp.Operator(f"multiplier {k}", {"multiply": 5.0}, {"multiply": enters})
        for k in range(count)
    ]
    adder = mp.Operator("adder", {"add": 7.0}, {"add": enters})
    return mp.SharedMemory(count + 1, [*units, adder], "ticks", "chip")


def products(count: int) -> mp.TaskGraph:
    x = ca.SX.sym("x", 2 * count)
    return mp.task_graph(ca.Function("products", [x], [x[:count] * x[count:]]))


@pytest.mark.parametrize("count", [1, 2, 5, 9])
@pytest.mark.parametrize("enters", [1.0, 2.0, 5.0])
@pytest.mark.parametrize("policy", [mp.layered, mp.highest_level_first, mp.earliest_finish])
def test_one_multiplier_takes_a_product_every_interval(count, enters, policy):
    """n products end after (n - 1) II + latency, and a sample enters every n II."""
    plan = policy(products(count), multipliers_and_adder(1, enters))
    assert plan.makespan == (count - 1) * enters + 5.0
    assert plan.busy[0] == count * enters
    assert mp.initiation_interval(plan) == count * enters
    processor = mp.SharedMemory(1, mp.Speed(multiply=5.0, interval=enters))
    assert mp.lower_bound(plan.graph, processor) == plan.makespan
    assert plan.serial_time == 5.0 * count
    alone = on_one_processor(plan.graph, plan.computer)
    assert alone.makespan == plan.makespan and alone.violations == ()


def test_earliest_finish_fills_gaps_as_long_as_what_a_task_occupies():
    """Between products that wait for each other the multiplier is free for four ticks of five."""
    product = Operations(multiply=1)
    waits = {"m0": [], "m1": ["m0"], "m2": ["m1"], "alone": []}
    graph = mp.TaskGraph.of("chain", waits, [mp.Task(name, product) for name in waits])
    units = [
        mp.Operator(name, {"multiply": time}, {"multiply": 1.0})
        for name, time in (("quick", 5.0), ("slow", 8.0))
    ]
    plan = mp.earliest_finish(graph, mp.SharedMemory(2, units))
    (placed,) = (p for p in plan.placements if p.task == graph.number("alone"))
    assert (placed.processor, placed.start, plan.makespan) == (0, 1.0, 15.0)
    assert mp.earliest_finish(products(4), multipliers_and_adder(2, 1.0)).makespan == 6.0


def test_pipelined_lanes_start_the_next_step_before_results_are_there():
    """Nine products on two lanes: five steps, an interval apart."""
    lanes = mp.Lanes(2, mp.Speed(multiply=5.0, interval=1.0))
    plan = mp.schedule(products(9), lanes)
    assert (plan.makespan, plan.violations) == (4 + 5.0, ())
    assert mp.schedule(products(9), mp.Lanes(2, mp.Speed(multiply=5.0))).makespan == 25.0


def test_operators_of_one_latency_may_have_different_intervals():
    slow, quick = (
        mp.Operator(f"every {enters:g}", {"multiply": 5.0}, {"multiply": enters})
        for enters in (4.0, 1.0)
    )
    for pair in ((slow, quick), (quick, slow)):
        rows = (mp.Placement(0, 0, 0.0, 5.0), mp.Placement(1, 1, 0.0, 5.0))
        plan = mp.Schedule(products(2), mp.SharedMemory(2, pair), rows)
        assert plan.busy == tuple(one.intervals["multiply"] for one in pair)
        assert mp.schedule(products(3), plan.computer).makespan == 6.0  # at 0, 0 and 1


def dot_product(count: int) -> mp.TaskGraph:
    """A sum of products in a row: each sum waits for a product and the sum before."""
    names = {f"m{k}": [] for k in range(count)}
    names |= {f"a{k}": [f"m{k}", f"a{k - 1}" if k > 1 else "m0"] for k in range(1, count)}
    one = {"m": Operations(multiply=1), "a": Operations(add=1)}
    return mp.TaskGraph.of("dot product", names, [mp.Task(name, one[name[0]]) for name in names])


@pytest.mark.parametrize("count", [2, 3, 6])
def test_latency_stays_and_a_sample_enters_every_tick_where_each_operation_has_its_own(count):
    """With multiply 5 and add 7: 5 + 7 (n - 1) to the result, pipelined or not; every 1, not 7."""
    graph = dot_product(count)
    own = [mp.Operator(task.name, {"multiply": 5.0, "add": 7.0}) for task in graph.tasks]
    slow = mp.SharedMemory(len(own), own, "ticks", "chip")
    rows = []
    for k in range(count):
        rows.append(mp.Placement(graph.number(f"m{k}"), graph.number(f"m{k}"), 0.0, 5.0))
        if k:
            start = 5.0 + 7.0 * (k - 1)
            rows.append(
                mp.Placement(graph.number(f"a{k}"), graph.number(f"a{k}"), start, start + 7)
            )
    for computer, interval in ((slow, 7.0), (slow.pipelined(2.0), 2.0), (slow.pipelined(1.0), 1.0)):
        plan = mp.Schedule(graph, computer, tuple(rows))
        assert plan.violations == ()
        assert plan.makespan == 5 + 7 * (count - 1)
        assert mp.initiation_interval(plan) == interval
    # product k is there at 5 and read at 5 + 7 (k - 1): so many samples wait
    depths = {b.task: b.depth for b in mp.Periodic(plan, 1.0).buffers_needed}
    assert [depths[f"m{k}"] for k in range(1, count)] == [7 * (k - 1) for k in range(1, count)]
    assert all(depths[f"a{k}"] == 0 for k in range(1, count - 1))  # read as they come


# ---- wrong products -------------------------------------------------------------------------


def two_products(second: float, enters: float = 2.0) -> mp.Schedule:
    rows = (mp.Placement(0, 0, 0.0, 5.0), mp.Placement(1, 0, second, second + 5.0))
    return mp.Schedule(products(2), multipliers_and_adder(1, enters), rows)


def test_operands_that_come_before_the_interval_is_over_are_a_violation():
    assert two_products(2.0).violations == ()
    (violation,) = two_products(1.0).violations
    assert violation.kind == "overlap"
    name, other = violation.tasks
    assert violation.text == f"processor 0 is still at {name} until 2 when {other} starts at 1."
    assert np.isnan(two_products(1.0).execute([1.0, 2.0, 3.0, 4.0])).any()
    assert (two_products(2.0).execute([1.0, 2.0, 3.0, 4.0]) == [3.0, 8.0]).all()


def test_a_plan_that_leaves_no_time_for_a_latency_can_be_told_and_drawn(tmp_path):
    plan = two_products(2.0)
    rows = (plan.placements[0]._replace(end=1.0), plan.placements[1])
    short = replace(plan, placements=rows)
    assert [v.kind for v in short.violations] == ["duration"]
    assert short.released == (0.0, 4.0)
    short.gantt(tmp_path / "plan.html")
    made = mp.Periodic(short, 9.0).at_work(2)
    assert len(made.events) == 4 and made.broken[0] == short.violations[0].text


def test_samples_that_come_before_the_operator_is_free_are_a_violation():
    plan = two_products(2.0)
    assert mp.initiation_interval(plan) == 4.0
    hasty = mp.Periodic(plan, 3.0)
    assert {v.kind for v in hasty.violations} == {"interval"}
    first, second = (task.name for task in plan.graph.tasks)
    assert [violation.text for violation in hasty.violations] == [
        f"multiplier 0 is still at {second} of set 0 until 4 when {first} of set 1 starts at 3."
    ]
    numbers = np.arange(24.0).reshape(6, 4)
    assert np.isnan(hasty.execute(numbers)).any()
    np.testing.assert_array_equal(
        mp.Periodic(plan, 4.0).execute(numbers), numbers[:, :2] * numbers[:, 2:]
    )


def test_a_result_is_not_there_when_the_operator_is_free():
    """The adder of the same processor may start a tick later, but what it reads takes five."""
    x = ca.SX.sym("x", 2)
    graph = mp.task_graph(ca.Function("square", [x], [x[0] * x[1] + x[0]]))
    unit = mp.Operator("unit", {"multiply": 5.0, "add": 7.0}, {"multiply": 1.0, "add": 1.0})
    chip = mp.SharedMemory(1, [unit], "ticks")
    first, second = graph.order
    for start, kinds in ((1.0, ["precedence"]), (4.0, ["precedence"]), (5.0, [])):
        rows = (mp.Placement(first, 0, 0.0, 5.0), mp.Placement(second, 0, start, start + 7.0))
        plan = mp.Schedule(graph, chip, rows)
        assert [v.kind for v in plan.violations] == kinds
        assert np.isnan(plan.execute([2.0, 3.0])).any() == bool(kinds)
    later = (rows[0], mp.Placement(second, 0, 9.0, 16.0))
    (buffer,) = mp.Periodic(replace(plan, placements=later), 2.0).buffers_needed
    assert buffer.depth == 2  # there at 5 and read at 9, a new one every 2
    assert mp.schedule(graph, chip).makespan == 12.0
    assert mp.critical_chain(plan) == (
        (first, False, 0.0, 5.0),
        (second, False, 5.0, 12.0),
    )


def test_the_longest_path_leaves_a_pipeline_where_the_next_task_enters():
    """Three products on one multiplier: two intervals, then a latency."""
    plan = mp.schedule(products(3), multipliers_and_adder(1, 2.0))
    assert [(leg.start, leg.end) for leg in mp.critical_chain(plan)] == [(0, 2), (2, 4), (4, 9)]
    assert mp.exposed(plan) == {("", False): 9.0}


def test_pictures_tell_what_is_occupied_from_what_is_in_the_pipeline(tmp_path):
    """Bars end where the multiplier is free; a low pale bar leads to the result."""
    plan = two_products(2.0)
    plan.gantt(tmp_path / "plan.html")
    (text,) = re.findall(r'id="plan">(.*?)</script>', (tmp_path / "plan.html").read_text(), re.S)
    assert json.loads(text)["bars"] == [[0, 0, 0, 5, 2], [1, 0, 2, 7, 4]]
    tails, *bars = mp.gantt_figure(plan).axes[0].collections[2:5]
    heights = {}
    for name, collection in (("tails", tails), ("bars", bars[-1])):
        corners = [path.vertices for path in collection.get_paths()]
        spans = sorted((x[:, 0].min(), x[:, 0].max()) for x in corners)
        assert spans == ([(2, 5), (4, 7)] if name == "tails" else [(0, 2), (2, 4)])
        heights[name] = np.ptp(corners[0][:, 1])
    assert heights["tails"] < 0.5 * heights["bars"]
    periodic = mp.Periodic(plan, 4.0)
    made = periodic.at_work(2)
    assert [(e.start, e.occupied_until, e.end) for e in made.events] == [
        (0, 2, 5), (2, 4, 7), (4, 6, 9), (6, 8, 11)
    ]  # fmt: skip
    periodic.space_time(tmp_path / "sets.html", sets=2)
    (text,) = re.findall(r'id="plan">(.*?)</script>', (tmp_path / "sets.html").read_text(), re.S)
    (pattern,) = json.loads(text)["events"]["patterns"]
    assert pattern == [
        [0, 2],
        [5, 7],
        [0, 0],
        [0, 1],
        [2, 2],
    ]  # starts, ends, where, what, occupied


@pytest.mark.parametrize("interval", [0.0, -1.0, 5.5, 0.004, float("nan"), float("inf")])
def test_impossible_intervals(interval):
    with pytest.raises(InvalidInput, match="initiation interval of 'multiply' of operator 'odd'"):
        mp.Operator("odd", {"multiply": 5.0}, {"multiply": interval})


def test_an_interval_for_what_an_operator_cannot_do():
    with pytest.raises(InvalidInput, match="'odd' has an initiation interval for 'add', which"):
        mp.Operator("odd", {"multiply": 5.0}, {"add": 1.0})
    for interval in (0.0, -1.0, 1e-4, float("nan"), float("inf")):
        with pytest.raises(InvalidInput, match="interval"):
            mp.Speed(interval=interval)


def test_operations_of_a_task_follow_each_other():
    """Latencies add up; the operator is free an interval after the last has begun."""
    task = mp.Task("two products and a sum", Operations(multiply=2, add=1))
    unit = mp.Operator("unit", {"multiply": 5.0, "add": 7.0}, {"multiply": 1.0, "add": 2.0})
    assert (unit.time(task), unit.occupancy(task)) == (17.0, 13.0)  # the last may be a product
    speed = mp.Speed(add=7.0, multiply=5.0, interval=1.0)
    assert (speed.time(task), speed.occupancy(task)) == (17.0, 13.0)
    whole = mp.Speed(task=3.0, interval=1.0)
    assert (whole.time(task), whole.occupancy(task)) == (3.0, 1.0)
    assert mp.Speed(add=1.0, interval=4.0).occupancy(mp.Task("sum")) == 1.0
    computer = mp.SharedMemory(2, [unit, mp.Operator("adder", {"add": 7.0})])
    assert computer.is_pipelined and not mp.SharedMemory(2).is_pipelined
    assert (computer.time(task), computer.occupancy(task)) == (17.0, 13.0)
    assert computer.occupancy(mp.Task("sum"), 1) == 7.0
    assert computer.pipelined(1.0).occupancy(mp.Task("sum"), 1) == 1.0
