"""Object files, linked by a C compiler and run: for this processor, and for ARM under qemu."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess

import casadi as ca
import numpy as np
import pytest

import phalanx as px

COMPILER, EMULATOR = "aarch64-linux-gnu-gcc", "qemu-aarch64-static"
NATIVE = platform.machine() == "x86_64" and platform.system() == "Linux" and shutil.which("cc")
ARM = shutil.which(COMPILER) and shutil.which(EMULATOR)
WAYS = [
    pytest.param(
        "x86-64",
        ["cc"],
        [],
        marks=pytest.mark.skipif(not NATIVE, reason="no C compiler for x86-64"),
    ),
    pytest.param(
        "aarch64",
        [COMPILER, "-static"],
        [EMULATOR],
        marks=pytest.mark.skipif(not ARM, reason=f"no {COMPILER} or {EMULATOR}"),
    ),
]

HARNESS = """#include <stdio.h>
#include <stdlib.h>
#include "{name}.h"
static {number} *numbers(long count) {{ return malloc(sizeof({number}) * (count ? count : 1)); }}
int main(void) {{
  long samples = {samples};
{declarations}
{reads}
  if ({name}(samples, {arguments})) return 3;
{writes}
  return 0;
}}
"""


def harness(name, inputs, outputs, samples, number):
    """A C program that reads inputs and writes outputs as they lie in memory."""
    arrays = inputs | outputs

    def each(names, line):
        return "\n".join(f"  {line.format(n=n, size=arrays[n])}" for n in names)

    return HARNESS.format(
        name=name,
        number=number,
        samples=samples,
        arguments=", ".join(arrays),
        declarations=each(arrays, number + " *{n} = numbers(samples * {size});"),
        reads=each(
            inputs,
            "if (fread({n}, sizeof *{n}, samples * {size}, stdin) != samples * {size}) return 2;",
        ),
        writes=each(outputs, "fwrite({n}, sizeof *{n}, samples * {size}, stdout);"),
    )


def run(function, arguments, processor, compiler, emulator, folder, dtype="float64"):
    """What an exported function computes, in a program of its own."""
    name, samples = function.name(), len(arguments[0])
    px.export_object(function, folder / f"{name}.o", processor=processor, dtype=dtype)
    inputs = {function.name_in(k): function.numel_in(k) for k in range(function.n_in())}
    outputs = {function.name_out(k): function.numel_out(k) for k in range(function.n_out())}
    number = {"float64": "double", "float32": "float"}[dtype]
    (folder / "main.c").write_text(harness(name, inputs, outputs, samples, number))
    words = [*compiler, "-o", "main", "main.c", f"{name}.o", "-lm"]
    subprocess.run(words, cwd=folder, check=True, capture_output=True)
    given = b"".join(np.ascontiguousarray(x, dtype=dtype).tobytes() for x in arguments)
    done = subprocess.run([*emulator, "./main"], cwd=folder, input=given, capture_output=True)
    assert done.returncode == 0, done.stderr
    return np.frombuffer(done.stdout, dtype=dtype)


@pytest.fixture(scope="module")
def states():
    rng = np.random.default_rng(5)
    return rng.uniform(-3, 3, (3, 35, 6))  # not a multiple of any vector's lanes


@pytest.mark.parametrize(("processor", "compiler", "emulator"), WAYS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_an_arm_s_torques_have_the_bits_that_this_process_computes(
    processor, compiler, emulator, dtype, states, tmp_path
):
    arm = px.library.puma560()
    f = px.expression(px.inverse_dynamics.recursive, arm)
    found = run(f, states, processor, compiler, emulator, tmp_path, dtype).reshape(-1, 6)
    target = px.kernel.host_target()
    if processor == "x86-64":
        target = target.without_fma()  # that family has none
    if processor == "aarch64" and not target.has_fma:
        pytest.skip("this processor does not fuse, and ARM does: bits differ")
    here = px.compile(f, dtype=dtype, target=target, cache=False)
    np.testing.assert_array_equal(found, here(*states.astype(dtype)))
    assert np.abs(found).max() > 1.0


@pytest.mark.parametrize(("processor", "compiler", "emulator"), WAYS)
def test_a_program_in_pieces(processor, compiler, emulator, tmp_path):
    """A large graph: several pieces, more scratch memory than the stack has, division."""
    chain = px.library.chain(60, alternate=True)
    d = px.Dynamics(chain)
    f = d.expression("forward_dynamics")
    assert px.count_operations(f).total > 5000  # from where on a program is cut
    q, v, tau = np.random.default_rng(1).normal(size=(3, 9, chain.nv))
    found = run(f, (q, v, tau), processor, compiler, emulator, tmp_path).reshape(9, -1)
    expected = d.forward_dynamics(q, v, tau)
    np.testing.assert_allclose(found, expected, atol=1e-7 * np.abs(expected).max())


@pytest.mark.parametrize(("processor", "compiler", "emulator"), WAYS)
def test_functions_of_the_c_library_and_branches(processor, compiler, emulator, tmp_path):
    x, y = ca.SX.sym("x"), ca.SX.sym("y", 2)
    parts = [ca.atan2(x, y[0]), ca.exp(y[1]), ca.log(1 + x * x), ca.tanh(x), ca.sqrt(x * x + 1)]
    parts += [ca.if_else(x > 0, y[0], ca.fmin(y[1], -x)), ca.floor(3 * x), ca.sin(50 * x)]
    f = ca.Function("several", [x, y], [ca.vertcat(*parts)], ["x", "y"], ["z"])
    rng = np.random.default_rng(2)
    given = rng.normal(size=(17, 1)), rng.normal(size=(17, 2))
    found = run(f, given, processor, compiler, emulator, tmp_path).reshape(17, -1)
    expected = np.array([f(a, b).full().ravel() for a, b in zip(*given, strict=True)])
    np.testing.assert_allclose(found, expected, rtol=2e-15, atol=1e-15)


@pytest.mark.skipif(not NATIVE, reason="no C compiler for x86-64")
def test_two_files_can_be_linked_together(tmp_path):
    arm = px.library.puma560()
    names = {
        "inverse_dynamics": px.inverse_dynamics.recursive,
        "mass": px.mass_matrix.composite_body,
    }
    for stem, equation in names.items():
        px.export_object(px.expression(equation, arm), tmp_path / f"{stem}.o", processor="x86-64")
    headers = [f'#include "{stem}.h"' for stem in names]
    calls = []
    for stem in names:
        (head,) = re.findall(r"int (\w+)\(long", (tmp_path / f"{stem}.h").read_text())
        calls.append(f"(void *){head}")
    text = "\n".join(headers) + f"\nint main(void) {{ return {calls[0]} == {calls[1]}; }}\n"
    (tmp_path / "main.c").write_text(text)
    words = ["cc", "-o", "main", "main.c", *(f"{stem}.o" for stem in names), "-lm"]
    subprocess.run(words, cwd=tmp_path, check=True, capture_output=True)
    subprocess.run(["./main"], cwd=tmp_path, check=True)


def test_what_cannot_be_written_is_said(tmp_path):
    f = px.expression(px.inverse_dynamics.recursive, px.library.puma560())
    with pytest.raises(px.PhalanxError, match="aarch64"):
        px.export_object(f, tmp_path / "x.o", processor="arm64")
    with pytest.raises(px.WriteError, match="nowhere"):
        px.export_object(f, tmp_path / "nowhere" / "x.o")
    with pytest.raises(px.PhalanxError, match="dtype"):
        px.export_object(f, tmp_path / "x.o", dtype="float16")
