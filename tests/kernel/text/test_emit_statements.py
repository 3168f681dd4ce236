"""Code with names: readable, without waste, and equal to the interpreter to the last bit."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assignments
from phalanx.base.errors import InvalidInput
from phalanx.kernel import export_c
from phalanx.kernel.graph.named_graph import named_graph
from phalanx.kernel.graph.passes.simplify import simplify
from phalanx.kernel.graph.read_casadi import read_casadi
from phalanx.kernel.text.emit_c import emit_named_c
from phalanx.kernel.text.emit_fortran import emit_fortran


def named(inputs: list[ca.SX], result: ca.SX, **values: ca.SX) -> ca.Function:
    """A function with one result and some intermediates."""
    names = [x.name() if x.is_scalar() else str(x[0]).rsplit("_", 1)[0] for x in inputs]
    return ca.Function("f", inputs, [result, *values.values()], names, ["y", *values])


def source(function: ca.Function) -> str:
    graph = simplify(read_casadi(function))
    return emit_named_c(named_graph(graph, function.name_out()[1:]))


def body(function: ca.Function) -> list[str]:
    text = source(function)
    lines = text[text.index("{") + 1 : text.rindex("}")].split(";")
    return [line.strip().removeprefix("const double ") for line in lines if line.strip()]


X = ca.SX.sym("x", 4)
A, B, C, D = (X[k] for k in range(4))


def test_named_and_shared_values_have_statements_others_stand_in_line():
    shared = A * B
    f = named([X], ca.vertcat(ca.sin(C + D) * shared, (shared + C) * D), sum=C + D)
    assert body(f) == [
        "sum = x[2] + x[3]",
        "P1 = x[0]*x[1]",
        "y[0] = sin(sum)*P1",
        "y[1] = x[3]*(x[2] + P1)",
    ]


def test_a_sign_stays_with_the_name():
    """RSX = -(a + b) keeps its meaning although the graph holds the sum and moves the sign."""
    f = named([X], C - A * (-(B + D)), RSX=-(B + D))
    assert body(f) == ["RSX = -(x[1] + x[3])", "y[0] = x[2] - x[0]*RSX"]


def test_a_difference_is_turned_round_instead_of_negated():
    f = named([X], -(A - B) * C, w=-(A - B))
    assert body(f)[0] == "w = x[1] - x[0]"


def test_names_for_what_costs_nothing_are_not_used():
    f = named([X], A * B + 3, input=A, negative=-B, constant=ca.SX(3), unread=C * D, again=A * B)
    assert body(f) == ["again = x[0]*x[1]", "y[0] = again + 3.0"]


def test_parentheses_keep_the_rounding():
    f = named([X], ca.vertcat(A + (B + C), A - (B + C), A * (B * C), A / (B * C), (A / B) * C))
    x = np.array([0.1, 0.2, 0.3, 0.7])
    value = assignments.run(assignments.read_c(source(f)), {"x": x, "y": [0.0] * 5})["y"]
    assert value == np.array(f(x)).ravel().tolist()


def test_results_may_be_inputs_constants_and_negatives():
    f = named([X], ca.vertcat(A, -A, -2, 0, A))
    assert [line.split(" = ")[1] for line in body(f)] == ["x[0]", "-x[0]", "-2.0", "0.0", "x[0]"]


def test_long_expressions_are_cut():
    x = ca.SX.sym("x", 400)
    f = ca.Function("f", [x], [ca.sum1(x), ca.sumsqr(x)], ["x"], ["y", "z"])
    text = emit_named_c(named_graph(simplify(read_casadi(f)), []))
    assert max(map(len, text.splitlines())) <= 100 + 1
    values = np.random.default_rng(0).standard_normal(400)
    out = assignments.run(assignments.read_c(text), {"x": values, "y": [0.0], "z": [0.0]})
    assert out["y"] + out["z"] == [float(v) for v in f(values)]


@st.composite
def programs(draw: st.DrawFn) -> ca.Function:
    """Sums, differences, products and negations of earlier values, some of them named."""
    values = [A, B, C, D, ca.SX(0.5), ca.SX(-3.25)]
    for _ in range(draw(st.integers(1, 25))):
        a, b = (values[draw(st.integers(0, len(values) - 1))] for _ in range(2))
        values.append(draw(st.sampled_from([a + b, a - b, a * b, -a, b - a])))
    picked = draw(st.lists(st.integers(6, len(values) - 1), max_size=8, unique=True))
    return named([X], ca.vertcat(*values[-4:]), **{f"v{k}": values[k] for k in picked})


@given(programs())
def test_any_program_equals_the_interpreter_and_wastes_nothing(f):
    x = np.array([0.1, -0.7, 1.3, 0.9])
    graph = simplify(read_casadi(f))
    expected = [float(v) for v in np.array(f(x)[0] if f.n_out() > 1 else f(x)).ravel()]
    named = named_graph(graph, f.name_out()[1:])
    for text, read in (
        (emit_named_c(named), assignments.read_c),
        (emit_fortran(named), assignments.read_fortran),
    ):
        statements = read(text)
        y = assignments.run(statements, {"x": x.tolist(), "y": [0.0] * 4})["y"]
        np.testing.assert_allclose(y, expected, rtol=1e-13, atol=1e-13)
        assert assignments.flaws(statements) == []


def test_values_of_names_are_those_of_the_function():
    f = named([X], (A - B) * (C + D) - (B - A), p=A - B, m=-(C + D), q=(A - B) * (C + D))
    x = [0.1, -0.7, 1.3, 0.9]
    scope = assignments.run(assignments.read_c(source(f)), {"x": x, "y": [0.0]})
    for name, value in zip(f.name_out()[1:], f(x)[1:], strict=True):
        assert scope[name] == pytest.approx(float(value), rel=1e-15)


def test_an_intermediate_must_be_one_number(tmp_path):
    f = ca.Function("f", [X], [A, X], ["x"], ["y", "all"])
    for wrong in ("all", "none"):
        with pytest.raises(InvalidInput, match=f"'{wrong}' is not an output of one number of 'f'"):
            export_c(f, tmp_path / "f.c", intermediates=[wrong])
    g = ca.Function("g", [X], [A], ["x"], ["y"])
    with pytest.raises(InvalidInput, match="what is its result"):
        export_c(g, tmp_path / "g.c", intermediates=["y"])
