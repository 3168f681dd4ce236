"""Exported Fortran: accepted by the standard's word without a warning, and computes the same."""

from __future__ import annotations

import ctypes
import shutil
import subprocess

import casadi as ca
import numpy as np
import pytest

import assignments
from kernel.llvm.test_elementary import BINARY, UNARY
from kernel.samples import two_link_arm
from phalanx.kernel import export_fortran

from .test_emit_c import pointers

needs_gfortran = pytest.mark.skipif(shutil.which("gfortran") is None, reason="no Fortran compiler")
FLAGS = ["-std=f2008", "-Wall", "-Werror", "-pedantic", "-O1", "-shared", "-fPIC"]


def load(function: ca.Function, folder, **options) -> ctypes.CDLL:
    source = export_fortran(function, folder / "exported.f90", **options)
    library = folder / "exported.so"
    subprocess.run(["gfortran", *FLAGS, str(source), "-o", str(library)], check=True, cwd=folder)
    return ctypes.CDLL(str(library))


def test_statements_equal_casadi_without_a_compiler(tmp_path):
    f = two_link_arm()
    text = export_fortran(f, tmp_path / "arm.f90").read_text()
    q, v, a = np.random.default_rng(0).standard_normal((3, 2))
    known = {"q": q, "v": v, "a": a, "tau": np.empty(2)}
    tau = assignments.run(assignments.read_fortran(text), known)["tau"]
    np.testing.assert_allclose(tau, np.array(f(q, v, a)).ravel(), rtol=1e-14, atol=1e-14)
    assert max(map(len, text.splitlines())) <= 132  # of the standard


@needs_gfortran
def test_equals_casadi(tmp_path):
    f = two_link_arm()
    q, v, a = np.random.default_rng(0).standard_normal((3, 2))
    tau = np.empty(2)
    load(f, tmp_path).arm(*pointers(q, v, a, tau))
    assert np.allclose(tau, np.array(f(q, v, a)).ravel(), rtol=1e-14, atol=1e-14)


@needs_gfortran
def test_every_operation(tmp_path):
    x, y = ca.SX.sym("x"), ca.SX.sym("y")
    results = [op(x) for op in UNARY.values()] + [op(x, y) for op in BINARY.values()]
    f = ca.Function("every", [x, y], [ca.vertcat(*results)], ["x", "y"], ["z"])
    library = load(f, tmp_path)
    for given in ((0.3, 0.7), (-0.4, 0.2), (1.5, -2.5), (0.0, 1.0), (np.nan, 1.0)):
        z = np.empty(len(results))
        library.every(*pointers(*(np.array([g]) for g in given), z))
        expected = np.array(f(*given)).ravel()
        np.testing.assert_allclose(z, expected, rtol=1e-14, atol=1e-15)


@needs_gfortran
def test_names_shapes_and_unused_inputs(tmp_path):
    """Names that differ in case only or are functions, scalars, matrices, an unused input."""
    m, big, sine = ca.SX.sym("m", 2, 3), ca.SX.sym("M"), ca.SX.sym("sin")
    unused, empty = ca.SX.sym("unused", 2), ca.SX.sym("empty", 0)
    f = ca.Function(
        "odd",
        [m, big, sine, unused, empty],
        [ca.sin(m) * sine * big, ca.SX(ca.DM([1e300, -0.1, np.inf, np.nan])), m @ m.T, 2 * big],
        ["m", "M", "sin", "unused", "empty"],
        ["p1", "constants", "square", "S"],
    )
    library = load(f, tmp_path, shapes={"M": (), "S": ()}, intermediates=["S"])
    given = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    out, constants = np.empty((2, 3), order="F"), np.empty(4)
    square = np.empty((2, 2), order="F")
    zeros = [np.zeros(2), np.zeros(1)]
    library.odd(*pointers(given, np.array([3.0]), np.array([2.0]), *zeros, out, constants, square))
    assert np.allclose(out, 6 * np.sin(given), rtol=1e-15)
    np.testing.assert_array_equal(constants, [1e300, -0.1, np.inf, np.nan])
    assert np.allclose(square, given @ given.T)


def test_the_head_tells_what_is_inside(tmp_path):
    text = export_fortran(two_link_arm(), tmp_path / "arm.f90").read_text()
    assert text.startswith("! arm: Operations(")
    assert 'subroutine arm(q, v, a, tau) bind(c, name="arm")' in text
    assert "real(dp), intent(out) :: tau(2)" in text
