from __future__ import annotations

import casadi as ca
import pytest
from hypothesis import given

import phalanx as px
from multiprocessor.samples import work
from phalanx.base.errors import InvalidInput
from phalanx.kernel.graph.operations import Operations, count_operations
from phalanx.multiprocessor import Task, task_graph
from phalanx.multiprocessor.tasks.cut import cut

x = ca.SX.sym("x", 3)


def of(expression: ca.SX, **options: bool):
    return task_graph(ca.Function("f", [x], [expression], ["x"], ["y"]), **options)


def test_every_operation_is_a_task():
    graph = of(x[0] * x[1] + x[2])
    assert [task.label for task in graph.tasks] == ["mul", "add"]
    assert graph.predecessors == ((), (0,))
    assert [task.operations for task in graph.tasks] == [Operations(multiply=1), Operations(add=1)]


@given(work())
def test_operations_are_those_of_the_function(work):
    """Cutting neither loses nor repeats arithmetic, except angles that are given."""
    counted, cut_up = count_operations(work.function), work.graph.operations
    assert cut_up.add == counted.add
    assert cut_up.multiply == counted.multiply
    assert cut_up.other == counted.other
    assert cut_up.sincos <= counted.sincos


def test_a_machine_and_an_equation():
    arm = px.library.puma560()
    graph = task_graph(px.inverse_dynamics.recursive, arm, angles_given=True)
    whole = count_operations(px.expression(px.inverse_dynamics.recursive, arm))
    assert graph.operations == Operations(whole.add, whole.multiply)
    assert len(graph) == whole.add + whole.multiply


def test_sine_and_cosine_of_an_angle_are_one_task():
    graph = of(ca.sin(x[0]) * ca.cos(x[0]))
    assert [task.operations.total for task in graph.tasks] == [1, 1]
    assert graph.tasks[0].operations == Operations(sincos=1)
    assert graph.tasks[0].words == 2


def test_angles_may_be_given_but_not_those_of_results():
    assert len(of(ca.sin(x[0]) * x[1], angles_given=True)) == 1
    assert len(of(ca.sin(x[0] * x[1]), angles_given=True)) == 2


def test_negations_cost_nothing():
    graph = of(ca.exp(-(x[0] * x[1])))
    assert [task.operations.total for task in graph.tasks] == [1, 1]
    assert len(graph.tasks[0].nodes) == 2


def test_groups_become_tasks():
    fine = of((x[0] + x[1]) * (x[1] + x[2]))
    nodes = [task.nodes[0] for task in fine.tasks]
    described = {"sums": Task("sums", label="two sums", link="arm", layer=4)}
    graph = cut(
        fine.program, {"sums": nodes[:2], "product": nodes[2:]}, describe=described, name="two"
    )
    assert graph.name == "two"
    assert graph.tasks[0] == Task(
        "sums", Operations(add=2), "two sums", "arm", 4, graph.tasks[0].nodes, 2
    )
    assert graph.predecessors == ((), (0,))


def test_a_number_handed_to_two_tasks_is_one_word():
    shared = x[0] + x[1]
    graph = of(ca.vertcat(shared * x[2], shared / x[2]))
    assert [task.words for task in graph.tasks] == [1, 1, 1]


def test_an_operation_belongs_to_one_task():
    fine = of(x[0] * x[1] + x[2])
    n = fine.tasks[0].nodes[0]
    with pytest.raises(InvalidInput, match=f"operation {n} belongs to 'b'"):
        cut(fine.program, {"a": [n], "b": [n]})


def test_what_reads_a_result_belongs_to_a_task():
    fine = of(x[0] * x[1] + x[2])
    with pytest.raises(InvalidInput, match=r"\(add\) reads a task's result but is in no task"):
        cut(fine.program, {"a": fine.tasks[0].nodes})


def test_groups_that_wait_for_each_other_are_refused():
    fine = of(ca.sin(ca.exp(x[0]) + x[1]))
    first, middle, last = (task.nodes[0] for task in fine.tasks)
    with pytest.raises(InvalidInput, match="waits for itself"):
        cut(fine.program, {"outer": [first, last], "inner": [middle]})


def test_a_function_needs_no_machine_and_an_equation_does():
    function = ca.Function("f", [x], [x[0] + x[1]])
    with pytest.raises(InvalidInput, match="already has its machine"):
        task_graph(function, px.library.puma560())
    with pytest.raises(InvalidInput, match=r"task_graph\(recursive, …\) needs a mechanism"):
        task_graph(px.inverse_dynamics.recursive)
