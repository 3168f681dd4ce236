"""Processors that do only some tasks get only those, and say so when a plan is wrong."""

from __future__ import annotations

import math
from dataclasses import replace

import casadi as ca
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiprocessor.samples import chips, work
from phalanx import multiprocessor as mp
from phalanx.base.errors import InvalidInput
from phalanx.kernel.graph.operations import Operations

x = ca.SX.sym("x", 4)
DETERMINANT = mp.task_graph(ca.Function("det", [x], [x[0] * x[3] - x[1] * x[2]], ["x"], ["y"]))
CHIP = mp.SharedMemory(
    2, [mp.Operator("multiplier", {"multiply": 2.0}), mp.Operator("adder", {"add": 1.0})], "ticks"
)
POLICIES = (mp.layered, mp.highest_level_first, mp.earliest_finish)


@given(work=work(), chip=chips(), policy=st.sampled_from(POLICIES))
def test_policies_place_tasks_only_where_they_can_be_done(work, chip, policy):
    plan = policy(work.graph, chip)
    assert plan.violations == ()
    assert math.isfinite(plan.makespan)
    assert plan.makespan >= mp.lower_bound(work.graph, chip) * (1 - 1e-12)
    np.testing.assert_allclose(plan.execute(work.inputs), work.outputs, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("policy", [*POLICIES, mp.exact])
def test_two_products_then_their_difference(policy):
    plan = mp.schedule(DETERMINANT, CHIP, policy)
    assert plan.makespan == 5.0
    assert plan.serial_time == 5.0  # one task after the other, no operator does all of them
    assert plan.execute([1.0, 2.0, 3.0, 4.0]) == -2.0


def test_a_task_on_an_operator_that_cannot_do_it_is_found_and_not_done():
    plan = mp.schedule(DETERMINANT, CHIP)
    last = plan.placements[-1]
    rows = (*plan.placements[:-1], last._replace(processor=0))
    spoilt = replace(plan, placements=rows)
    name = DETERMINANT.tasks[last.task].name
    assert [(v.kind, v.tasks, v.text) for v in spoilt.violations] == [
        (
            "operator",
            (name,),
            f"task {name} needs add; it is on multiplier, which does multiply alone.",
        )
    ]
    assert np.isnan(spoilt.execute([1.0, 2.0, 3.0, 4.0])).all()


@pytest.mark.parametrize("policy", [*POLICIES, mp.exact])
def test_a_task_that_no_processor_can_do(policy):
    adders = mp.SharedMemory(2, [mp.Operator(f"adder {k}", {"add": 1.0}) for k in range(2)])
    with pytest.raises(InvalidInput, match=r"can do task 'mul\d', which needs multiply; they do"):
        policy(DETERMINANT, adders)


def test_an_operator_that_nothing_needs_stays_idle():
    products = mp.task_graph(ca.Function("squares", [x], [x * x], ["x"], ["y"]))
    plan = mp.schedule(products, CHIP)
    assert plan.violations == ()
    assert plan.busy == (8.0, 0.0)


def test_operators_for_whole_tasks_of_a_kind():
    """A kind has its own time, whatever is in the task; other operators do its operations."""
    product = mp.Task("turn", Operations(multiply=9, add=6), kind="matrix times vector")
    unit = mp.Operator("unit", {"matrix times vector": 3.0, "vector sum": 1.0})
    scalar = mp.Operator("scalar", {"multiply": 1.0, "add": 0.5})
    assert (unit.time(product), scalar.time(product)) == (3.0, 12.0)
    assert unit.time(mp.Task("sum", Operations(add=1))) == math.inf


def test_joined_tasks_have_lost_their_kind():
    tasks = [replace(t, kind="product") if "mul" in t.name else t for t in DETERMINANT.tasks]
    graph = replace(DETERMINANT, tasks=tuple(tasks))
    assert sorted(task.kind for task in mp.coarsen(graph, 1).tasks) == ["", "product", "product"]
    assert [task.kind for task in mp.coarsen(graph, 9).tasks] == [""]


def test_names_tell_operators_apart():
    adder = mp.Operator("adder", {"add": 1.0})
    with pytest.raises(InvalidInput, match="2 operators are called 'adder'"):
        mp.SharedMemory(3, (adder, CHIP.speed[0], adder))


def test_pictures_have_the_names_of_operators(tmp_path):
    plan = mp.schedule(DETERMINANT, CHIP)
    plan.gantt(tmp_path / "plan.html")
    page = (tmp_path / "plan.html").read_text()
    assert '"row_names":["multiplier","adder"]' in page.replace(", ", ",").replace(": ", ":")
    axes = mp.gantt_figure(plan).axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["multiplier", "adder"]


@pytest.mark.parametrize("times", [{}, {"add": -1.0}, {"add": math.inf}])
def test_impossible_operators(times):
    with pytest.raises(InvalidInput, match="operator 'odd'"):
        mp.Operator("odd", times)
