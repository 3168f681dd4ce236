"""Arrays of clocked cells: numbers against NumPy, and every way to wire them wrongly."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from phalanx import hardware
from phalanx import multiprocessor as mp
from phalanx.base.errors import InvalidInput, UnknownName

x, y, b, s = (ca.SX.sym(name) for name in "xybs")
numbers = st.floats(-3, 3)


def filter_array(weights: list[float]) -> hardware.ClockedCells:
    """y(t) = sum of w_k x(t - k): weights stay, sums move one cell a tick, samples half of one."""
    cells, wires = [], []
    for k, weight in enumerate(weights):
        tap = ca.Function("tap", [x, y], [x, y + weight * x], ["x_in", "y_in"], ["x", "y"])
        cells.append(hardware.Cell.of(f"tap{k}", tap, initial={"x": 0.0, "y": 0.0}))
        if k:
            wires.append(hardware.Wire(f"tap{k - 1}.x", f"tap{k}.x_in", ticks=2))
            wires.append(hardware.Wire(f"tap{k - 1}.y", f"tap{k}.y_in"))
    streams = {"x": ("tap0.x_in",), "zero": ("tap0.y_in",)}
    last = f"tap{len(weights) - 1}.y"
    return hardware.ClockedCells("filter", tuple(cells), tuple(wires), streams, {"y": last})


def solver_array(matrix: np.ndarray) -> hardware.ClockedCells:
    """L x = b for a new b every tick: cell (i, j) holds L[i, j] and acts on set k at i + j + k.

    Each x_j goes down its column, each sum along its row.
    """
    cells, wires, streams, outputs = [], [], {}, {}
    for i, row in enumerate(matrix):
        for j in range(i):
            step = [x, s + row[j] * x] if j else [x, row[j] * x]
            ports = ["x_in", "s_in"] if j else ["x_in"]
            function = ca.Function("inner", [x, s][: len(ports)], step, ports, ["x", "s"])
            cells.append(hardware.Cell.of(f"inner{i}{j}", function, first=i + j))
            above = f"inner{i - 1}{j}.x" if i - 1 > j else f"edge{j}.x"
            wires.append(hardware.Wire(above, f"inner{i}{j}.x_in"))
            if j:
                wires.append(hardware.Wire(f"inner{i}{j - 1}.s", f"inner{i}{j}.s_in"))
        rest = [(b - s) / row[i]] if i else [b / row[i]]
        ports = ["b", "s_in"] if i else ["b"]
        edge = ca.Function("edge", [b, s][: len(ports)], rest, ports, ["x"])
        cells.append(hardware.Cell.of(f"edge{i}", edge, first=2 * i))
        if i:
            wires.append(hardware.Wire(f"inner{i}{i - 1}.s", f"edge{i}.s_in"))
        streams[f"b{i}"] = (f"edge{i}.b",)
        outputs[f"x{i}"] = f"edge{i}.x"
    return hardware.ClockedCells("solver", tuple(cells), tuple(wires), streams, outputs)


@given(
    weights=st.lists(numbers, min_size=1, max_size=5),
    samples=st.lists(numbers, min_size=1, max_size=8),
)
def test_a_systolic_filter_is_a_convolution(weights, samples):
    array = filter_array(weights)
    assert array.violations == ()
    late = len(weights) - 1  # ticks that a sum is on its way
    ticks = len(samples) + 2 * late
    padded = np.concatenate([samples, np.zeros(2 * late)])
    found = array.run(x=padded, zero=np.zeros(ticks))["y"]
    expected = np.convolve(samples, weights)
    np.testing.assert_allclose(found[late : late + len(expected)], expected, atol=1e-12)
    assert array.tick_time(mp.Speed(multiply=3.0)) <= 4.0


@given(size=st.integers(1, 4), seed=st.integers(0, 99))
def test_a_triangular_array_solves_a_system_every_tick(size, seed):
    rng = np.random.default_rng(seed)
    matrix = np.tril(rng.uniform(-1, 1, (size, size)), -1) + np.diag(rng.uniform(1, 2, size))
    sides = rng.normal(size=(5, size))
    array = solver_array(matrix)
    assert array.violations == ()
    # row i of every right-hand side comes 2 i ticks after row 0, and so do results
    streams = {f"b{i}": np.concatenate([np.zeros(2 * i), sides[:, i]]) for i in range(size)}
    outputs = array.run(5 + 2 * size, **streams)
    found = np.column_stack([outputs[f"x{i}"][2 * i : 2 * i + 5] for i in range(size)])
    np.testing.assert_allclose(found, np.linalg.solve(matrix, sides.T).T, rtol=1e-12, atol=1e-12)
    assert np.isnan(outputs[f"x{size - 1}"][: 2 * (size - 1)]).all()  # nothing before its time


def test_a_cell_that_acts_a_tick_too_soon():
    array = solver_array(np.array([[1.0, 0, 0], [2, 1, 0], [3, 4, 1]]))
    cells = tuple(replace(c, first=2) if c.name == "inner21" else c for c in array.cells)
    spoilt = replace(array, cells=cells)
    assert [v.tasks for v in spoilt.violations] == [("edge1", "inner21"), ("inner20", "inner21")]
    assert spoilt.violations[0].text == (
        "inner21.x_in reads in tick 2 what edge1.x was to get in tick 1, when edge1 does not act "
        "(first in tick 2, every 1)."
    )
    streams = {f"b{i}": np.ones(9) for i in range(3)}
    assert not np.isnan(array.run(**streams)["x2"][4:]).any()
    assert np.isnan(replace(spoilt, outputs={"s": "inner21.s"}).run(**streams)["s"][2])


def test_a_wire_that_takes_a_tick_too_long():
    """Values then belong to different sets: every number is there, and wrong."""
    array = filter_array([1.0, 2.0, 4.0])
    slow = replace(array, wires=(array.wires[0]._replace(ticks=3), *array.wires[1:]))
    signal = np.array([1.0, 5.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    zero = np.zeros(8)
    assert not np.allclose(array.run(x=signal, zero=zero)["y"], slow.run(x=signal, zero=zero)["y"])


def test_cells_that_act_every_other_tick():
    """A sum of what comes every other tick: its register is read two ticks later."""
    adder = ca.Function("add", [x, s], [x + s], ["x", "s_in"], ["s"])
    cell = hardware.Cell.of("sum", adder, first=1, every=2, initial={"s": 0.0})
    array = hardware.ClockedCells(
        "sum", (cell,), (hardware.Wire("sum.s", "sum.s_in", 2),), {"x": ("sum.x",)}, {"s": "sum.s"}
    )
    assert array.violations == ()
    nan = np.nan
    found = array.run(x=[9.0, 1.0, 9.0, 2.0, 9.0, 3.0])["s"]
    np.testing.assert_array_equal(found, [nan, 1.0, nan, 3.0, nan, 6.0])
    hasty = replace(array, wires=(hardware.Wire("sum.s", "sum.s_in"),))
    (violation,) = hasty.violations
    assert violation.text == (
        "sum.s_in reads in tick 3 what sum.s was to get in tick 2, when sum does not act (first in "
        "tick 1, every 2)."
    )
    assert np.isnan(hasty.run(x=np.ones(6))["s"][3:]).all()


def test_cells_that_stop():
    """After its last tick a cell writes nothing; who reads it later reads nothing."""
    keep = ca.Function("keep", [x], [x], ["x"], ["y"])
    first = hardware.Cell.of("first", keep, times=2)
    array = hardware.ClockedCells(
        "pair",
        (first, hardware.Cell.of("second", keep, first=1, times=2)),
        (hardware.Wire("first.y", "second.x"),),
        {"x": ("first.x",)},
        {"a": "first.y", "b": "second.y"},
    )
    assert array.violations == ()
    found = array.run(x=[1.0, 2.0, 3.0, 4.0])
    np.testing.assert_array_equal(found["a"], [1.0, 2.0, np.nan, np.nan])
    np.testing.assert_array_equal(found["b"], [np.nan, 1.0, 2.0, np.nan])
    for more in (3, 9, None):
        longer = replace(array, cells=(first, replace(array.cells[1], times=more)))
        assert [v.tasks for v in longer.violations] == [("first", "second")]
    assert "first in tick 0, every 1, 2 times" in longer.violations[0].text
    with pytest.raises(InvalidInput, match="acts 0 times"):
        replace(first, times=0)


@given(
    size=st.integers(1, 4),
    ticks=st.integers(0, 9),
    every=st.integers(1, 3),
    seed=st.integers(0, 99),
)
def test_cells_that_differ_in_constants_act_as_they_would_alone(size, ticks, every, seed):
    """A chain of cells with a weight each, against the same sums written in NumPy."""
    rng = np.random.default_rng(seed)
    weights, samples = rng.normal(size=size), rng.normal(size=ticks * every + 1)
    cells, wires = [], []
    for k, weight in enumerate(weights):
        cell = ca.Function("cell", [x, s], [weight * x, s + x], ["x_in", "s_in"], ["x", "s"])
        cells.append(hardware.Cell.of(f"c{k}", cell, first=k, every=every, initial={"s": 0.0}))
        wires.append(hardware.Wire(f"c{k}.s", f"c{k}.s_in", every))
        if k:
            wires.append(hardware.Wire(f"c{k - 1}.x", f"c{k}.x_in"))
    array = hardware.ClockedCells("chain", tuple(cells), tuple(wires), {"x": ("c0.x_in",)}, {})
    assert array.violations == ()
    rows = array.registers(x=samples)
    for k, cell in enumerate(cells):
        acted = [t for t in range(len(samples)) if cell.acts(t)]
        heard = samples[[t - k for t in acted]] * np.prod(weights[:k])
        np.testing.assert_allclose(rows[f"c{k}.x"][acted], heard * weights[k], atol=1e-12)
        np.testing.assert_allclose(rows[f"c{k}.s"][acted], np.cumsum(heard), atol=1e-12)
        assert np.isnan(np.delete(rows[f"c{k}.x"], acted)).all()


def test_a_stream_and_a_register_with_several_readers():
    """Vectors too: a broadcast pair is added to itself turned round."""
    pair, other = ca.SX.sym("p", 2), ca.SX.sym("o", 2)
    keep = ca.Function("keep", [pair], [pair], ["p"], ["out"])
    turn = ca.Function("turn", [pair], [ca.vertcat(pair[1], pair[0])], ["p"], ["out"])
    add = ca.Function("add", [pair, other], [pair + other], ["p", "o"], ["out"])
    cells = (
        hardware.Cell.of("keep", keep),
        hardware.Cell.of("turn", turn),
        hardware.Cell.of("add", add, first=1),
        hardware.Cell.of("twice", add, first=1),
    )
    wires = (
        hardware.Wire("keep.out", "add.p"),
        hardware.Wire("turn.out", "add.o"),
        hardware.Wire("keep.out", "twice.p"),
        hardware.Wire("keep.out", "twice.o"),
    )
    array = hardware.ClockedCells(
        "fan", cells, wires, {"p": ("keep.p", "turn.p")}, {"y": "add.out", "z": "twice.out"}
    )
    assert array.violations == ()
    found = array.run(3, p=[[1.0, 2.0], [3.0, 5.0]])
    np.testing.assert_array_equal(found["y"][1:], [[3.0, 3.0], [8.0, 8.0]])
    np.testing.assert_array_equal(found["z"][1:], [[2.0, 4.0], [6.0, 10.0]])
    assert found["y"].shape == (3, 2)


def test_ports_need_one_source():
    array = filter_array([1.0, 2.0])
    loose = replace(array, wires=array.wires[1:])
    assert [v.text for v in loose.violations] == ["tap1.x_in reads nothing: no wire leads to it."]
    double = replace(array, inputs={**array.inputs, "also": ("tap1.x_in",)})
    (violation,) = double.violations
    assert violation.text == (
        "tap1.x_in reads tap0.x and stream also at a time; a port has one source."
    )
    for wrong in (loose, double):
        with pytest.raises(InvalidInput, match=r"tap1\.x_in reads"):
            wrong.run(x=np.ones(3), zero=np.zeros(3), also=np.ones(3))


TAP = filter_array([1.0]).cells[0]


@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        ({"cells": (TAP, TAP)}, InvalidInput, "two cells called 'tap0'"),
        ({"wires": (hardware.Wire("tap0.y", "tap0.y_in", 0),)}, InvalidInput, "takes 0 ticks"),
        ({"wires": (hardware.Wire("tap9.y", "tap0.y_in"),)}, UnknownName, "has no cell 'tap9'"),
        ({"wires": (hardware.Wire("tap0.z", "tap0.y_in"),)}, UnknownName, "has no register 'z'"),
        ({"wires": (hardware.Wire("tap0.y", "tap0.y"),)}, UnknownName, "has no port 'y'"),
        ({"inputs": {"x": ("tap0.x",)}}, UnknownName, "has no port 'x'"),
        ({"inputs": {"x": ()}}, InvalidInput, "stream 'x' is read by nobody"),
        ({"outputs": {"y": "tap0"}}, UnknownName, "has no register ''"),
    ],
)
def test_names_that_are_not_there(change, error, text):
    with pytest.raises(error, match=text):
        replace(filter_array([1.0]), **change)


def test_cells_and_streams_that_do_not_fit():
    with pytest.raises(InvalidInput, match="expected a tick from 0"):
        replace(TAP, every=0)
    with pytest.raises(InvalidInput, match="a dot parts"):
        replace(TAP, name="a.b")
    with pytest.raises(UnknownName, match="has no register 'z'"):
        replace(TAP, initial={"z": 1.0})
    array = filter_array([1.0])
    with pytest.raises(UnknownName, match="has no input 'w'"):
        array.run(w=[1.0])
    with pytest.raises(InvalidInput, match="stream 'zero', which is not given"):
        array.run(x=[1.0])
    with pytest.raises(InvalidInput, match=r"stream 'x' has shape \(2, 2\)"):
        array.run(x=np.ones((2, 2)), zero=[0.0])
    wide = ca.SX.sym("wide", 2)
    cell = hardware.Cell.of("wide", ca.Function("f", [wide], [wide[0]], ["in_"], ["out"]))
    with pytest.raises(InvalidInput, match=r"and wide\.in_, which reads it"):
        hardware.ClockedCells("odd", (cell,), (hardware.Wire("wide.out", "wide.in_"),), {}, {})
