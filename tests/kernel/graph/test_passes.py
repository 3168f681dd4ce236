"""Passes: each leaves a checked graph with the same meaning."""

from __future__ import annotations

import sys
from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

from kernel.samples import chain, two_link_arm
from phalanx.kernel import build, compile
from phalanx.kernel.graph.graph import Graph, Node, Port, verify
from phalanx.kernel.graph.passes.fuse_multiply_add import fuse_multiply_add
from phalanx.kernel.graph.passes.order import order
from phalanx.kernel.graph.passes.pair_sin_cos import pair_sin_cos
from phalanx.kernel.graph.passes.simplify import simplify
from phalanx.kernel.graph.passes.split import split
from phalanx.kernel.graph.read_casadi import read_casadi


def graph_of(expression, *symbols) -> Graph:
    return read_casadi(ca.Function("f", list(symbols), [expression]))


def ops(graph: Graph) -> list[str]:
    return sorted(node.op for node in graph.nodes if node.op not in ("const", "input"))


X, Y, Z, W = (ca.SX.sym(name) for name in "xyzw")


def raw(*nodes: Node, result: int = -1) -> Graph:
    """A graph CasADi would have simplified itself."""
    port = Port("x", 1, 1, (1,))
    given = (Node("input", element=(0, 0)), *nodes)
    return verify(Graph("f", (port,), (port,), given, ((result % len(given),),)))


@pytest.mark.parametrize(
    ("nodes", "left"),
    [
        ([Node("const", value=1.0), Node("mul", (0, 1))], []),
        ([Node("const", value=0.0), Node("mul", (0, 1))], []),
        ([Node("const", value=0.0), Node("add", (0, 1))], []),
        ([Node("const", value=-1.0), Node("mul", (0, 1))], ["neg"]),
        ([Node("const", value=2.0), Node("mul", (0, 1))], ["add"]),
        ([Node("const", value=4.0), Node("div", (0, 1))], ["mul"]),
        ([Node("const", value=2.0), Node("pow", (0, 1))], ["mul"]),
        ([Node("const", value=1.0), Node("pow", (0, 1))], []),
        ([Node("neg", (0,)), Node("neg", (1,))], []),
        ([Node("neg", (0,)), Node("mul", (1, 1))], ["mul"]),
        ([Node("neg", (0,)), Node("sin", (1,)), Node("sin", (0,)), Node("add", (2, 3))], ["sin",
        "sub"]), ([Node("mul", (0, 0)), Node("mul", (0, 0)), Node("add", (1, 2))], ["add",
        "mul"]), ([Node("sin", (0,)), Node("mul", (0, 0))], ["mul"]),
    ],
)  # fmt: skip
def test_simplify(nodes, left):
    assert ops(simplify(raw(*nodes))) == left


def test_constants_fold_but_keep_infinities():
    one, zero = Node("const", value=1.0), Node("const", value=0.0)
    folded = simplify(raw(one, Node("add", (1, 1)), Node("mul", (2, 0))))
    assert [n.value for n in folded.nodes if n.op == "const"] == []  # 2 x became x + x
    assert ops(simplify(raw(one, zero, Node("div", (1, 2))))) == ["div"]
    root = simplify(raw(Node("const", value=9.0), Node("sqrt", (1,))))
    assert root.nodes[root.results[0][0]].value == 3.0


def test_a_difference_and_its_opposite_are_one_operation():
    assert ops(simplify(graph_of(ca.vertcat(X - Y, Y - X), X, Y))) == ["neg", "sub"]


def test_zero_keeps_its_sign():
    graph = simplify(
        raw(Node("const", value=0.0), Node("const", value=-0.0), Node("atan2", (0, 2)))
    )
    (constant,) = (node for node in graph.nodes if node.op == "const")
    assert np.signbit(constant.value)


def test_products_fuse_when_all_readers_absorb_them():
    assert ops(fuse_multiply_add(graph_of(X * Y + Z, X, Y, Z))) == ["fma"]
    assert ops(fuse_multiply_add(graph_of(X * Y - Z, X, Y, Z))) == ["fma", "neg"]
    assert ops(fuse_multiply_add(graph_of(Z - X * Y, X, Y, Z))) == ["fma", "neg"]
    assert ops(fuse_multiply_add(graph_of(X * Y + Z * W, X, Y, Z, W))) == ["fma", "mul"]
    product = X * Y
    both = ca.vertcat(product + Z, W - product)
    assert ops(fuse_multiply_add(graph_of(both, X, Y, Z, W))) == ["fma", "fma", "neg"]
    kept = ca.vertcat(product + Z, ca.sqrt(product))
    assert ops(fuse_multiply_add(graph_of(kept, X, Y, Z))) == ["add", "mul", "sqrt"]
    shown = ca.vertcat(product + Z, product)
    assert ops(fuse_multiply_add(graph_of(shown, X, Y, Z))) == ["add", "mul"]


