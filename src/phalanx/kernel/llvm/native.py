"""Assemble and link LLVM code (JIT): from assembly to callable functions.

Policy: LLVM works in a thread of its own, so that Ctrl-C is heard at once, even while it compiles
for half a minute. It cannot be stopped: what it makes is dropped, and the next compilation waits
until it is free. So does a fork, since a child could never use an LLVM that is half through, and so
does the end of the process, which takes from LLVM what it works on.
"""

from __future__ import annotations

import atexit
import ctypes
import functools
import itertools
import sys
from collections.abc import Mapping
from typing import Any

import llvmlite.binding as llvm

from phalanx.base.errors import CompileError
from phalanx.base.forks import fork_waits
from phalanx.kernel.interrupts.interruptible import interruptible
from phalanx.kernel.llvm.elementary import LIBM, LIBM_PREFIX
from phalanx.kernel.llvm.target import Target

_library_numbers = itertools.count()
# a linker takes 100 kB; a library that is gone leaves 10 kB behind until the others of its linker
# have gone
_LIBRARIES_PER_LINKER = 16
_current_linker: Any = None


@functools.cache
def _start_llvm() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.initialize_native_asmparser()
    lock = llvm.ffi.lib._lock  # held around every call into LLVM
    atexit.register(lock.__enter__)
    fork_waits.then_hold(lock)  # in a child it would be held by a thread that is not there


@functools.cache
def _start_other_targets() -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()


def is_compiling() -> bool:
    """Whether LLVM is at work in another thread."""
    lock = llvm.ffi.lib._lock._lock
    if lock.acquire(blocking=False):
        lock.release()
        return False
    return True


def _target_machine(target: Target, effort: int) -> Any:
    _start_llvm()
    if target.triple:
        _start_other_targets()
    # the small code model reaches constants relative to the instruction; the JIT default would load
    # a 64-bit address for each of them
    return llvm.Target.from_triple(_triple(target)).create_target_machine(
        cpu=target.cpu,
        features=target.features,
        opt=effort,
        reloc="pic",
        codemodel="small",
        jit=not target.triple,
    )


def _triple(target: Target) -> str:
    return target.triple or llvm.get_process_triple()


def object_code(text: str, target: Target, *, effort: int) -> bytes:
    """Relocatable object code of a module in LLVM assembly.

    Args:
        text: The module.
        target: The processor.
        effort: LLVM's level of code generation, 0 or 1; above, it takes longer and finds nothing
            more, since the passes have been there before.
    """
    return interruptible(lambda: _assemble(text, target, effort), stop=None)


def _assemble(text: str, target: Target, effort: int) -> bytes:
    machine = _target_machine(target, effort)
    try:
        module = llvm.parse_assembly(text)
        module.triple = _triple(target)
        module.data_layout = str(machine.target_data)
        return machine.emit_object(module)
    except RuntimeError as error:
        raise CompileError(f"LLVM rejected the emitted code: {error}") from error


def _linker(number: int) -> Any:
    """The linker of a library; a linker keeps the names of its libraries until all have gone."""
    global _current_linker
    if _current_linker is None or number % _LIBRARIES_PER_LINKER == 0:
        _start_llvm()
        # the older linker takes memory part by part, and ends the process where two are too far
        # apart
        _current_linker = llvm.create_lljit_compiler(use_jit_link=True)
    return _current_linker


@functools.cache
def _libm() -> dict[str, int]:
    """Addresses of the C library's functions, under the names kernels call them by."""
    process = ctypes.CDLL("ucrtbase" if sys.platform == "win32" else None)
    addresses = {}
    for name in LIBM.values():
        for suffix in ("", "f"):
            function = getattr(process, name + suffix)
            addresses[LIBM_PREFIX + name + suffix] = ctypes.cast(function, ctypes.c_void_p).value
    return {name: address for name, address in addresses.items() if address}


class Library:
    """Object code in memory, ready to run; lives as long as this object."""

    def __init__(self, code: bytes, exports: tuple[str, ...], imports: Mapping[str, int]) -> None:
        """Link ``code``, resolving ``imports`` (name to address) and the C library's functions."""
        self._tracker = interruptible(lambda: _link(code, exports, imports), stop=None)

    def address(self, name: str) -> int:
        """Where an exported function starts."""
        return int(self._tracker[name])


def _link(code: bytes, exports: tuple[str, ...], imports: Mapping[str, int]) -> Any:
    builder = llvm.JITLibraryBuilder().add_object_img(code).add_current_process()
    for name, address in (_libm() | dict(imports)).items():
        builder.import_symbol(name, address)
    for name in exports:
        builder.export_symbol(name)
    try:
        number = next(_library_numbers)
        return builder.link(_linker(number), f"phalanx{number}")
    except RuntimeError as error:
        raise CompileError(f"object code does not link: {error}") from error
