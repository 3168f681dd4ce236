"""Every operation against CasADi's interpreter, and the accuracy of sine and cosine."""

from __future__ import annotations

import math

import casadi as ca
import numpy as np
import pytest

from kernel.samples import widths
from phalanx.base.errors import CompileError
from phalanx.kernel import compile, host_target

SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, np.inf, -np.inf, np.nan])
ORDINARY = np.concatenate([np.linspace(-3.2, 3.3, 41), [1e-9, -1e-9, 40.0, -40.0]])
NUMBERS = np.concatenate([SPECIAL, ORDINARY])

UNARY = {
    "neg": lambda x: -x,
    "sq": lambda x: x**2,
    "twice": lambda x: 2 * x,
    "inv": lambda x: 1 / x,
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
    "log": ca.log,
    "expm1": ca.expm1,
    "log1p": ca.log1p,
    "fabs": ca.fabs,
    "sign": ca.sign,
    "floor": ca.floor,
    "ceil": ca.ceil,
    "erf": ca.erf,
    "not": ca.logic_not,
    "power 3": lambda x: x**3,
    "power 2.5": lambda x: x**2.5,
    "power -1": lambda x: x ** (-1),
}
BINARY = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "pow": lambda x, y: x**y,
    "atan2": ca.atan2,
    "fmod": ca.fmod,
    "remainder": ca.remainder,
    "fmin": ca.fmin,
    "fmax": ca.fmax,
    "copysign": ca.copysign,
    "hypot": ca.hypot,
    "lt": lambda x, y: x < y,
    "le": lambda x, y: x <= y,
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
    "and": ca.logic_and,
    "or": ca.logic_or,
    "if_else_zero": ca.if_else_zero
    if hasattr(ca, "if_else_zero")
    else lambda x, y: ca.if_else(x, y, 0),
    "if_else": lambda x, y: ca.if_else(x < y, x + 1, y * 2),
}

# sine and cosine are ours (1 ulp of 1), the tangent is their quotient; the rest is IEEE or libm
LOOSE = {"sin": 3e-16, "cos": 3e-16, "tan": 0.0}


def function_of(op, arity: int) -> ca.Function:
    args = [ca.SX.sym(name) for name in "xy"[:arity]]
    return ca.Function("f", args, [op(*args)], list("xy"[:arity]), ["z"])


def check(name: str, got: np.ndarray, expected: np.ndarray, eps: float) -> None:
    assert np.array_equal(np.isnan(got), np.isnan(expected)), name
    infinite = np.isinf(expected)
    assert np.array_equal(got[infinite], expected[infinite]), name
    finite = np.isfinite(expected)
    tolerance = 4 * eps * np.abs(expected[finite]) + LOOSE.get(name, 0.0) * eps / 2.2e-16
    assert (np.abs(got[finite] - expected[finite]) <= tolerance).all(), name


@pytest.mark.parametrize("name", UNARY)
def test_unary(name):
    f = function_of(UNARY[name], 1)
    expected = np.array([float(f(x)) for x in NUMBERS])
    check(name, compile(f)(NUMBERS[:, None])[:, 0], expected, 2.2e-16)


@pytest.mark.parametrize("name", BINARY)
def test_binary(name):
    f = function_of(BINARY[name], 2)
    x, y = (a.ravel() for a in np.meshgrid(NUMBERS[::2], NUMBERS[::-3]))
    x, y = np.concatenate([x, SPECIAL]), np.concatenate([y, SPECIAL])
    expected = np.array([float(f(a, b)) for a, b in zip(x, y, strict=True)])
    check(name, compile(f)(x[:, None], y[:, None])[:, 0], expected, 2.2e-16)


@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_single_precision_keeps_single_accuracy(name):
    arity = 1 if name in UNARY else 2
    f = function_of((UNARY | BINARY)[name], arity)
    rng = np.random.default_rng(1)
    args = rng.uniform(0.1, 0.9, (arity, 40)).astype(np.float32)
    expected = np.array([float(f(*(float(a) for a in column))) for column in args.T])
    got = compile(f, dtype="float32")(*args[:, :, None])[:, 0]
    assert got.dtype == np.float32
    assert np.array_equal(np.isnan(got), np.isnan(expected))  # acosh below 1
    # inputs are exact, so only the operation and the rounding of the result count
    there = np.isfinite(expected)
    assert np.allclose(got[there], expected[there], rtol=2e-6, atol=2e-7)


