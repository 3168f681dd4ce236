"""Exported C: compiles without a warning and computes the same."""

from __future__ import annotations

import ctypes
import shutil
import subprocess

import casadi as ca
import numpy as np
import pytest

from kernel.llvm.test_elementary import BINARY, UNARY
from kernel.samples import two_link_arm
from phalanx.kernel import export_c

needs_cc = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
FLAGS = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-shared", "-fPIC"]


def load(function: ca.Function, folder, **options) -> ctypes.CDLL:
    source = export_c(function, folder / "exported.c", **options)
    library = folder / "exported.so"
    subprocess.run(["cc", *FLAGS, str(source), "-o", str(library), "-lm"], check=True)
    return ctypes.CDLL(str(library))


def pointers(*arrays):
    return [a.ctypes.data_as(ctypes.c_void_p) for a in arrays]


@needs_cc
def test_equals_casadi(tmp_path):
    f = two_link_arm()
    q, v, a = np.random.default_rng(0).standard_normal((3, 2))
    tau = np.empty(2)
    load(f, tmp_path).arm(*pointers(q, v, a, tau))
    assert np.allclose(tau, np.array(f(q, v, a)).ravel(), rtol=1e-14, atol=1e-14)


@needs_cc
@pytest.mark.parametrize("intermediates", [(), ("total",)], ids=["flat", "named"])
def test_every_operation(tmp_path, intermediates):
    x, y = ca.SX.sym("x"), ca.SX.sym("y")
    results = [op(x) for op in UNARY.values()] + [op(x, y) for op in BINARY.values()]
    results.append(ca.fmax(ca.sin(x + y), -ca.exp(x)) * -ca.fabs(x + y))
    f = ca.Function("every", [x, y], [ca.vertcat(*results)], ["x", "y"], ["z"])
    named = ca.Function("every", [x, y], [ca.vertcat(*results), x + y], ["x", "y"], ["z", "total"])
    library = load(named if intermediates else f, tmp_path, intermediates=intermediates)
    for given in ((0.3, 0.7), (-0.4, 0.2), (1.5, -2.5), (0.0, 1.0), (np.nan, 1.0)):
        z = np.empty(len(results))
        library.every(*pointers(*(np.array([g]) for g in given), z))
        expected = np.array(f(*given)).ravel()
        assert np.allclose(z, expected, rtol=1e-14, atol=1e-15, equal_nan=True)


@needs_cc
def test_names_shapes_and_unused_inputs(tmp_path):
    """Keywords and library functions as names, an unused and an empty input, a matrix."""
    double, sine, t1 = ca.SX.sym("double", 2, 3), ca.SX.sym("sin"), ca.SX.sym("t1", 2)
    unused, empty = ca.SX.sym("unused"), ca.SX.sym("empty", 0)
    f = ca.Function(
        "odd",
        [double, sine, t1, unused, empty],
        [ca.sin(double) * sine, ca.SX(ca.DM([1e300, -0.1, np.inf])), t1[::-1]],
        ["double", "sin", "t1", "unused", "empty"],
        ["for", "constants", "turned"],
    )
    library = load(f, tmp_path)
    given = np.arange(6.0).reshape(2, 3)
    out, constants, turned = np.empty((2, 3)), np.empty(3), np.empty(2)
    zeros = [np.zeros(1), np.zeros(1)]
    library.odd(
        *pointers(given, np.array([2.0]), np.array([5.0, 6.0]), *zeros, out, constants, turned)
    )
    assert np.allclose(out, 2 * np.sin(given), rtol=1e-15)
    assert constants.tolist() == [1e300, -0.1, np.inf]
    assert turned.tolist() == [6, 5]


def test_the_head_tells_shapes_and_counts(tmp_path):
    text = export_c(two_link_arm(), tmp_path / "arm.c", shapes={"tau": (2, 1)}).read_text()
    assert (
        "void arm(const double q[2], const double v[2], const double a[2], double tau[2])" in text
    )
    assert "Operations(" in text and "tau: out, shape (2, 1)" in text
    assert "0.45000000000000001" in text  # every constant in full
