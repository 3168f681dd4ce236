"""A kernel bound to arrays is the kernel, on whatever the arrays hold by then."""

from __future__ import annotations

import casadi as ca
import numpy as np

from phalanx.kernel import compile


def test_reads_and_writes_the_same_arrays_again() -> None:
    x, y = ca.SX.sym("x", 2), ca.SX.sym("y")
    kernel = compile(ca.Function("f", [x, y], [x * y, ca.sumsqr(x)], ["x", "y"], ["p", "s"]))
    rows = np.random.default_rng(0).standard_normal((10, 2))
    factors = np.ones((5, 1))
    products, squares = np.zeros((10, 2)), np.zeros((5, 1))
    again = kernel.on_arrays([rows[0::2], factors], [products[1::2], squares])
    for factor in (2.0, -3.0):
        factors[...] = factor
        rows += 1
        again()
        np.testing.assert_array_equal(products[1::2], factor * rows[0::2])
        np.testing.assert_allclose(squares[:, 0], (rows[0::2] ** 2).sum(axis=1), rtol=1e-15)
    assert not products[0::2].any()
