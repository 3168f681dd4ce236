"""Joined tasks: the same work, the same numbers, fewer edges."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import phalanx as px
from multiprocessor.samples import diamond, work
from phalanx import multiprocessor as mp
from phalanx.base.errors import InvalidInput
from phalanx.multiprocessor.tasks.cut import cut


@given(work(max_operations=80), st.integers(1, 12))
def test_same_work_and_same_numbers(work, most):
    coarse = mp.coarsen(work.graph, most)
    assert coarse.operations.total == work.graph.operations.total
    assert sorted(n for task in coarse.tasks for n in task.nodes) == sorted(
        n for task in work.graph.tasks for n in task.nodes
    )
    largest = max(task.operations.total for task in work.graph.tasks)
    assert all(task.operations.total <= max(most, largest) for task in coarse.tasks)
    # a circle would have been refused; a wrong precedence reads NaN
    found = mp.schedule(coarse, mp.SharedMemory(3)).execute(work.inputs)
    np.testing.assert_allclose(found, work.outputs, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("most", [30, 100, 300])
def test_fewer_tasks_and_edges(most):
    fine = mp.task_graph(px.inverse_dynamics.recursive, px.library.chain(20, alternate=True))
    coarse = mp.coarsen(fine, most)
    edges, finest = (sum(len(b) for b in g.predecessors) for g in (coarse, fine))
    assert edges < finest / 4
    # at least half full on average
    assert len(coarse) < 2 * fine.operations.total / most + 2


def test_two_arms_that_share_nothing_become_two_tasks():
    arm = px.expression(px.inverse_dynamics.recursive, px.library.puma560())
    states = [[ca.SX.sym(f"{name}{k}", 6) for name in "qva"] for k in "12"]
    pair = ca.Function("pair", [*states[0], *states[1]], [arm(*states[0]), arm(*states[1])])
    graph = mp.task_graph(pair)
    coarse = mp.coarsen(graph, graph.operations.total // 2)
    assert len(coarse) == 2
    assert not any(coarse.predecessors)


def test_pairs_of_two_layers_that_would_close_a_circle_stay_apart():
    # a and b both feed c and d: only one of two crossing pairs may join
    x = ca.SX.sym("x", 2)
    a, b = x[0] * x[0], x[1] * x[1]
    function = ca.Function("cross", [x], [ca.vertcat(a - 2 * b, b - 2 * a)])
    graph = mp.task_graph(function)
    coarse = mp.coarsen(graph, 3)
    found = mp.schedule(coarse, mp.SharedMemory(2)).execute([3.0, 5.0])
    np.testing.assert_array_equal(found, [9 - 50, 25 - 18])


def test_links_are_kept_where_all_members_agree():
    function = px.expression(px.inverse_dynamics.recursive, px.library.double_pendulum())
    program = mp.task_graph(function).program
    fine = mp.task_graph(function)
    named = {task.name: mp.Task(task.name, link="arm") for task in fine.tasks}
    groups = {task.name: task.nodes for task in fine.tasks}
    coarse = mp.coarsen(cut(program, groups, describe=named), 10)
    assert {task.link for task in coarse.tasks} == {"arm"}


def test_wrong_arguments():
    graph = mp.task_graph(px.inverse_dynamics.recursive, px.library.double_pendulum())
    with pytest.raises(InvalidInput, match="up to 0 operations"):
        mp.coarsen(graph, 0)
    with pytest.raises(InvalidInput, match="costs but no program"):
        mp.coarsen(diamond(), 3)
