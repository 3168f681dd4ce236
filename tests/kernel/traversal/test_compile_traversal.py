"""Passes over trees that have nothing to do with machines, against loops in Python."""

from __future__ import annotations

import ctypes

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phalanx.kernel.call.address import address
from phalanx.kernel.call.threads import Workload
from phalanx.kernel.traversal.compile_traversal import (
    NOTHING,
    PassSteps,
    Slice,
    TraversalKernel,
    compile_traversal,
)
from phalanx.kernel.traversal.node_table import NodeTable, node_table
from phalanx.kernel.traversal.stage_pipeline import Stage, StagePipeline

SX = ca.SX


def step(name: str, inputs: dict[str, SX], outputs: dict[str, SX]) -> ca.Function:
    return ca.Function(
        name, list(inputs.values()), list(outputs.values()), list(inputs), list(outputs)
    )


def passes() -> list[PassSteps]:
    """Two kinds: outward, sums of x along the way (kind 1 doubles); inward, sums over branches.

    What the first pass found is kept and written by the second.
    """
    c, x, n = SX.sym("carried"), SX.sym("x"), SX.sym("numbers", 1)
    none = SX.sym("numbers", 0)
    outward = (
        step("plain", {"carried": c, "numbers": none, "x": x}, {"on": c + x, "sum": c + x}),
        step("double", {"carried": c, "numbers": n, "x": x}, {"on": c + n * x, "sum": c + n * x}),
    )
    b, s = SX.sym("carried", 2), SX.sym("sum")
    handed = ca.vertcat(b[0] + 1, b[1] + s)
    inward = tuple(
        step(name, {"carried": b, "numbers": own, "sum": s}, {"on": handed, "y": handed})
        for name, own in (("plain", none), ("double", n))
    )
    return [PassSteps(False, 1, outward), PassSteps(True, 2, inward)]


ARRAYS: dict[str, str | int] = {"x": "x", "y": 2}


def expected(
    parent: np.ndarray, kind: np.ndarray, factor: np.ndarray, x: np.ndarray, begin: float
) -> tuple[np.ndarray, np.ndarray]:
    count = len(parent)
    total, branch = np.zeros(count), np.zeros((count + 1, 2))
    for i in range(count):
        above = begin if parent[i] < 0 else total[parent[i]]
        total[i] = above + (factor[i] if kind[i] else 1.0) * x[i]
    handed = np.zeros((count, 2))
    for i in reversed(range(count)):
        handed[i] = branch[i] + [1.0, total[i]]
        branch[parent[i]] += handed[i]
    return handed, branch[-1]


@pytest.fixture(scope="module")
def kernels() -> dict[int, TraversalKernel]:
    return {lanes: compile_traversal("sums", passes(), ARRAYS, lanes=lanes) for lanes in (1, 4)}


@st.composite
def trees(draw: st.DrawFn) -> np.ndarray:
    count = draw(st.integers(1, 40))
    return np.array([draw(st.integers(-1, i - 1)) for i in range(count)], np.int32)


def table_of(
    parent: np.ndarray, kind: np.ndarray, factor: np.ndarray, kernel: TraversalKernel
) -> NodeTable:
    numbers = [np.zeros((int((kind == 0).sum()), 0)), factor[kind == 1][:, None]]
    place = np.random.default_rng(1).permutation(len(parent)).astype(np.int32)
    return node_table(parent, kind, numbers, kernel.kept_words, {"x": place})


