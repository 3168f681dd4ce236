"""Export of kernels as object files with a C header, for this processor or another.

The file has one function that C can call. It takes how many samples there are and an array for
every input and output, samples one after the other, and uses vectors as kernels inside Phalanx do.
Its numbers are theirs to the last bit, as far as no function of the C library is involved.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, Literal

import casadi as ca

from phalanx.base.arguments import checked_but
from phalanx.base.errors import InvalidInput, UnknownName, WriteError
from phalanx.kernel.build import BLOCK, DTYPES, build_entry, checked_dtype, vector
from phalanx.kernel.graph.graph import Port
from phalanx.kernel.graph.operations import Operations
from phalanx.kernel.graph.passes.split import SplitGraph
from phalanx.kernel.graph.read_casadi import Shapes, ports, scalar_function
from phalanx.kernel.llvm.elementary import LIBM_PREFIX
from phalanx.kernel.llvm.emit_llvm import RECORD_BYTES, emit_llvm
from phalanx.kernel.llvm.emit_piece import BlockShape
from phalanx.kernel.llvm.target import PROCESSORS, Target
from phalanx.kernel.text.write_source import write_source

Processor = Literal["aarch64", "x86-64", "x86-64-v3", "x86-64-v4"]


@checked_but("function", "dtype")
def export_object(
    function: ca.Function,
    path: str | os.PathLike[str],
    *,
    processor: Processor = "aarch64",
    shapes: Shapes | None = None,
    dtype: Any = "float64",
) -> Path:
    """Write ``function`` as an object file for a processor, and a C header beside it.

    The C function has the name of the CasADi function. Link with the C library's mathematics::

        int inverse_dynamics(long samples, const double *q, const double *v, const double *a,
                             double *tau);

    It returns 0, or 1 when there is no memory.

    Args:
        function: An SX function, or an MX function that expands to one.
        path: The object file to write; the header has the same name and ends in ``.h``.
        processor: ``aarch64`` (64-bit ARM), ``x86-64``, or that with AVX2 (``x86-64-v3``) or
            AVX-512 (``x86-64-v4``); all for Linux.
        shapes: Trailing shapes of inputs and outputs by name, where they differ from the default.
        dtype: ``float64`` or ``float32``.

    Returns:
        The path of the object file.

    Raises:
        CompileError: The function has an operation that has no machine code.
        WriteError: When a file cannot be written.
    """
    place = Path(path)
    if not place.name:
        raise InvalidInput(f"path {path!r} names no file; expected one such as 'torques.o'.")
    if processor not in PROCESSORS:
        raise UnknownName("phalanx", "processor", processor, PROCESSORS)
    target, number = PROCESSORS[processor], checked_dtype(dtype)
    function = scalar_function(function)
    inputs, outputs = ports(function, shapes)
    name = function.name()

    def emit(program: SplitGraph, counted: Operations) -> str:
        text = emit_llvm(program, BlockShape(vector(number, target), BLOCK, target.has_fma))
        entry_point = _entry_point(name, (*inputs, *outputs), number.itemsize)
        # several files may be linked together, so that what has no name of its own stays inside
        text = _with_mathematics(text).replace("define i32 @share", "define internal i32 @share")
        return f"{text}\n{entry_point}\n"

    entry = build_entry(function, shapes, target, emit)
    number_in_c = DTYPES[number.name]
    write_source(place.with_suffix(".h"), _header(name, inputs, outputs, number_in_c, target))
    try:
        place.write_bytes(entry.code)
    except (OSError, ValueError) as error:
        raise WriteError(f"{place} cannot be written: {error}.") from error
    return place


def _entry_point(name: str, arrays: tuple[Port, ...], item_bytes: int) -> str:
    """The function that C calls: lays out the records that ``run`` reads, and calls it."""
    arguments = ", ".join(["i64 %samples", *(f"ptr %array{k}" for k in range(len(arrays)))])
    lines = [f"  %records = alloca [{RECORD_BYTES * len(arrays)} x i8], align 8"]
    for k, port in enumerate(arrays):
        fields = (f"ptr %array{k}", f"i64 {port.size * item_bytes}", f"i64 {item_bytes}")
        for position, field in enumerate(fields):
            offset = RECORD_BYTES * k + 8 * position
            place = f"%field{k}_{position}"
            lines += [f"  {place} = getelementptr i8, ptr %records, i64 {offset}"]
            lines += [f"  store {field}, ptr {place}"]
    call = "call i32 @run(ptr %records, i64 0, i64 %samples, ptr null)"
    lines += [f"  %failed = {call}", "  ret i32 %failed"]
    return "\n".join([f"define i32 @{name}({arguments}) nounwind {{", "entry:", *lines, "}"])


def _with_mathematics(text: str) -> str:
    """The C library's functions, defined under the names that kernels call them by."""

    def defined(declaration: re.Match[str]) -> str:
        kind, function, kinds = declaration.groups()
        given = ", ".join(f"{part.strip()} %x{k}" for k, part in enumerate(kinds.split(",")))
        return (
            f"declare {kind} @{function}({kinds})\n"
            f"define internal {kind} @{LIBM_PREFIX}{function}({given}) nounwind {{\n"
            f"  %y = call {kind} @{function}({given})\n  ret {kind} %y\n}}"
        )

    return re.sub(rf"^declare (\w+) @{LIBM_PREFIX}(\w+)\(([^)]*)\)$", defined, text, flags=re.M)


def _header(
    name: str, inputs: tuple[Port, ...], outputs: tuple[Port, ...], number: str, target: Target
) -> str:
    """Build the C header."""
    arrays = [f"const {number} *{port.name}" for port in inputs]
    arrays += [f"{number} *{port.name}" for port in outputs]
    sizes = "\n".join(
        f" * {port.name}: {port.size} numbers a sample, shape {port.shape}"
        for port in (*inputs, *outputs)
    )
    guard = f"PHALANX_{name.upper()}_H"
    return f"""#ifndef {guard}
#define {guard}
#ifdef __cplusplus
extern "C" {{
#endif

/* For {target.triple}, {target.cpu}. Samples lie one after the other, matrices by rows.
{sizes}
 * Returns 0, or 1 when there is no memory. Link with -lm. */
int {name}(long samples, {", ".join(arrays)});

#ifdef __cplusplus
}}
#endif
#endif
"""
