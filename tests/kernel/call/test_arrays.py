"""What goes through the door: shapes, broadcasting, layouts, out=, and clear refusals."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from phalanx.base.errors import InvalidInput
from phalanx.kernel import compile
from phalanx.kernel.call import arrays
from phalanx.kernel.graph.graph import Port


@pytest.fixture(scope="module")
def function() -> ca.Function:
    x, y = ca.SX.sym("x", 3), ca.SX.sym("y", 2, 3)
    return ca.Function("f", [x, y], [y @ x, ca.dot(x, x)], ["x", "y"], ["z", "e"])


@pytest.fixture
def kernel(function):
    return compile(function, shapes={"e": ()})


def reference(x, y):
    return np.einsum("...ij,...j->...i", y, x), np.einsum("...i,...i->...", x, x)


def check(kernel, x, y):
    z, e = kernel(x, y)
    batch = np.broadcast_shapes(x.shape[:-1], y.shape[:-2])
    wanted_z, wanted_e = reference(x, y)
    assert z.shape == (*batch, 2) and e.shape == batch
    assert np.allclose(z, wanted_z, rtol=1e-14, atol=1e-14)
    assert np.allclose(e, np.broadcast_to(wanted_e, batch), rtol=1e-14)


@pytest.mark.parametrize(
    ("x_batch", "y_batch"),
    [
        ((), ()),
        ((10,), (10,)),
        ((), (10,)),
        ((10,), ()),
        ((1,), (10,)),
        ((5, 1), (7,)),
        ((5, 7), (7,)),
        ((5, 7), (5, 1)),
        ((2, 3, 4), (2, 3, 4)),
        ((2, 3, 4), (3, 1)),
        ((0,), ()),
        ((4, 0), (4, 1)),
        ((1, 1), (1,)),
    ],
)
def test_broadcasting(kernel, x_batch, y_batch):
    rng = np.random.default_rng(0)
    check(kernel, rng.standard_normal((*x_batch, 3)), rng.standard_normal((*y_batch, 2, 3)))


LAYOUTS = {
    "reversed batch": lambda a: a[::-1],
    "every second": lambda a: a[::2],
    "reversed elements": lambda a: a[..., ::-1],
    "Fortran order": np.asfortranarray,
    "slice of a wider array": lambda a: np.concatenate([a, a], axis=-1)[..., : a.shape[-1]],
    "read-only": lambda a: np.broadcast_to(a, a.shape),
    "stride 0": lambda a: np.broadcast_to(a[3], a.shape),
    "big-endian": lambda a: a.astype(">f8"),
    "single precision": lambda a: a.astype(np.float32).astype(np.float64).astype(np.float32),
    "integers": lambda a: (10 * a).astype(np.int32),
    "subclass": lambda a: a.view(np.ma.MaskedArray),
    "misaligned": lambda a: _misaligned(a),
}


def _misaligned(a: np.ndarray) -> np.ndarray:
    raw = np.empty(a.nbytes + 1, np.uint8)[1:]
    view = raw.view(a.dtype).reshape(a.shape)
    view[...] = a
    assert not view.flags.aligned
    return view


@pytest.mark.parametrize("layout", LAYOUTS)
def test_any_layout_is_correct(kernel, layout):
    rng = np.random.default_rng(1)
    x = LAYOUTS[layout](rng.standard_normal((12, 3)))
    y = LAYOUTS[layout](rng.standard_normal((12, 2, 3)))
    z, e = kernel(x, y)
    wanted = reference(np.asarray(x, np.float64), np.asarray(y, np.float64))
    assert np.allclose(z, wanted[0], rtol=1e-13, atol=1e-13)
    assert np.allclose(e, wanted[1], rtol=1e-13)


PORT = Port("x", 3, 1, (3,))


@pytest.mark.parametrize(
    ("array", "batch"),
    [
        (np.zeros((10, 3)), (10,)),
        (np.zeros((4, 5, 3)), (4, 5)),
        (np.zeros((3, 10)).T, (10,)),
        (np.zeros(3), (10,)),
        (np.zeros((1, 3)), (4, 10)),
        (np.zeros((20, 6))[::2, :3], (10,)),
    ],
)
def test_common_layouts_are_not_copied(array, batch):
    described = arrays.strided_input(PORT, array, batch)
    assert described.array is array
    assert described.record[0] == array.ctypes.data


def test_lists_and_integers_are_converted(kernel):
    z, e = kernel([1, 2, 3], [[1, 0, 0], [0, 1, 1]])
    assert z.tolist() == [1, 5] and float(e) == 14


def test_names_may_be_used(kernel):
    x, y = np.ones(3), np.ones((2, 3))
    assert kernel(y=y, x=x).z.tolist() == kernel(x, y=y).z.tolist() == [3, 3]


@pytest.mark.parametrize(
    ("args", "keywords", "message"),
    [
        ((np.zeros(3),), {}, "is missing y; it takes \\(x \\(3,\\), y \\(2, 3\\)\\)"),
        ((np.zeros(3),) * 3, {}, "got 3 arguments"),
        ((np.zeros(3), np.zeros((2, 3))), {"w": 1}, "has no input 'w'"),
        ((np.zeros(3), np.zeros((2, 3))), {"x": 1}, "got 'x' twice"),
        ((np.zeros(4), np.zeros((2, 3))), {}, "'x' of f has shape \\(4,\\); expected \\(..., 3\\)"),
        ((np.zeros(3), np.zeros((3, 2))), {}, "'y' of f has shape \\(3, 2\\)"),
        ((1.0, np.zeros((2, 3))), {}, "'x' of f has shape \\(\\)"),
        ((np.zeros(3, complex), np.zeros((2, 3))), {}, "'x' of f has dtype complex128"),
        ((["a", "b", "c"], np.zeros((2, 3))), {}, "'x' of f has dtype <U1"),
        (([None, 1, 2], np.zeros((2, 3))), {}, "'x' of f has dtype object"),
        (([[1, 2], [3]], np.zeros((2, 3))), {}, "'x' of f is not an array of numbers"),
        ((np.zeros((4, 3)), np.zeros((5, 2, 3))), {}, "do not broadcast together: x \\(4,\\), y"),
    ],
)
def test_refusals_say_what_came_and_what_was_expected(kernel, args, keywords, message):
    with pytest.raises(InvalidInput, match=message):
        kernel(*args, **keywords)


def test_out_is_filled_and_returned(kernel):
    x, y = np.random.default_rng(2).standard_normal((2, 9, 2, 3))
    z, e = np.empty((9, 2)), np.empty(9)
    result = kernel(x[:, 0], y, out=(z, e))
    assert result.z is z and result.e is e
    assert np.allclose(z, reference(x[:, 0], y)[0], rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize(
    ("out", "message"),
    [
        (np.empty((9, 2)), "has 1 arrays; expected 2: z, e"),
        ((np.empty((9, 3)), np.empty(9)), "'z' of f has shape \\(9, 3\\); expected \\(9, 2\\)"),
        ((np.empty((9, 2), np.float32), np.empty(9)), "has dtype float32; expected float64"),
        ((np.broadcast_to(np.empty((9, 2)), (9, 2)), np.empty(9)), "is read-only"),
        (([[0, 0]] * 9, np.empty(9)), "is a list; expected a NumPy array"),
    ],
)
def test_unusable_out(kernel, out, message):
    with pytest.raises(InvalidInput, match=message):
        kernel(np.zeros((9, 3)), np.zeros((9, 2, 3)), out=out)


@pytest.fixture
def turn():
    """Reverses and scales, so that writing too early shows."""
    x = ca.SX.sym("x", 4)
    return compile(ca.Function("turn", [x], [2 * x[::-1]], ["x"], ["y"]))


@pytest.mark.parametrize("shape", [(4,), (1, 4), (7, 4), (100, 4), (5, 20, 4)])
def test_out_may_be_the_input(turn, shape):
    x = np.random.default_rng(3).standard_normal(shape)
    expected = 2 * x[..., ::-1]
    result = turn(x, out=x)
    assert result is x and np.array_equal(x, expected)


@pytest.mark.parametrize("shift", [-3, -1, 1, 5])
def test_out_may_overlap_the_input(turn, shift):
    memory = np.random.default_rng(4).standard_normal(4 * 50 + 10)
    x = memory[5 : 5 + 200].reshape(50, 4)
    out = memory[5 + shift : 5 + shift + 200].reshape(50, 4)
    expected = 2 * x[:, ::-1]
    turn(x, out=out)
    assert np.array_equal(out, expected)


@pytest.mark.parametrize("layout", ["strided", "Fortran", "reversed", "3-D view", "misaligned"])
def test_out_in_any_layout(turn, layout):
    x = np.random.default_rng(5).standard_normal((6, 2, 4))
    out = {
        "strided": lambda: np.zeros((6, 2, 8))[..., ::2],
        "Fortran": lambda: np.zeros((6, 2, 4), order="F"),
        "reversed": lambda: np.zeros((6, 2, 4))[::-1],
        "3-D view": lambda: np.zeros((6, 3, 4))[:, :2],
        "misaligned": lambda: _misaligned(np.zeros((6, 2, 4))),
    }[layout]()
    assert turn(x, out=out) is out
    assert np.array_equal(out, 2 * x[..., ::-1])


def test_out_that_repeats_its_memory_holds_the_last_sample(turn):
    x = np.random.default_rng(6).standard_normal((50, 4))
    out = np.lib.stride_tricks.as_strided(np.zeros(4), (50, 4), (0, 8), writeable=True)
    turn(x, out=out)
    assert np.array_equal(out[0], 2 * x[-1, ::-1])
    # threads must not race for that memory
    assert arrays.strided_output(turn.outputs[0], out, (50,), []).array is not out


def test_two_outputs_in_one_array_do_not_mix():
    x = ca.SX.sym("x", 2)
    kernel = compile(ca.Function("f", [x], [x + 1, x + 2], ["x"], ["a", "b"]))
    memory = np.zeros((10, 2))
    kernel(np.zeros((5, 2)), out=(memory[::2], memory[1::2]))
    assert memory[::2].tolist() == [[1, 1]] * 5 and memory[1::2].tolist() == [[2, 2]] * 5


def test_matrices_are_row_major_and_sparse_ones_are_filled():
    y = ca.SX.sym("y", 2, 3)
    diagonal = ca.SX(ca.Sparsity.diag(3))
    diagonal[0, 0], diagonal[1, 1], diagonal[2, 2] = y[0, 2], y[1, 0], 4
    f = ca.Function("f", [y], [diagonal, y.T], ["y"], ["d", "t"])
    given = np.arange(6.0).reshape(2, 3)
    d, t = compile(f)(given)
    assert d.tolist() == [[2, 0, 0], [0, 3, 0], [0, 0, 4]]
    assert np.array_equal(t, given.T)


def test_structural_zeros_of_an_input_are_ignored():
    lower = ca.SX.sym("l", ca.Sparsity.lower(2))
    f = ca.Function("f", [lower], [ca.sum1(ca.sum2(lower))], ["l"], ["s"])
    assert float(compile(f)([[1.0, np.nan], [2.0, 4.0]])[0]) == 7


def test_shapes_rename_the_trailing_axes():
    x = ca.SX.sym("x", 4, 8)
    f = ca.Function("f", [x], [x, ca.sum1(ca.sum2(x))], ["x"], ["y", "s"])
    kernel = compile(f, shapes={"y": (2, 4, 4), "s": (1, 1)})
    given = np.arange(64.0).reshape(2, 4, 8)
    y, s = kernel(given)
    assert np.array_equal(y, given.reshape(2, 2, 4, 4)) and s.shape == (2, 1, 1)