def test_signed_zero_survives():
    f = function_of(lambda x: ca.copysign(1, -x), 1)
    assert compile(f)([[0.0], [-0.0]]).tolist() == [[-1.0], [1.0]]


ANGLES = np.concatenate(
    [
        np.random.default_rng(0).uniform(-10, 10, 2000),
        np.random.default_rng(1).uniform(-1e9, 1e9, 2000),
        # next to multiples of π/2, where the reduction cancels most
        (np.arange(-200, 200) * (math.pi / 2)),
        np.nextafter(np.arange(1, 200) * (math.pi / 2), 0),
        2.0 ** np.arange(-60, 31),
    ]
)


@pytest.mark.parametrize("target", widths(), ids=lambda t: f"{t.vector_bytes}B")
@pytest.mark.parametrize("fma", [True, False])
def test_sine_and_cosine_are_accurate(target, fma):
    x = ca.SX.sym("x")
    f = ca.Function("f", [x], [ca.vertcat(ca.sin(x), ca.cos(x))])
    got = compile(f, target=target if fma else target.without_fma())(ANGLES[:, None])
    # two ulp below 1
    assert np.abs(got[:, 0] - np.sin(ANGLES)).max() < 2.3e-16
    assert np.abs(got[:, 1] - np.cos(ANGLES)).max() < 2.3e-16
    # and relative to the result, which matters where it is small
    assert (np.abs(got[:, 0] - np.sin(ANGLES)) <= 4e-16 * np.abs(np.sin(ANGLES))).all()


def test_sine_in_single_precision():
    x = ca.SX.sym("x")
    f = ca.Function("f", [x], [ca.vertcat(ca.sin(x), ca.cos(x))])
    angles = ANGLES[np.abs(ANGLES) < 1e6].astype(np.float32)
    got = compile(f, dtype="float32")(angles[:, None])
    exact = angles.astype(np.float64)
    assert np.abs(got[:, 0] - np.sin(exact)).max() < 1.3e-7
    assert np.abs(got[:, 1] - np.cos(exact)).max() < 1.3e-7


def test_sine_of_what_is_no_angle_is_nan():
    f = function_of(ca.sin, 1)
    assert np.isnan(compile(f)([[np.inf], [-np.inf], [np.nan], [1e300]])).all()


def test_sine_of_a_computed_angle():
    """Angles that are not inputs are computed in line, by other code than inputs."""
    f = function_of(lambda x: ca.sin(x * x + 1) + ca.cos(x * x + 1) * ca.sin(x), 1)
    x = np.linspace(-3, 3, 33)
    expected = np.sin(x * x + 1) + np.cos(x * x + 1) * np.sin(x)
    assert np.allclose(compile(f)(x[:, None])[:, 0], expected, rtol=0, atol=1e-15)


def test_unknown_operation_is_named():
    f = function_of(ca.erfinv, 1)
    with pytest.raises(CompileError, match="OP_ERFINV"):
        compile(f)


def test_target_without_fma_agrees():
    f = function_of(lambda x, y: ca.sin(x) * y - x * y + 3, 2)
    x, y = np.random.default_rng(2).standard_normal((2, 50, 1))
    plain = compile(f, target=host_target().without_fma())(x, y)
    assert np.allclose(compile(f)(x, y), plain, rtol=1e-15, atol=4e-16)


@pytest.mark.parametrize("name", ["exp", "tanh"])
def test_exponentials_are_accurate(name, width):
    rng = np.random.default_rng(3)
    tiny = 2.0 ** rng.uniform(-1000, 0, 500)
    edges = [709.7, 709.79, -708.3, -708.5, -740.0, -745.1, -745.2, 1e5, -1e5, 0.625, 0.62499]
    x = np.concatenate([rng.uniform(-1, 1, 3000), rng.uniform(-720, 710, 3000), tiny, -tiny, edges])
    f = function_of(UNARY[name], 1)
    got = compile(f, target=width)(x[:, None])[:, 0]
    with np.errstate(over="ignore", under="ignore"):
        expected = getattr(np, name)(x)
    finite = np.isfinite(expected)
    assert np.array_equal(got[~finite], expected[~finite])
    # 3 ulp, and one last digit where numbers are subnormal
    error = np.abs(got[finite] - expected[finite])
    assert (error <= 3 * 2.2e-16 * np.abs(expected[finite]) + 5e-324).all()
