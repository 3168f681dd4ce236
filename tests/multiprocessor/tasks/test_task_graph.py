from __future__ import annotations

import casadi as ca
import pytest
from hypothesis import given

from multiprocessor.samples import diamond, random_layers, work
from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.kernel.graph.operations import Operations
from phalanx.multiprocessor import CyclicGraph, Task, TaskGraph, task_graph
from phalanx.multiprocessor.plans.evaluate import evaluate_nodes, given_values


def test_a_graph_from_names():
    graph = diamond()
    assert len(graph) == 4
    assert graph.predecessors == ((), (0,), (0,), (1, 2))
    assert graph.successors == ((1, 2), (3,), (3,), ())
    assert graph.number("c") == 2
    assert graph.layers == (1, 2, 2, 3)
    assert graph.widths == (1, 2, 1)


def test_layers_of_the_source_go_first():
    waits = {"a": [], "b": []}
    graph = TaskGraph.of("drawn", waits, [Task("b", layer=3)])
    assert graph.earliest_layers == (1, 1)
    assert graph.layers == (1, 3)
    assert graph.widths == (1, 0, 1)


@given(work())
def test_the_order_respects_precedence_and_holds_every_task_once(work):
    graph = work.graph
    place = {i: k for k, i in enumerate(graph.order)}
    assert sorted(place) == list(range(len(graph)))
    for i, before in enumerate(graph.predecessors):
        assert all(place[p] < place[i] for p in before)
        assert graph.earliest_layers[i] == 1 + max(
            (graph.earliest_layers[p] for p in before), default=0
        )


def test_operations_add_up():
    tasks = [Task("a", Operations(add=2, sqrt=1)), Task("b", Operations(multiply=3))]
    graph = TaskGraph.of("sum", {"a": [], "b": [], "c": []}, tasks)
    assert graph.operations == Operations(add=3, multiply=3, sqrt=1)
    assert random_layers(500, 20).operations.total == sum(
        task.operations.total for task in random_layers(500, 20).tasks
    )


@given(work())
def test_tasks_read_what_others_write_or_what_is_given(work):
    graph = work.graph
    written = {n for i in range(len(graph)) for n in graph.writes(i)}
    results = {n for result in graph.program.results for n in result}
    for i, task in enumerate(graph.tasks):
        for n in graph.reads(i):
            assert n not in task.nodes
            assert n in written or n not in graph.owner
        assert set(graph.writes(i)) <= set(task.nodes)
        assert len(graph.writes(i)) == task.words
        read_from = {graph.owner[n] for n in graph.reads(i) if n in graph.owner}
        assert read_from == set(graph.predecessors[i])
    assert results & set(graph.owner) <= written


def test_a_task_can_be_evaluated_from_what_it_reads():
    x, y = ca.SX.sym("x", 2), ca.SX.sym("y", 2, 2)
    function = ca.Function("f", [x, y], [x[1] * y[1, 0] + 3], ["x", "y"], ["z"])
    graph = task_graph(function)
    product, total = (next(t for t in graph.tasks if t.label == op) for op in ("mul", "add"))
    assert graph.input_names(product.name) == ("x[1]", "y[1, 0]")
    assert graph.input_names(total.name) == ()
    values = given_values(graph.program, [[0.0, 2.0], [[0.0, 0.0], [5.0, 0.0]]], graph.owner)
    inputs = {n: values[n] for n in graph.reads(product.name)}
    evaluate_nodes(graph.program, product.nodes, inputs)
    assert [inputs[n] for n in graph.writes(product.name)] == [10.0]


def test_a_graph_of_costs_reads_nothing():
    graph = diamond()
    assert graph.reads("d") == graph.writes("d") == graph.input_names("d") == ()


def test_a_circle_is_named():
    waits = {"a": [], "b": ["a", "d"], "c": ["b"], "d": ["c"], "e": ["d"]}
    with pytest.raises(CyclicGraph, match="'round' waits for itself: b → c → d → b"):
        TaskGraph.of("round", waits)


def test_a_task_that_waits_for_itself_is_a_circle():
    with pytest.raises(CyclicGraph, match="a → a"):
        TaskGraph.of("self", {"a": ["a"]})


def test_a_long_circle_is_shortened():
    waits = {f"t{i}": [f"t{(i + 1) % 50}"] for i in range(50)}
    with pytest.raises(CyclicGraph, match=r"(t\d+ → ){8}…"):
        TaskGraph.of("long", waits)


def test_unknown_names_are_named():
    with pytest.raises(UnknownName, match=r"no task 'sholder'\. Did you mean 'shoulder'"):
        TaskGraph.of("arm", {"shoulder": [], "elbow": ["sholder"]})
    with pytest.raises(UnknownName, match="no task 'x'"):
        diamond().number("x")
    with pytest.raises(UnknownName, match="no task 'x'"):
        diamond().reads("x")


def test_graphs_that_do_not_fit_are_refused():
    with pytest.raises(InvalidInput, match="two tasks called 'a'"):
        TaskGraph("twice", (Task("a"), Task("a")), ((), ()))
    with pytest.raises(InvalidInput, match="2 tasks, but precedence for 1"):
        TaskGraph("short", (Task("a"), Task("b")), ((),))
    with pytest.raises(InvalidInput, match="'a' waits for task number 7"):
        TaskGraph("far", (Task("a"),), ((7,),))
