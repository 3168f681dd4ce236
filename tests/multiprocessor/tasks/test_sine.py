"""Sines and cosines as operators: right to rounding, as quick and as large as their kind says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import phalanx as px
from phalanx.base.scans import sklansky
from phalanx.kernel.graph.graph import Element, Graph, Node, Port
from phalanx.kernel.graph.operations import Operations
from phalanx.multiprocessor import (
    Kind,
    SharedMemory,
    Sine,
    compile_serial,
    critical_path,
    highest_level_first,
    vector_operator,
    vector_tasks,
)
from phalanx.multiprocessor.plans.evaluate import evaluate_nodes
from phalanx.multiprocessor.tasks.vector_operators.sine import cosine_and_sine
from strategies import moving

SINES = list(Sine)


class Program:
    """Scalar operations of one angle, which is node 0."""

    def __init__(self) -> None:
        self.nodes = [Node("input", element=Element(0, 0))]

    def number(self, value: float) -> int:
        self.nodes.append(Node("const", value=value))
        return len(self.nodes) - 1

    def add(self, op: str, *args: int) -> int:
        self.nodes.append(Node(op, args))
        return len(self.nodes) - 1


def written(method: Sine) -> tuple[list[Node], int, int]:
    program = Program()
    c, s = cosine_and_sine(program, method, 0)
    return program.nodes, c, s


def numbers(method: Sine, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    nodes, c, s = written(method)
    graph = Graph("sine", (Port("x", 1, 1, (1,)),), (), tuple(nodes), ())
    values = {n: np.float64(node.value) for n, node in enumerate(nodes) if node.op == "const"}
    values[0] = x
    evaluate_nodes(graph, [n for n in range(len(nodes)) if n not in values], values)
    return values[c], values[s]


@pytest.mark.parametrize("method", SINES)
def test_angles_of_any_size(method):
    rng = np.random.default_rng(0)
    edges = np.pi * np.arange(-16, 17) / 8
    for x in (
        rng.uniform(-10, 10, 20_000),
        rng.uniform(-1e5, 1e5, 20_000),
        np.concatenate([edges, np.nextafter(edges, 9), np.nextafter(edges, -9), [0.0, -0.0]]),
    ):
        c, s = numbers(method, x)
        assert np.abs(c - np.cos(x)).max() < 4e-15
        assert np.abs(s - np.sin(x)).max() < 4e-15


@pytest.mark.parametrize("method", SINES)
@given(x=st.floats(-1e5, 1e5))
def test_a_sine_and_a_cosine_of_one_angle(method, x):
    c, s = numbers(method, np.float64(x))
    assert abs(c * c + s * s - 1) < 1e-14


def is_shift(nodes: list[Node], node: Node) -> bool:
    """Whether a product is with a power of two, of either sign."""
    sources = [nodes[a] for a in node.args]
    factors = [nodes[s.args[0]] if s.op == "copysign" else s for s in sources]
    return any(f.op == "const" and np.frexp(f.value)[0] == 0.5 for f in factors)


@pytest.mark.parametrize("method", SINES)
def test_the_kind_has_the_work_that_is_written(method):
    nodes = written(method)[0]
    products = sum(node.op == "mul" and not is_shift(nodes, node) for node in nodes)
    sums = sum(node.op in ("add", "sub", "floor") for node in nodes)
    assert Operations(multiply=products, add=sums) == method.kind.work


@pytest.mark.parametrize("method", SINES)
@pytest.mark.parametrize(("multiply", "add"), [(1.0, 1.0), (5.0, 7.0), (1.0, 0.0), (0.0, 1.0)])
def test_the_kind_takes_as_long_as_the_longest_chain_of_its_operations(method, multiply, add):
    """Rounding to a whole is an addition; copied signs and shifts take no time."""
    nodes, c, s = written(method)
    times = {"add": add, "sub": add, "floor": add, "mul": multiply, "copysign": 0.0}
    done: list[float] = []
    for node in nodes:
        begin = max((done[a] for a in node.args), default=0.0)
        free = node.op in ("input", "const") or (node.op == "mul" and is_shift(nodes, node))
        done.append(begin if free else begin + times[node.op])
    assert method.kind.time(multiply, add) == max(done[c], done[s])


@pytest.mark.parametrize("method", SINES)
@pytest.mark.parametrize("network", [None, sklansky])
def test_an_arm_computes_its_sines(method, network):
    arm = px.library.puma560()
    given_there, tasks = vector_tasks(arm, network), vector_tasks(arm, network, sine=method)
    kinds = [task.kind for task in tasks.graph.tasks]
    assert kinds.count(method.kind) == 6
    assert kinds.count("MM") == [t.kind for t in given_there.graph.tasks].count("MM") + 6
    assert not {"sin", "cos"} & {node.op for node in tasks.graph.program.nodes}
    assert all(len(task.nodes) > 40 for task in tasks.graph.tasks if task.kind == method.kind)
    q, v, a = np.random.default_rng(1).uniform(-3, 3, (3, 6))
    tau = px.Dynamics(arm).inverse_dynamics(q, v, a)
    machine = SharedMemory(2, tuple(vector_operator(f"unit {k}") for k in range(2)))
    plan = highest_level_first(tasks.graph, machine)
    for outputs in (plan.execute(q, v, a), compile_serial(tasks.graph)(q, v, a)):
        found = outputs if network is None else outputs[0]
        np.testing.assert_allclose(found, tau, rtol=0, atol=1e-12 * np.abs(tau).max())


@pytest.mark.parametrize("method", SINES)
def test_sines_come_before_the_recursion_and_all_at_once(method):
    """The matrix of the first joint is what the recursion waits for, those of others are there."""
    arm = px.library.chain(8)
    flops = SharedMemory(1, (vector_operator("any"),))
    plain, whole = vector_tasks(arm).graph, vector_tasks(arm, sine=method).graph
    longer = critical_path(whole, flops).length - critical_path(plain, flops).length
    assert longer == Kind.MM.time() + method.kind.time() - Kind.VA.time()  # T2 of joint 1 waits not


@given(machine=moving(max_bodies=6), method=st.sampled_from(SINES))
def test_trees_of_every_joint_compute_their_sines(machine, method):
    mechanism, x = machine
    program = vector_tasks(mechanism, sine=method).graph.program
    values = {}
    for n, node in enumerate(program.nodes):
        if node.op == "const":
            values[n] = np.float64(node.value)
        elif node.element is not None:
            values[n] = (x.q, x.v, x.a)[node.element.port][node.element.place]
        else:
            evaluate_nodes(program, (n,), values)
    tau = np.array([values[n] for n in program.results[0]])
    wanted = px.Dynamics(mechanism).inverse_dynamics(x.q, x.v, x.a)
    scale = max(np.abs(wanted).max(initial=0.0), 1.0)
    np.testing.assert_allclose(tau, wanted, rtol=0, atol=1e-11 * scale)
