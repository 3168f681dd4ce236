from __future__ import annotations

import ctypes
import gc
import os
import subprocess
import sys
import weakref
from pathlib import Path

import casadi as ca
import numpy as np
import pytest
from llvmlite import binding as llvm

from kernel.samples import two_link_arm
from phalanx.base.errors import CompileError
from phalanx.kernel import Target, compile, host_target
from phalanx.kernel.graph.passes.simplify import simplify
from phalanx.kernel.graph.passes.split import split
from phalanx.kernel.graph.read_casadi import read_casadi
from phalanx.kernel.llvm.emit_llvm import emit_llvm
from phalanx.kernel.llvm.emit_piece import BlockShape
from phalanx.kernel.llvm.ir_text import Vector
from phalanx.kernel.llvm.native import Library, object_code


def test_least_effort_gives_the_same_bits(monkeypatch):
    args = np.random.default_rng(0).standard_normal((3, 50, 2))
    expected = compile(two_link_arm())(*args)
    monkeypatch.setattr("phalanx.kernel.build._HUGE", 0)
    assert np.array_equal(compile(two_link_arm(), cache=False)(*args), expected)


@pytest.mark.skipif(not llvm.get_process_triple().startswith("x86_64"), reason="x86 code")
@pytest.mark.parametrize(
    ("target", "register"),
    [
        (Target("avx512", "skylake-avx512", "", 64, True), b"zmm"),
        (Target("avx2", "haswell", "", 32, True), b"ymm"),
        (Target("sse2", "x86-64", "", 16, False), b"xmm"),
    ],
    ids=["avx512", "avx2", "sse2"],
)
@pytest.mark.parametrize("scalar", ["double", "float"])
def test_code_for_processors_that_need_not_be_here(target, register, scalar):
    """Code is made, though not run, for every width; it uses the registers of that width."""
    kind = Vector(scalar, target.lanes(8 if scalar == "double" else 4))
    program = split(simplify(read_casadi(two_link_arm())), 1000)
    text = emit_llvm(program, BlockShape(kind, 32, target.has_fma))
    assert len(object_code(text, target, effort=1)) > 1000
    machine = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(
        cpu=target.cpu, opt=1
    )
    assert register in machine.emit_assembly(llvm.parse_assembly(text)).encode()


def test_bad_assembly_and_missing_symbols_are_compile_errors():
    with pytest.raises(CompileError, match="LLVM rejected"):
        object_code("define nonsense", host_target(), effort=1)
    code = object_code("define void @f() {\n  ret void\n}\n", host_target(), effort=1)
    with pytest.raises(CompileError, match="does not link"):
        Library(code, ("g",), {})


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_children_forked_beside_a_compilation_can_compile():
    """LLVM's lock belongs to a thread that a child does not have; see base/forks.py."""
    program = Path(__file__).with_name("forks.py")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(program), "8"],
        capture_output=True,
        text=True,
        timeout=400,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_process_may_end_while_llvm_is_at_work():
    """Its end would take from LLVM what it works on, in the middle of it."""
    code = """
import os, signal, threading, time
from kernel.samples import chain
from phalanx.kernel import compile
from phalanx.kernel.llvm import native

work = native._assemble

def interrupted_soon(*arguments):
    timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return work(*arguments)

native._assemble = interrupted_soon
try:
    compile(chain(600), cache=False)
except KeyboardInterrupt:
    print("interrupted", native.is_compiling())
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=100,
        cwd=Path(__file__).parents[2],
    )
    assert (done.returncode, done.stdout) == (0, "interrupted True\n"), done.stderr


def resident() -> int:
    """Memory of this process [kB]."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no /proc")
def test_code_is_released_with_its_last_user():
    """A library that stayed behind would leave 9 kB or more."""
    code = object_code("define void @f() {\n  ret void\n}\n", host_target(), effort=1)

    def link(times: int) -> None:
        for _ in range(times):
            Library(code, ("f",), {})

    link(200)  # what is kept once, and what the allocator keeps for reuse
    before = resident()
    link(400)
    assert resident() - before < 400 * 3


def test_code_outlives_its_linker_for_as_long_as_it_is_used(monkeypatch):
    monkeypatch.setattr("phalanx.kernel.llvm.native._LIBRARIES_PER_LINKER", 2)
    text = "define i64 @f() {{\n  ret i64 {}\n}}\n"
    libraries = [
        Library(object_code(text.format(k), host_target(), effort=1), ("f",), {}) for k in range(7)
    ]
    for k in (5, 3, 0):  # from the end
        del libraries[k]
    gc.collect()
    functions = [ctypes.CFUNCTYPE(ctypes.c_int64)(one.address("f")) for one in libraries]
    assert [f() for f in functions] == [1, 2, 4, 6]


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no /proc")
def test_a_kernel_that_nobody_uses_is_gone():
    x = ca.SX.sym("x")
    function = ca.Function("double", [x], [2 * x], ["x"], ["y"])
    kernel = compile(function)
    implementation = weakref.ref(kernel._call)
    call = kernel.call
    del kernel
    gc.collect()
    assert implementation() is not None and call([3.0]) == 6.0  # its call uses it
    del call
    gc.collect()
    assert implementation() is None
