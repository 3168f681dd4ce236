"""A kernel equals CasADi, and its results do not depend on how they are computed."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from phalanx.base.errors import CompileError, InvalidInput
from phalanx.kernel import compile, host_target

from .samples import by_casadi, two_link_arm

BATCHES = [1, 2, 3, 4, 5, 7, 8, 9, 31, 33, 1000]
# rounding in sums of terms up to about 50
TOLERANCE = {"float64": 1e-13, "float32": 5e-5}


@pytest.fixture(scope="module")
def states() -> np.ndarray:
    return np.random.default_rng(0).standard_normal((3, 1000, 2))


@pytest.fixture(scope="module")
def expected(states) -> np.ndarray:
    return by_casadi(two_link_arm(), *states)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("threads", [1, 2])
def test_every_batch_and_width_agree(width, dtype, threads, states, expected, monkeypatch):
    monkeypatch.setattr("phalanx.kernel.call.threads._WORK_WORTH_A_THREAD", 500)
    states = states.astype(dtype)
    kernel = compile(two_link_arm(), dtype=dtype, target=width, threads=threads)
    reference = compile(two_link_arm(), dtype=dtype, threads=1)(*states)
    assert np.abs(reference - expected).max() < TOLERANCE[dtype]
    for batch in BATCHES:
        result = kernel(*states[:, :batch])
        assert result.dtype == dtype and result.shape == (batch, 2)
        assert np.array_equal(result, reference[:batch])
    # the same samples at other places of a block
    assert np.array_equal(kernel(*states[:, 5:38]), reference[5:38])


def test_one_state_equals_the_batch(width, states):
    kernel = compile(two_link_arm(), target=width)
    batch = kernel(*states)
    for i in range(20):
        assert np.array_equal(kernel(*states[:, i]), batch[i])
        assert np.array_equal(kernel.call(*(s.copy() for s in states[:, i])), batch[i])


def test_struct_of_arrays_equals_natural(width, states):
    kernel = compile(two_link_arm(), target=width)
    transposed = [np.ascontiguousarray(s.T).T for s in states]
    out = np.empty((2, 1000)).T
    assert np.array_equal(kernel(*transposed, out=out), kernel(*states))


_UNARY = [ca.sin, ca.cos, ca.tanh, ca.fabs, ca.floor, lambda x: -x, lambda x: ca.sqrt(1 + x * x)]
_BINARY = [
    lambda x, y: x + y,
    lambda x, y: x - y,
    lambda x, y: x * y,
    lambda x, y: x / (1 + y * y),
    ca.fmin,
    ca.fmax,
    lambda x, y: ca.if_else(x < y, x, y * 0.5),
    ca.atan2,
]


@st.composite
def expressions(draw) -> ca.Function:
    x = ca.SX.sym("x", 3)
    values = [x[0], x[1], x[2], ca.SX(draw(st.sampled_from([0.0, 1.0, -1.0, 2.0, 0.25, -3.5])))]
    for _ in range(draw(st.integers(1, 25))):
        pick = st.integers(0, len(values) - 1)
        if draw(st.booleans()):
            operation = draw(st.sampled_from(_BINARY))
            values.append(operation(values[draw(pick)], values[draw(pick)]))
        else:
            values.append(draw(st.sampled_from(_UNARY))(values[draw(pick)]))
    return ca.Function("f", [x], [ca.vertcat(*values[-3:])], ["x"], ["y"])


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(function=expressions(), seed=st.integers(0, 2**32 - 1))
def test_random_expressions(function, seed):
    x = np.random.default_rng(seed).uniform(-2, 2, (9, 3))
    got = compile(function, cache=False)(x)
    expected = by_casadi(function, x)
    # a step (floor, comparison) may fall the other way after another rounding: compare where a
    # small change of the input changes little
    nearby = by_casadi(function, x * (1 + 1e-12))
    change = np.abs(nearby - expected)
    smooth = change < 1e-6 * (1 + np.abs(expected))
    error = np.abs(got - expected)
    assert (error[smooth] <= 1e-13 * (1 + np.abs(expected[smooth])) + 100 * change[smooth]).all()


def test_mx_functions_expand():
    x = ca.MX.sym("x", 2)
    f = ca.Function("f", [x], [ca.mtimes(ca.DM([[1, 2], [3, 4]]), ca.sin(x))], ["x"], ["y"])
    assert np.allclose(compile(f)([0.3, 0.4]), np.array(f([0.3, 0.4])).ravel(), rtol=1e-15)


def test_what_cannot_expand_says_so():
    x = ca.MX.sym("x", 2, 2)
    inner = ca.rootfinder("r", "newton", {"x": (s := ca.MX.sym("s")), "g": s * s - 2})
    f = ca.Function("solver", [x], [inner(x0=x[0, 0])["x"]])
    with pytest.raises(CompileError, match=r"'solver' (uses OP_CALL|cannot be expanded)"):
        compile(f)


def test_only_functions_compile():
    with pytest.raises(CompileError, match="takes a casadi"):
        compile(ca.SX.sym("x"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dtype": "int32"}, "dtype int32"),
        ({"dtype": ">f8"}, "dtype >f8"),
        ({"threads": 0}, "threads=0"),
        ({"shapes": {"z": (2,)}}, "names z"),
        ({"shapes": {"q": (3,)}}, "shape \\(3,\\) of 'q'"),
    ],
)
def test_unusable_options(options, message):
    with pytest.raises(InvalidInput, match=message):
        compile(two_link_arm(), **options)


def test_repr_shows_the_signature():
    shown = repr(compile(two_link_arm()))
    assert shown.startswith("Kernel arm(q (2,), v (2,), a (2,)) -> tau (2,), float64, ")
    assert host_target().name in shown


def test_functions_without_inputs_and_constant_outputs():
    f = ca.Function("f", [], [ca.SX(ca.DM([[1, 0], [2, 3]]))], [], ["c"])
    assert compile(f)().tolist() == [[1, 0], [2, 3]]
    x = ca.SX.sym("x", 2)
    g = ca.Function("g", [x], [x, ca.SX(5), ca.sin(x[0])], ["x"], ["same", "five", "sine"])
    result = compile(g)([[1.0, 2.0], [3.0, 4.0]])
    assert result.same.tolist() == [[1, 2], [3, 4]]
    assert result.five.tolist() == [[5], [5]]
    assert np.allclose(result.sine[:, 0], np.sin([1, 3]), atol=1e-16, rtol=1e-15)


def test_splitting_and_long_builds_are_logged(monkeypatch, caplog):
    monkeypatch.setattr("phalanx.kernel.build._LARGEST_PIECE", 10)
    monkeypatch.setattr("phalanx.kernel.build._LARGEST_WHOLE", 10)
    monkeypatch.setattr("phalanx.kernel.build._SLOW_BUILD", 0.0)
    with caplog.at_level("INFO", logger="phalanx.kernel"):
        kernel = compile(two_link_arm(), cache=False)
    assert f"arm: {kernel.operations.total} operations in" in caplog.text
    assert "arm: compiled" in caplog.text
