from __future__ import annotations

import casadi as ca

from kernel.samples import two_link_arm
from phalanx.kernel import Operations, compile, count_operations


def test_counting_follows_the_literature():
    x, y = ca.SX.sym("x"), ca.SX.sym("y")
    expression = -(x * y) + x / y - ca.sqrt(x) + ca.sin(x) * ca.cos(x) + ca.cos(y) + ca.exp(x)
    counted = count_operations(ca.Function("f", [x, y], [expression]))
    # a sine and cosine of x are one, the cosine of y another; the negation is free
    assert counted == Operations(add=5, multiply=2, divide=1, sqrt=1, sincos=2, other=1)
    assert counted.total == 12


def test_equal_values_count_once():
    x, y = ca.SX.sym("x"), ca.SX.sym("y")
    f = ca.Function("f", [x, y], [x * y, y * x + 1, -x * y])
    assert count_operations(f) == Operations(add=1, multiply=1)


def test_kernels_know_their_operations():
    kernel = compile(two_link_arm())
    assert kernel.operations == count_operations(two_link_arm())
    assert compile(two_link_arm()).operations == kernel.operations  # from the cache


def test_repr_reads_well():
    shown = repr(Operations(add=3, multiply=10, sincos=1))
    assert shown == "Operations(14 = 10 multiply + 3 add + 1 sincos)"
    assert repr(Operations()) == "Operations(0)"
