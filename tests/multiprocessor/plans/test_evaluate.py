"""Simulated processors compute what CasADi computes, operation by operation."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from phalanx.base.errors import InvalidInput
from phalanx.kernel.graph.graph import BINARY, UNARY
from phalanx.kernel.graph.read_casadi import read_casadi
from phalanx.multiprocessor import SharedMemory, highest_level_first, task_graph
from phalanx.multiprocessor.plans.evaluate import ARITHMETIC

SAMPLES = (-2.5, -1.0, -0.75, -0.0, 0.0, 0.3, 0.5, 1.0, 1.5, 2.0, 3.7)
ONE = {
    "neg": lambda a: -a,
    "sqrt": ca.sqrt,
    "sin": ca.sin,
    "cos": ca.cos,
    "tan": ca.tan,
    "asin": ca.asin,
    "acos": ca.acos,
    "atan": ca.atan,
    "sinh": ca.sinh,
    "cosh": ca.cosh,
    "tanh": ca.tanh,
    "asinh": ca.asinh,
    "acosh": ca.acosh,
    "atanh": ca.atanh,
    "exp": ca.exp,
    "expm1": ca.expm1,
    "log": ca.log,
    "log1p": ca.log1p,
    "fabs": ca.fabs,
    "sign": ca.sign,
    "floor": ca.floor,
    "ceil": ca.ceil,
    "erf": ca.erf,
    "not": ca.logic_not,
}
TWO = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "pow": ca.power,
    "atan2": ca.atan2,
    "fmod": ca.fmod,
    "remainder": ca.remainder,
    "fmin": ca.fmin,
    "fmax": ca.fmax,
    "copysign": ca.copysign,
    "hypot": ca.hypot,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "and": ca.logic_and,
    "or": ca.logic_or,
    "if_else_zero": lambda a, b: ca.if_else(a, b, 0),
}


def agrees(op: str, function: ca.Function, *arguments: float) -> None:
    assert op in {node.op for node in read_casadi(function).nodes}
    expected = float(function(*arguments))
    with np.errstate(all="ignore"):
        found = float(ARITHMETIC[op](*(np.float64(a) for a in arguments)))
    # libm and NumPy may differ in the last bits of elementary functions
    np.testing.assert_allclose(found, expected, rtol=4e-15, atol=0, err_msg=f"{op}{arguments}")


@pytest.mark.parametrize("op", ONE)
def test_operations_of_one_number(op):
    a = ca.SX.sym("a")
    function = ca.Function("f", [a], [ONE[op](a)])
    for sample in SAMPLES:
        agrees(op, function, sample)


@pytest.mark.parametrize("op", TWO)
def test_operations_of_two_numbers(op):
    a, b = ca.SX.sym("a"), ca.SX.sym("b")
    function = ca.Function("f", [a, b], [TWO[op](a, b)])
    for one in SAMPLES:
        for other in SAMPLES:
            agrees(op, function, one, other)


def test_every_operation_of_a_program_is_known():
    """Pairs of sine and cosine and fused operations come later, in compiled kernels only."""
    assert set(ARITHMETIC) == (UNARY | BINARY) - {"sincos", "sin_of", "cos_of"}
    assert set(ARITHMETIC) == set(ONE) | set(TWO)


def plan():
    q, k = ca.SX.sym("q", 2), ca.SX.sym("k", 2, 3)
    outputs = [ca.mtimes(k.T, q), q[0] / q[1]]
    function = ca.Function("f", [q, k], outputs, ["q", "k"], ["y", "z"])
    return function, highest_level_first(task_graph(function), SharedMemory(2))


def test_several_outputs_and_matrices_in_row_major_order():
    function, schedule = plan()
    q, k = np.array([2.0, -3.0]), np.arange(6.0).reshape(2, 3)
    y, z = schedule.execute(q, k)
    expected = [np.array(value) for value in function(q, k)]
    np.testing.assert_allclose(y, expected[0].ravel(), rtol=1e-15)
    np.testing.assert_allclose(z.ravel(), expected[1].ravel(), rtol=1e-15)


def test_division_by_zero_is_a_number_and_no_warning():
    _, schedule = plan()
    assert np.isinf(schedule.execute([1.0, 0.0], np.ones((2, 3)))[1])


def test_inputs_that_do_not_fit_are_named():
    _, schedule = plan()
    with pytest.raises(InvalidInput, match="takes q, k; got 1 arrays"):
        schedule.execute([1.0, 2.0])
    with pytest.raises(InvalidInput, match=r"'q' of 'f' has shape \(2,\), got \(3,\)"):
        schedule.execute([1.0, 2.0, 3.0], np.ones((2, 3)))