@given(trees(), st.integers(1, 9), st.sampled_from([1, 4]), st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_any_tree_any_batch(kernels, parent, samples, lanes, seed) -> None:
    rng = np.random.default_rng(seed)
    count, kernel = len(parent), kernels[lanes]
    kind, factor = rng.integers(0, 2, count).astype(np.int32), rng.standard_normal(count)
    x, begin = rng.standard_normal((samples, count)), rng.standard_normal((samples, 1))
    nodes = table_of(parent, kind, factor, kernel)
    y, end = np.empty((samples, 2 * count)), np.empty((samples, 2))
    arrays = {"x": Slice.of(x), "y": Slice.of(y)}
    table = kernel.table(
        nodes, samples, arrays, [Slice.of(begin), NOTHING], [NOTHING, Slice.of(end)]
    )
    kernel.run(table, samples, Workload(1, lanes, 1), (x, y, begin, end))
    place = np.random.default_rng(1).permutation(count)
    for k in range(samples):
        handed, at_root = expected(parent, kind, factor, x[k][place], float(begin[k, 0]))
        np.testing.assert_allclose(y[k].reshape(-1, 2), handed, atol=1e-12)
        np.testing.assert_allclose(end[k], at_root, atol=1e-12)


@given(trees())
@settings(max_examples=50, deadline=None)
def test_slots_are_as_few_as_branches_are_open(parent: np.ndarray) -> None:
    """Nobody overwrites what is still to be read, and a chain needs one slot beside the zeros."""
    count = len(parent)
    nodes = node_table(parent, np.zeros(count, np.int32), [np.zeros((count, 0))], [0], {})
    source, target = nodes.rows[:, 1], nodes.rows[:, 2]
    holds = {nodes.root_out: -1}
    for i in range(count):
        assert holds[source[i]] == parent[i]
        holds[target[i]] = i
    chain = np.arange(-1, count - 1, dtype=np.int32)
    assert node_table(chain, chain * 0, [np.zeros((count, 0))], [0], {}).slots == 2


def test_some_passes_of_all_with_memory_of_the_caller(kernels) -> None:
    """The second pass alone, with what the first has kept in an earlier call."""
    kernel = kernels[1]
    parent = np.arange(-1, 9, dtype=np.int32)
    kind, factor = np.zeros(10, np.int32), np.ones(10)
    nodes = table_of(parent, kind, factor, kernel)
    x, y = np.ones((1, 10)), np.zeros((1, 20))
    kept = np.zeros(nodes.kept_words)
    arrays = {"x": Slice.of(x), "y": Slice.of(y)}
    for each in range(2):
        table = kernel.table(
            nodes, 1, arrays, kept=Slice(address(kept), 0), passes=(each, each + 1)
        )
        kernel.run(table, 1, Workload(1, 1, 1), (x, y))
        assert (y == 0).all() == (each == 0)
    assert kept.sum() == pytest.approx(np.arange(1, 11).sum())
    assert y.reshape(-1, 2)[0].tolist() == [10, 55]


def test_a_course_keeps_the_order_of_its_stages_whoever_does_the_work() -> None:
    """Stages add 1 to what the stage before left; each reads what another sample wrote."""
    c, x = SX.sym("carried", 0), SX.sym("x")
    none = SX.sym("numbers", 0)
    add = PassSteps(
        False, 0, (step("add", {"carried": c, "numbers": none, "x": x}, {"on": c, "y": x + 1}),)
    )
    kernel = compile_traversal("add", [add], {"x": "x", "y": 1}, lanes=1)
    samples, rounds = 64, 20
    nodes = node_table(
        np.array([-1], np.int32), np.zeros(1, np.int32), [np.zeros((1, 0))], [0],
        {"x": np.zeros(1, np.int32)},
    )  # fmt: skip
    numbers = np.zeros((rounds + 1, samples))
    stages = []
    for k in range(rounds):
        # backwards: sample s reads what sample -s wrote before
        read = Slice(address(numbers[k]) + 8 * (samples - 1), -8)
        table = kernel.table(nodes, samples, {"x": read, "y": Slice(address(numbers[k + 1]), 8)})
        stages.append(Stage(kernel, table, samples, 3))
    course = StagePipeline(stages, 4, numbers)
    for _ in range(5):
        numbers[0], numbers[1:] = np.arange(samples), np.nan
        course()
        assert sorted(numbers[-1]) == (np.arange(samples) + rounds).tolist()


def test_addresses_are_those_of_numpy() -> None:
    for array in (np.zeros(3), np.zeros((4, 5))[1:, ::2], np.zeros(0), np.ones(7, np.int32)[3:]):
        assert address(array) == array.ctypes.data
    assert ctypes.sizeof(ctypes.c_void_p) == 8