@pytest.mark.parametrize(
    "expression",
    [
        X * Y + Z,
        X * Y - Z,
        Z - X * Y,
        X * Y - Z * W,
        3 * X - Z,
        Z - 3 * X,
        -(X * Y) - Z,
        -X * Y + Z,
        (X - Y * Z) * W - (X * Y + Z),
    ],
    ids=str,
)
def test_fused_signs_are_right(expression):
    f = ca.Function("f", [X, Y, Z, W], [expression])
    values = [2.0, 3.0, 5.0, 7.0]  # small integers: no rounding either way
    assert compile(f)(*([v] for v in values)).tolist() == [float(f(*values))]


@pytest.fixture
def as_written():
    """CasADi leaves expressions alone, so that the pass has something to do."""
    ca.GlobalOptions.setSimplificationOnTheFly(False)
    yield
    ca.GlobalOptions.setSimplificationOnTheFly(True)


_NUMBERS = {
    "(-x) / y": lambda x, y: (-x) / y,
    "x / (-y)": lambda x, y: x / (-y),
    "(-x) / (-y)": lambda x, y: (-x) / (-y),
    "x / -4": lambda x, y: x / -4,
    "(-x) * y": lambda x, y: (-x) * y,
    "(-x) * (-y)": lambda x, y: (-x) * (-y),
    "-2 x": lambda x, y: -2 * x,
    "(-x) + y": lambda x, y: (-x) + y,
    "(-x) + (-y)": lambda x, y: (-x) + (-y),
    "(-x) - y": lambda x, y: (-x) - y,
    "x - (-y)": lambda x, y: x - (-y),
    "0 - x": lambda x, y: 0 - x,
    "x + 0": lambda x, y: x + 0,
    "1 x + 0 y": lambda x, y: 1 * x + 0 * y,
    "-(-x)": lambda x, y: -1 * (-1 * x),
    "x - 3": lambda x, y: x - 3,
    "-3 + x": lambda x, y: -3 + x,
    "|-x|": lambda x, y: abs(-x) if isinstance(x, float) else ca.fabs(-x),
    "x³ / y": lambda x, y: x**3 / y,
    "x⁻¹": lambda x, y: x**-1,
}


@pytest.mark.parametrize("name", _NUMBERS)
def test_simplified_values_are_right(as_written, name):
    x, y = ca.SX.sym("x"), ca.SX.sym("y")
    kernel = compile(ca.Function("f", [x, y], [_NUMBERS[name](x, y)]))
    for given in ((3.0, 8.0), (-5.0, 2.0)):
        assert kernel(*([g] for g in given)).tolist() == [_NUMBERS[name](*given)]


def test_sines_and_cosines_pair_up():
    both = ca.sin(X) + ca.cos(X) * ca.tan(X)
    paired = pair_sin_cos(graph_of(both, X))
    assert ops(paired).count("sincos") == 1
    two = pair_sin_cos(graph_of(ca.sin(X) + ca.cos(Y), X, Y))
    assert ops(two).count("sincos") == 2


def test_verify_refuses_malformed_graphs():
    good = graph_of(X * Y + ca.sin(X), X, Y)
    verify(good)
    for nodes in (
        (*good.nodes[:-1], Node("add", (0, 99))),
        (*good.nodes[:-1], Node("mix", (0, 1))),
        (*good.nodes[:-1], Node("add", (0,))),
        (*good.nodes[:-1], Node("sin_of", (0,))),
        (Node("input", element=(0, 7)), *good.nodes[1:]),
    ):
        with pytest.raises(AssertionError):
            verify(replace(good, nodes=nodes))
    with pytest.raises(AssertionError):
        verify(replace(good, results=((0, 0),)))


@pytest.mark.parametrize("largest", [10, 37, 200])
def test_pieces_cover_everything_once(largest):
    graph = pair_sin_cos(fuse_multiply_add(simplify(read_casadi(chain(100)))))
    program = split(graph, largest)
    assert len(program.pieces) > 3
    assert all(len(piece) <= largest for piece in program.pieces)
    computed = [n for piece in program.pieces for n in piece]
    assert len(set(computed)) == len(computed)
    # what a piece reads from another has been stored before, and not been overwritten since
    holds: dict[int, int] = {}
    for piece in program.pieces:
        inside = set()
        for n in piece:
            for a in graph.nodes[n].args:
                if a in inside or graph.nodes[a].op == "const" or a not in computed:
                    continue
                assert holds[program.row[a]] == a
            inside.add(n)
            for row in program.stores.get(n, ()):
                assert row < program.rows
                holds[row] = n
    for n, node in enumerate(graph.nodes):
        if node.op in ("sin_of", "cos_of") and n in computed:
            (home,) = (p for p in program.pieces if n in p)
            assert node.args[0] in home


@pytest.mark.parametrize("largest", [16, 100])
@pytest.mark.parametrize("function", [two_link_arm, lambda: chain(150)], ids=["arm", "chain"])
def test_split_kernels_give_the_same_bits(monkeypatch, function, largest, width):
    f = function()
    args = np.random.default_rng(0).standard_normal((f.n_in(), 77, f.size1_in(0)))
    whole = compile(f, target=width)(*args)
    monkeypatch.setattr(build, "_LARGEST_PIECE", largest)
    monkeypatch.setattr(build, "_LARGEST_WHOLE", largest)
    pieces = compile(f, target=width, cache=False)
    assert np.array_equal(pieces(*args), whole)
    assert np.array_equal(pieces.call(*(a[3].copy() for a in args)), whole[3])


