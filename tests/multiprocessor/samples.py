"""Random programs, task graphs and computers that the tests of this folder share."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np
from hypothesis import strategies as st

from phalanx.kernel.graph.operations import Operations
from phalanx.multiprocessor import (
    Computer,
    Lanes,
    MessagePassing,
    Operator,
    SharedMemory,
    Speed,
    Task,
    TaskGraph,
    Topology,
    task_graph,
)
from phalanx.multiprocessor.tasks.cut import cut

SIZE = 4
SPEEDS = (
    Speed(),
    Speed(add=1.0, multiply=2.0, sincos=5.0, other=3.0),
    Speed(add=0.25, multiply=0.5, sincos=2.0, start=0.25),
    Speed(task=1.0),
    Speed(add=0.0),
)
NETWORKS = (Topology.line, Topology.ring, Topology.bus, Topology.star, Topology.complete)
KINDS = (Operations(add=1), Operations(multiply=1), Operations(add=2, multiply=1))


@dataclass(frozen=True)
class Work:
    """A task graph, and CasADi's own function of the same outputs."""

    graph: TaskGraph
    function: ca.Function

    @property
    def inputs(self) -> np.ndarray:
        return np.linspace(-0.7, 1.1, SIZE)

    @property
    def outputs(self) -> np.ndarray:
        """What CasADi's interpreter gives."""
        return np.array(self.function(self.inputs)).ravel()


@st.composite
def work(
    draw: st.DrawFn,
    *,
    min_operations: int = 1,
    max_operations: int = 30,
    choices: bool = True,
) -> Work:
    """Scalar operations on earlier ones, as tasks of one operation or of several.

    Without ``choices`` there is no minimum of two numbers, so that a NaN always shows.
    """
    kinds = ["add", "sub", "mul", "sin", "cos", "neg"] + ["min"] * choices
    x = ca.SX.sym("x", SIZE)
    values = [x[k] for k in range(SIZE)]
    for _ in range(draw(st.integers(min_operations, max_operations))):
        a, b = (values[-1 - draw(st.integers(0, min(9, len(values) - 1)))] for _ in range(2))
        match draw(st.sampled_from(kinds)):
            case "add":
                values.append(a + b)
            case "sub":
                values.append(a - b)
            case "mul":
                values.append(a * ca.sin(b))  # products alone would overflow
            case "sin":
                values.append(ca.sin(a))
            case "cos":
                values.append(ca.cos(a))
            case "min":
                values.append(ca.fmin(a, b))
            case "neg":
                values.append(-a)
    results = values[-draw(st.integers(1, 5)) :]
    function = ca.Function("work", [x], [ca.vertcat(*results)], ["x"], ["y"])
    fine = task_graph(function, angles_given=draw(st.booleans()))
    size = draw(st.integers(1, 4))
    return Work(fine if size == 1 else coarser(fine, size), function)


def coarser(graph: TaskGraph, size: int) -> TaskGraph:
    """Neighbours in the graph's order as one task, so that none waits for a later one."""
    program, order = graph.program, graph.order
    assert program is not None
    groups = {
        f"t{k}": [n for i in order[k : k + size] for n in graph.tasks[i].nodes]
        for k in range(0, len(order), size)
    }
    return cut(program, groups)


@st.composite
def small_graphs(draw: st.DrawFn) -> TaskGraph:
    """Costs alone, few enough tasks to try every plan."""
    count = draw(st.integers(1, 5))
    tasks = tuple(Task(f"t{i}", draw(st.sampled_from(KINDS))) for i in range(count))
    before = tuple(tuple(p for p in range(i) if draw(st.booleans())) for i in range(count))
    return TaskGraph("small", tasks, before)


@st.composite
def computers(draw: st.DrawFn, *, max_processors: int = 5) -> Computer:
    """Every kind of computer, with equal and unequal processors, free and dear messages."""
    p = draw(st.integers(1, max_processors))
    speed = draw(st.sampled_from(SPEEDS))
    price = draw(st.sampled_from([0.0, 0.5, 3.0, 40.0]))
    speeds = (speed, *(draw(st.sampled_from(SPEEDS)) for _ in range(p - 1)))
    mixed = speeds if draw(st.booleans()) else speed
    match draw(st.sampled_from(["shared", "messages", "mesh", "cube", "lanes"])):
        case "shared":
            return SharedMemory(p, mixed, synchronization=price)
        case "messages":
            network = draw(st.sampled_from(NETWORKS))(p)
            return MessagePassing(p, mixed, topology=network, start_up=price, per_word=0.125)
        case "mesh":
            return MessagePassing(6, speed, topology=Topology.mesh(2, 3), start_up=price)
        case "cube":
            return MessagePassing(8, speed, topology=Topology.hypercube(3), per_word=price)
        case _:
            return Lanes(p, speed, shuffle=price)


@st.composite
def chips(draw: st.DrawFn) -> SharedMemory:
    """Adders and multipliers, and one operator that does everything, slowly."""
    adders = [Operator(f"adder {k}", {"add": 1.0}) for k in range(draw(st.integers(0, 2)))]
    price = draw(st.sampled_from([1.0, 2.5]))
    multipliers = [
        Operator(f"multiplier {k}", {"multiply": price}) for k in range(draw(st.integers(0, 2)))
    ]
    kinds = ("add", "multiply", "divide", "sqrt", "sincos", "other")
    unit = Operator("unit", dict.fromkeys(kinds, 3.0))
    operators = draw(st.permutations([*adders, *multipliers, unit]))
    delay = draw(st.sampled_from([0.0, 0.5]))
    return SharedMemory(len(operators), operators, "ticks", "chip", synchronization=delay)


@st.composite
def pipelines(draw: st.DrawFn) -> SharedMemory:
    """Pipelined adders, multipliers and units for everything; times are whole ticks."""

    def operator(name: str, kinds: tuple[str, ...]) -> Operator:
        times = {kind: float(draw(st.integers(1, 6))) for kind in kinds}
        intervals = {kind: float(draw(st.integers(1, int(t)))) for kind, t in times.items()}
        return Operator(name, times, intervals)

    adders = [operator(f"adder {k}", ("add",)) for k in range(draw(st.integers(0, 2)))]
    multipliers = [
        operator(f"multiplier {k}", ("multiply",)) for k in range(draw(st.integers(0, 2)))
    ]
    kinds = ("add", "multiply", "divide", "sqrt", "sincos", "other")
    units = [operator(f"unit {k}", kinds) for k in range(draw(st.integers(1, 2)))]
    operators = draw(st.permutations([*adders, *multipliers, *units]))
    delay = draw(st.sampled_from([0.0, 1.0]))
    return SharedMemory(len(operators), operators, "ticks", "pipelines", synchronization=delay)


def random_layers(count: int, width: int, seed: int = 0) -> TaskGraph:
    """Costs alone: rows of tasks, each of which waits for two of the three rows before."""
    rng = np.random.default_rng(seed)
    tasks, before = [], []
    for i in range(count):
        row = i // width
        tasks.append(Task(f"t{i}", KINDS[rng.integers(len(KINDS))]))
        drawn = rng.integers(max(0, row - 3) * width, row * width, 2) if row else ()
        before.append(tuple(sorted({int(p) for p in drawn})))
    return TaskGraph("random layers", tuple(tasks), tuple(before))


def diamond() -> TaskGraph:
    """Four tasks of one operation: b and c wait for a, d waits for both."""
    return TaskGraph.of("diamond", {"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"]})
