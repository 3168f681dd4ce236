"""A program written task by task computes what its expressions say, and says what does not fit."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from casadi import SX
from hypothesis import given
from hypothesis import strategies as st

from phalanx import multiprocessor as mp
from phalanx.base.errors import InvalidInput


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@given(st.integers(1, 5), st.booleans(), st.integers(0, 2**32 - 1))
def test_tasks_of_any_size_compute_what_the_expressions_say(size, dense, seed):
    """Each task's expression reads results of earlier tasks; CasADi evaluates them all at once."""
    rng = np.random.default_rng(seed)
    writer = mp.TaskWriter("random", size, dense=dense)
    x = SX.sym("x", 3)
    written, plain = list(ca.vertsplit(writer.input("x", 3))), list(ca.vertsplit(x))
    for k in range(6):
        picks = rng.choice(len(written), (4, 2))
        signs = rng.choice([-1, 1], 4)

        def values(known, picks=picks, signs=signs):
            return ca.vertcat(
                *(
                    s * known[a] * known[b] - known[a]
                    for (a, b), s in zip(picks, signs, strict=True)
                )
            )

        tasks = [mp.Task(f"t{k}_{j}_") for j in range(4)]
        written += ca.vertsplit(writer.each(tasks, values(written)))
        plain += ca.vertsplit(values(plain))
    graph = writer.graph({"y": ca.vertcat(*written[-6:])}, needed_only=bool(seed % 2))
    assert all(1 <= task.operations.total <= size for task in graph.tasks)
    point = rng.uniform(-1, 1, 3)
    expected = np.array(ca.Function("f", [x], [ca.vertcat(*plain[-6:])])(point)).ravel()
    plan = mp.schedule(graph, mp.SharedMemory(2))
    assert not plan.violations
    close(plan.execute(point), expected)


def test_what_costs_nothing_makes_no_task():
    writer = mp.TaskWriter("free", 3)
    x = writer.input("x", 2)
    passed = writer.task(mp.Task("1"), ca.vertcat(-x[0], 0 * x[1], 1.0 * x[1]))
    assert not writer.groups
    graph = writer.graph({"y": passed}, needed_only=False)
    assert len(graph) == 0


def test_a_result_may_be_the_negative_of_what_a_task_computes():
    writer = mp.TaskWriter("negative", 3)
    x = writer.input("x", 2)
    y = writer.task(mp.Task("1"), -(x[0] * x[1]))
    z = writer.task(mp.Task("2"), 3 - y)
    graph = writer.graph({"y": y, "z": z}, needed_only=False)
    y, z = mp.schedule(graph, mp.uniform_tasks(2)).execute([2.0, 5.0])
    assert (y[0], z[0]) == (-10.0, 13.0)


def test_tasks_share_no_operation():
    writer = mp.TaskWriter("twice", 3)
    x = writer.input("x", 2)
    a = writer.task(mp.Task("1"), x[0] * x[1])
    b = writer.task(mp.Task("2"), x[0] * x[1])
    graph = writer.graph({"sum": writer.task(mp.Task("3"), a + b)}, needed_only=True)
    assert graph.operations.multiply == 2
    assert graph.predecessors == ((), (), (0, 1))


def test_only_what_results_need_is_kept():
    writer = mp.TaskWriter("needed", 3)
    x = writer.input("x", 1)
    y = writer.task(mp.Task("1"), ca.vertcat(x * x, x + 1))
    writer.task(mp.Task("2"), y[0] * 7)
    graph = writer.graph({"y": y[1]}, needed_only=True)
    assert [(task.name, task.operations.total) for task in graph.tasks] == [("1", 1)]


def test_given_values_belong_to_no_task():
    writer = mp.TaskWriter("angle", 2)
    q = writer.input("q", 1)
    c = writer.given(ca.cos(q))
    graph = writer.graph({"y": writer.task(mp.Task("square"), c * c)})
    assert [task.operations.total for task in graph.tasks] == [1]
    close(mp.schedule(graph, mp.SharedMemory(1)).execute([0.7]), np.cos(0.7) ** 2)


def test_general_numbers_cost_operations():
    counts = []
    for general in (False, True):
        writer = mp.TaskWriter("row", 9)
        x = writer.input("x", 3)
        row = SX([0.0, 1.0, 2.0])
        row = writer.general(row) if general else row
        y = writer.task(mp.Task("product"), ca.dot(row, x))
        counts.append(writer.graph({"y": y}).operations.total)
    assert counts == [2, 5]