def test_scratch_beyond_the_stack(monkeypatch):
    monkeypatch.setattr("phalanx.kernel.llvm.emit_llvm._STACK_BYTES", 1000)
    args = np.random.default_rng(0).standard_normal((3, 77, 2))
    expected = compile(two_link_arm())(*args)
    assert np.array_equal(compile(two_link_arm(), cache=False)(*args), expected)


def test_no_memory_for_scratch(monkeypatch):
    """More intermediate values than any machine has memory for."""
    monkeypatch.setattr("phalanx.kernel.llvm.emit_llvm._STACK_BYTES", 1000)
    original = split
    monkeypatch.setattr(build, "split", lambda *a: replace(original(*a), rows=1 << 50))
    kernel = compile(two_link_arm(), cache=False)
    q = np.zeros(2)
    before = sys.getrefcount(q)
    for args in ((q, q, q), (q.tolist(), q, q)):
        with pytest.raises(MemoryError):
            kernel(*args)
    del args
    assert sys.getrefcount(q) == before


def alive(graph: Graph) -> int:
    """The sum over time of values that are still to be read."""
    last: dict[int, int] = {}
    for n, node in enumerate(graph.nodes):
        for a in node.args:
            if graph.nodes[a].op not in ("const", "input"):
                last[a] = n
    return sum(end - start for start, end in last.items())


def test_order_follows_one_thread_at_a_time():
    x = ca.SX.sym("x", 20)
    threads = []
    for i in range(20):
        value = x[i]
        for k in range(20):
            value = ca.sin(value) * 1.25 + 0.1 * k
        threads.append(value)
    graph = pair_sin_cos(simplify(read_casadi(ca.Function("f", [x], [ca.vertcat(*threads)]))))
    depth = _depth(graph)
    side_by_side = _permuted(graph, sorted(range(len(depth)), key=lambda n: (depth[n], n)))
    ordered = order(side_by_side)
    assert ops(ordered) == ops(graph)
    assert alive(ordered) < alive(side_by_side) / 8
    for n, node in enumerate(ordered.nodes):
        if node.op in ("sin_of", "cos_of"):
            assert n - node.args[0] <= 2


def _depth(graph: Graph) -> list[int]:
    depth: list[int] = []
    for node in graph.nodes:
        depth.append(1 + max((depth[a] for a in node.args), default=-1))
    return depth


def _permuted(graph: Graph, sequence: list[int]) -> Graph:
    number = {n: i for i, n in enumerate(sequence)}
    nodes = tuple(
        graph.nodes[n]._replace(args=tuple(number[a] for a in graph.nodes[n].args))
        for n in sequence
    )
    return verify(
        replace(
            graph, nodes=nodes, results=tuple(tuple(number[n] for n in r) for r in graph.results)
        )
    )


def test_shifted_angles_are_computed_with_the_others():
    """x + c, c + x and x - c join the loop over angles, wherever else their sums are read."""
    x, y = ca.SX.sym("x", 4), ca.SX.sym("y", 2)
    angles = ca.vertcat(x[0] + 0.3, -1.2 + x[1], x[2] - 0.7, y[1] + 2.0, x[3])
    left = ca.sin(0.5 - y[0])  # no sum of an input and a constant
    outputs = [ca.sin(angles), ca.cos(angles) * angles[3], left]
    function = ca.Function("f", [x, y], outputs, ["x", "y"], ["s", "c", "l"])
    program = split(pair_sin_cos(simplify(read_casadi(function))), 100)
    assert sorted(shift.constant for shift in program.shifts) == [-1.2, -0.7, 0.0, 0.3, 2.0]
    assert [run.length for run in program.angles] == [5]
    rng = np.random.default_rng(0)
    a, b = rng.uniform(-4, 4, (33, 4)), rng.uniform(-4, 4, (33, 2))
    results = compile(function)(a, b)
    for k in range(33):
        for got, wanted in zip(results, function(a[k], b[k]), strict=True):
            np.testing.assert_allclose(got[k], np.asarray(wanted).ravel(), rtol=0, atol=1e-14)


def test_angles_that_lie_apart_are_gathered_and_others_stay():
    x = ca.SX.sym("x", 12)
    for picked, gathered in (([0, 1, 3, 4], False), ([0, 6, 11], True)):
        angles = x[picked]
        function = ca.Function("f", [x], [ca.vertcat(ca.sin(angles), ca.sum1(x))], ["x"], ["y"])
        program = split(pair_sin_cos(simplify(read_casadi(function))), 100)
        assert bool(program.shifts) == gathered
        assert len(program.angles) == 1
        a = np.random.default_rng(1).uniform(-4, 4, (9, 12))
        wanted = np.concatenate([np.sin(a[:, picked]), a.sum(axis=1)[:, None]], axis=1)
        got = compile(function)(a)
        np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-14)
