"""The call without the interpreter: same results, same rules, no leaks."""

from __future__ import annotations

import gc
import subprocess
import sys
import tracemalloc
import weakref

import casadi as ca
import numpy as np
import pytest

from kernel.samples import two_link_arm
from phalanx.base.errors import InvalidInput
from phalanx.kernel import compile
from phalanx.kernel.call import direct_call

pytestmark = pytest.mark.skipif(not direct_call.available(), reason="not this interpreter")


@pytest.fixture
def kernel():
    return compile(two_link_arm())


@pytest.fixture
def general_calls(monkeypatch):
    """Counts how often the general call is used."""
    from phalanx.kernel.call.general_call import GeneralCall

    calls = []
    original = GeneralCall.__call__

    def counted(self, *args, **keywords):
        calls.append(len(args))
        return original(self, *args, **keywords)

    monkeypatch.setattr(GeneralCall, "__call__", counted)
    return calls


def state(*shape):
    return list(np.random.default_rng(0).standard_normal((3, *shape, 2)))


def test_usual_calls_are_direct(kernel, general_calls):
    kernel.call(*state())
    kernel(*state())
    kernel.call(*state(1))
    kernel.call(*state(64))
    kernel.call(state()[0], *state(64)[1:])
    kernel.call(*state(), out=np.empty(2))
    kernel.call(*state(5), out=np.empty((5, 2)))
    assert general_calls == []


class Subclass(np.ndarray):
    pass


UNUSUAL = {
    "list": lambda a: a.tolist(),
    "subclass": lambda a: a.view(Subclass),
    "strided": lambda a: np.repeat(a, 2)[::2],
    "single precision": lambda a: a.astype(np.float32),
    "big-endian": lambda a: a.astype(">f8"),
    "misaligned": lambda a: np.frombuffer(b"x" + a.tobytes(), offset=1),
    "two batch axes": lambda a: np.tile(a, (2, 3, 1)),
    "empty": lambda a: np.empty((0, 2)),
}


@pytest.mark.parametrize("kind", UNUSUAL)
def test_unusual_arguments_take_the_general_way(kernel, general_calls, kind):
    q, v, a = state()
    expected = kernel.call(q, v, a)
    for position in range(3):
        args = [q, v, a]
        args[position] = UNUSUAL[kind](args[position])
        general_calls.clear()
        result = kernel.call(*args)
        assert general_calls == [3]
        tolerance = 1e-6 if kind == "single precision" else 0
        assert result.shape[-1] == 2
        assert (np.abs(result - expected) <= tolerance * 10).all()


def test_read_only_inputs_are_fine(kernel):
    q, v, a = state()
    for x in (q, v, a):
        x.flags.writeable = False
    assert np.array_equal(kernel.call(q, v, a), kernel.call(*state()))


def test_errors_come_through(kernel):
    q, v, a = state()
    with pytest.raises(InvalidInput, match="is missing a"):
        kernel.call(q, v)
    with pytest.raises(InvalidInput, match="got 4 arguments"):
        kernel.call(q, v, a, a)
    with pytest.raises(InvalidInput, match="'v' of arm has shape \\(3,\\)"):
        kernel.call(q, np.zeros(3), a)
    with pytest.raises(InvalidInput, match="has no input 'w'"):
        kernel.call(q, v, a, w=1)
    with pytest.raises(InvalidInput, match="do not broadcast"):
        kernel.call(np.zeros((4, 2)), np.zeros((5, 2)), a)
    with pytest.raises(InvalidInput, match="dtype object"):
        kernel.call(None, v, a)
    with pytest.raises(InvalidInput, match="read-only"):
        out = np.empty(2)
        out.flags.writeable = False
        kernel.call(q, v, a, out=out)
    with pytest.raises(InvalidInput, match="shape \\(3,\\); expected \\(2,\\)"):
        kernel.call(q, v, a, out=np.empty(3))
    with pytest.raises(InvalidInput, match="shape \\(2,\\); expected \\(4, 2\\)"):
        kernel.call(np.zeros((4, 2)), v, a, out=np.empty(2))


def test_out_none_means_a_new_array(kernel):
    assert np.array_equal(kernel.call(*state(), out=None), kernel.call(*state()))


def test_references_are_balanced(kernel):
    q, v, a = state()
    out = np.empty(2)
    dtype = np.dtype("float64")

    def counts():
        return [sys.getrefcount(x) for x in (q, v, a, out, dtype, np.ndarray)]

    before = counts()
    assert sys.getrefcount(kernel.call(q, v, a)) == sys.getrefcount(np.empty(2))
    for _ in range(1000):
        kernel.call(q, v, a)
        assert kernel.call(q, v, a, out=out) is out
        with pytest.raises(InvalidInput):
            kernel.call(q, v)
    after = counts()
    assert all(abs(x - y) < 5 for x, y in zip(before, after, strict=True))


def test_several_outputs_leak_nothing():
    x = ca.SX.sym("x", 2)
    f = ca.Function("f", [x], [x + 1, ca.dot(x, x), 3 * x], ["x"], ["a", "b", "c"])
    call = compile(f, shapes={"b": ()}).call
    given = np.array([1.0, 2.0])
    result = call(given)
    assert result._fields == ("a", "b", "c")
    assert result.a.tolist() == [2, 3] and float(result.b) == 5 and result.c.tolist() == [3, 6]
    like = (np.empty(2), np.empty(()), np.empty(2))
    assert [sys.getrefcount(x) for x in result] == [sys.getrefcount(x) for x in like]
    batch = call(np.array([[1.0, 2.0], [0.0, 1.0]]))
    assert batch.b.tolist() == [5, 1] and batch.c.shape == (2, 2)
    for _ in range(100):
        call(given)
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(5000):
        call(given)
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown < 5000


def test_scalars_have_no_axes():
    x, y = ca.SX.sym("x"), ca.SX.sym("y")
    f = ca.Function("f", [x, y], [x * y], ["x", "y"], ["z"])
    kernel = compile(f, shapes={"x": (), "y": (), "z": ()})
    two, three = np.array(2.0), np.array(3.0)
    assert kernel.call(two, three).shape == () and float(kernel.call(two, three)) == 6
    out = np.empty(())
    assert kernel.call(two, three, out=out) is out and float(out) == 6
    assert kernel.call(np.arange(4.0), three).tolist() == [0, 3, 6, 9]
    assert float(kernel(2, 3.0)) == 6


def test_the_call_outlives_its_kernel():
    kernel = compile(two_link_arm())
    call, q = kernel.call, state()
    expected = kernel(*q)
    watch = weakref.ref(kernel)
    del kernel
    gc.collect()
    assert watch() is None
    assert np.array_equal(call(*q), expected)
    assert np.array_equal(call(*(x.tolist() for x in q)), expected)


def test_kernels_are_freed():
    code = """
import weakref, numpy as np, casadi as ca, phalanx.kernel as k
x = ca.SX.sym("x", 2)
for i in range(30):
    kernel = k.compile(ca.Function("f", [x], [x * i], ["x"], ["y"]), cache=False)
    assert kernel.call(np.ones(2)).tolist() == [i, i]
    general = kernel.call.__self__
    watch = weakref.ref(general)
    del general, kernel
    assert watch() is None, "kept alive"
"""
    subprocess.run([sys.executable, "-c", code], check=True)