def test_large_tasks_are_spread_over_parts_with_letters():
    writer = mp.TaskWriter("sum", 2)
    x = writer.input("x", 8)
    total = writer.task(mp.Task("sum", label="all", link="arm"), ca.sum1(x))
    graph = writer.graph({"y": total})
    assert [task.name for task in graph.tasks] == ["suma", "sumb", "sumc", "sumd"]
    assert {(task.label, task.link) for task in graph.tasks} == {("all", "arm")}
    assert sum(task.operations.total for task in graph.tasks) == 7


def test_values_that_are_packed_take_the_last_of_the_tasks():
    writer = mp.TaskWriter("packed", 3)
    x = writer.input("x", 4)
    tasks = [mp.Task(name) for name in "abc"]
    y = writer.packed(tasks, ca.vertcat(x[0] * x[1], x[1] + 1, x[2] * x[3] - x[0], x[3]))
    graph = writer.graph({"y": y})
    assert [(t.name, t.operations.total) for t in graph.tasks] == [("b", 2), ("c", 2)]


def test_tasks_come_in_the_order_asked_for():
    writer = mp.TaskWriter("order", 1)
    x = writer.input("x", 1)
    y = [writer.task(mp.Task(name), x + k) for k, name in enumerate(("10", "9", "8"), start=1)]
    outputs = {"y": ca.vertcat(*y)}
    assert list(writer.graph(outputs).numbers) == ["10", "9", "8"]
    assert list(writer.graph(outputs, order=int).numbers) == ["8", "9", "10"]


def test_mistakes():
    with pytest.raises(InvalidInput, match="up to 0 operations"):
        mp.TaskWriter("none", 0)
    writer = mp.TaskWriter("wrong", 2)
    x = writer.input("x", 2)
    y = writer.task(mp.Task("a"), x[0] + x[1])
    with pytest.raises(InvalidInput, match="two tasks called 'a'"):
        writer.task(mp.Task("a"), x[0] - x[1])
    with pytest.raises(InvalidInput, match=r"symbol 'z' does not come from the writer of 'wrong'"):
        writer.task(mp.Task("b"), SX.sym("z") + y)
    with pytest.raises(InvalidInput, match="result 'y' costs operations"):
        writer.graph({"y": y * 2})
    with pytest.raises(InvalidInput, match="symbol 'z' does not come"):
        writer.graph({"y": SX.sym("z")})
    with pytest.raises(InvalidInput, match="2 values for 1 tasks"):
        writer.each([mp.Task("c")], x * y)
    with pytest.raises(
        InvalidInput, match=r"fill 2 tasks of up to 2 operations; there are 1 tasks"
    ):
        writer.packed([mp.Task("c")], x * x * y)


def test_a_task_that_loads_costs_nothing_and_has_a_place():
    writer = mp.TaskWriter("load", 100)
    x = writer.input("x", 2)
    held = writer.load(mp.Task("load"), ca.vertcat(3.0, x[0], 0.0))
    total = writer.task(mp.Task("sum"), held[0] * x[1] + held[1] + held[2])
    graph = writer.graph({"y": total})
    assert graph.tasks[0].operations.total == 0 and graph.tasks[0].words == 3
    assert graph.predecessors[1] == (0,)
    computer = mp.MessagePassing(2, topology=mp.Topology.line(2), start_up=1.0)
    apart = (mp.Placement(0, 0, 0.0, 0.0), mp.Placement(1, 1, 1.0, 5.0))
    alone = mp.Schedule(graph, computer, apart)
    assert np.isnan(alone.execute([2.0, 5.0])).all()
    sent = mp.Message(0, 0, 1, 3, (mp.Hop(0, 0.0, 1.0),))
    plan = mp.Schedule(graph, computer, apart, (sent,))
    assert plan.violations == ()
    assert plan.execute([2.0, 5.0]) == [17.0]
    with pytest.raises(InvalidInput, match="task 'more' only loads"):
        writer.load(mp.Task("more"), x[0] * 2)
    with pytest.raises(InvalidInput, match="two tasks called 'load'"):
        writer.load(mp.Task("load"), x[0])


def test_a_pattern_writes_what_its_values_would():
    pattern = ca.Function("p", [z := ca.SX.sym("z", 3)], [ca.vertcat(z[0] - z[1] * z[2], -z[1])])
    graphs = []
    for use_pattern in (True, False):
        writer = mp.TaskWriter("pattern", 100)
        x = writer.input("x", 4)
        first = writer.task(mp.Task("first"), x[0] * x[3])
        for k, arguments in enumerate((ca.vertcat(x[:2], first), ca.vertcat(x[1:3], -first))):
            task = mp.Task(f"again {k}")
            if use_pattern:
                found = writer.repeated(task, pattern, arguments)
            else:
                found = writer.task(task, pattern(arguments))
        graphs.append(writer.graph({"y": found}))
    one, other = graphs
    assert one.program == other.program and one.tasks == other.tasks
