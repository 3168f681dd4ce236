"""How many values wait at a time, and what becomes of those that find no room."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from multiprocessor.plans.test_periodic import inputs_of, programs, repeated
from phalanx import multiprocessor as mp
from phalanx.kernel.graph.passes.simplify import simplify
from phalanx.kernel.graph.read_casadi import read_casadi, scalar_function
from phalanx.multiprocessor.tasks.cut import cut


def out_and_back(count: int) -> mp.Schedule:
    """A recursion out along a chain and back, on an operator for each of its steps.

    Step i outward takes 4 and hands one number to step i inward, which comes 8 (count - i) later.
    """
    a, b = ca.SX.sym("a", count), ca.SX.sym("b", count)
    speed, values = ca.SX(1.0), []
    for k in range(count):
        speed = a[k] * speed + b[k]
        values.append(speed)
    back, results = ca.SX(0.5), []
    for k in reversed(range(count)):
        back = ca.sin(back) * values[k] + back
        results.append(back)
    function = ca.Function("chain", [a, b], [ca.vertcat(*results)], ["a", "b"], ["y"])
    program = simplify(read_casadi(scalar_function(function)))
    steps: list[list[int]] = [[]]
    for n, node in enumerate(program.nodes):
        if node.op not in ("const", "input"):
            steps[-1].append(n)
            if node.op == "add":  # the last operation of every step
                steps.append([])
    names = [f"out {k}" for k in range(count)] + [f"back {k}" for k in reversed(range(count))]
    described = {name: mp.Task(name, kind=name) for name in names}
    graph = cut(program, dict(zip(names, steps[:-1], strict=True)), describe=described)
    operators = tuple(mp.Operator(f"unit for {name}", {name: 4.0}) for name in names)
    return mp.schedule(graph, mp.SharedMemory(2 * count, operators, "flops", "systolic array"))


@pytest.mark.parametrize("count", [1, 2, 6])
def test_depths_of_a_systolic_array_that_goes_out_and_back(count):
    """Lathrop (1983): with a set every 4, joint i of n has a buffer of 2 (n - i) sets.

    Together n (n - 1), and K sets take 8 n + 4 (K - 1).
    """
    plan = out_and_back(count)
    assert mp.initiation_interval(plan) == 4.0
    array = mp.Periodic(plan, 4.0)
    depths = {buffer.task: buffer.depth for buffer in array.buffers_needed}
    assert [depths[f"out {k}"] for k in range(count)] == [
        2 * (count - i) for i in range(1, count + 1)
    ]
    assert array.words_stored == sum(depths.values()) == count * (count - 1)
    assert array.time(20) == 8 * count + 4 * 19
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 20, count))
    one_by_one = [plan.execute(*row) for row in zip(a, b, strict=True)]
    np.testing.assert_array_equal(array.execute(a, b), one_by_one)
    clash = mp.Periodic(plan, 2.0).violations[0]
    assert clash.text == (
        "unit for out 0 is still at out 0 of set 0 until 4 when out 0 of set 1 starts at 2."
    )


@given(work=programs, data=st.data())
def test_depths_are_the_least_that_pass(work, data):
    """One place less in any buffer is found, and values are lost."""
    periodic = repeated(work, data)
    needed = periodic.buffers_needed
    there = mp.Periodic(periodic.plan, periodic.interval, needed)
    assert there.violations == ()
    deep = [k for k, buffer in enumerate(needed) if buffer.depth]
    assume(deep)
    k = data.draw(st.sampled_from(deep))
    less = needed[k]._replace(depth=needed[k].depth - 1)
    spoilt = mp.Periodic(periodic.plan, periodic.interval, (*needed[:k], less, *needed[k + 1 :]))
    (violation,) = spoilt.violations
    assert (violation.kind, violation.tasks) == ("buffer", (less.task,))
    assert f"need a buffer of depth {less.depth + 1}; it has {less.depth}." in violation.text
    inputs = inputs_of(work, needed[k].depth + 2)
    assert np.isnan(spoilt.execute(inputs)).any()
    assert not np.isnan(there.execute(inputs)).any()


@given(work=programs, data=st.data())
def test_longer_intervals_need_shallower_buffers(work, data):
    periodic = repeated(work, data)
    longer = mp.Periodic(periodic.plan, 1.5 * periodic.interval)
    for near, far in zip(periodic.buffers_needed, longer.buffers_needed, strict=True):
        assert near[:4] == far[:4]
        assert near.depth >= far.depth
    once = mp.Periodic(periodic.plan, periodic.latency)
    assert all(buffer.depth <= 1 for buffer in once.buffers_needed)


def test_values_that_are_passed_on_wait_on_the_way():
    """On a line of three a message waits where it changes wires."""
    graph = mp.TaskGraph.of("two", {"a": [], "b": ["a"]})
    line = mp.MessagePassing(3, topology=mp.Topology.line(3), start_up=1.0)
    rows = (mp.Placement(0, 0, 0.0, 1.0), mp.Placement(1, 2, 12.0, 13.0))
    message = mp.Message(0, 0, 2, 1, (mp.Hop(0, 2.0, 3.0), mp.Hop(1, 8.0, 9.0)))
    plan = mp.Schedule(graph, line, rows, (message,))
    assert mp.Periodic(plan, 1.0).buffers_needed == (
        mp.Buffer("a", 0, 0, 1, depth=1),
        mp.Buffer("a", 1, 2, 1, depth=5),
        mp.Buffer("a", 2, 2, 1, depth=3),
    )
    shallow = mp.Periodic(plan, 1.0, (mp.Buffer("a", 0, 0, 1, 1), mp.Buffer("a", 1, 2, 1, 4)))
    assert [v.text for v in shallow.violations] == [
        "results of a on processor 1 on the way to processor 2 wait 5 and come every 1: they need "
        "a buffer of depth 5; it has 4.",
        "results of a on processor 2 wait 3 and come every 1: they need a buffer of depth 3; it "
        "has 0.",
    ]
