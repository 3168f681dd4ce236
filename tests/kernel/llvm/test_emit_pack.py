"""Every size, layout and direction of the moves between arrays and scratch rows."""

from __future__ import annotations

import itertools

import casadi as ca
import numpy as np
import pytest

from phalanx.kernel import compile

GUARD = 12345.0
LAYOUTS = {
    # (samples, elements) -> strides and size of the memory, in items
    "natural": lambda s, n: ((n, 1), s * n),
    "struct of arrays": lambda s, n: ((1, s), s * n),
    "wider rows": lambda s, n: ((n + 3, 1), s * (n + 3)),
    "every second": lambda s, n: ((2 * n, 2), 2 * s * n),
}


def placed(values: np.ndarray, layout: str) -> tuple[np.ndarray, np.ndarray]:
    """A copy of ``values`` in this layout, in the middle of guarded memory; and that memory."""
    samples, elements = values.shape
    strides, size = LAYOUTS[layout](samples, elements)
    memory = np.full(size + 64, GUARD, values.dtype)
    view = np.lib.stride_tricks.as_strided(
        memory[32:], values.shape, [values.itemsize * s for s in strides], writeable=True
    )
    view[...] = values
    return view, memory


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("elements", [1, 2, 3, 4, 5, 7, 8, 9, 13])
def test_all_and_only_the_elements_are_moved(dtype, elements, width):
    x, y = ca.SX.sym("x", elements), ca.SX.sym("y", 2)
    f = ca.Function("f", [x, y], [2 * x, y[0] + x[-1]], ["x", "y"], ["a", "b"])
    kernel = compile(f, dtype=dtype, target=width)
    rng = np.random.default_rng(elements)
    for samples, layout in itertools.product((1, 2, 3, 4, 5, 7, 8, 9, 31, 33), LAYOUTS):
        values = rng.integers(-99, 99, (samples, elements)).astype(dtype)
        other = rng.integers(-99, 99, (samples, 2)).astype(dtype)
        given, _ = placed(values, layout)
        out, memory = placed(np.zeros_like(values), layout)
        untouched = memory.copy()
        result = kernel(given, other, out=(out, np.empty((samples, 1), dtype)))
        assert np.array_equal(result.a, 2 * values)
        assert np.array_equal(result.b[:, 0], other[:, 0] + values[:, -1])
        out[...] = 0
        assert np.array_equal(memory, untouched)
