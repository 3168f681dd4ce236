"""From a CasADi function to a kernel: read, pass by pass, emit, assemble, link."""

from __future__ import annotations

import ctypes
from typing import Any

import casadi as ca
import numpy as np

from phalanx.errors import InvalidInput
from phalanx.kernel.emit_llvm import Shape, emit_llvm
from phalanx.kernel.graph import Graph
from phalanx.kernel.ir_text import Vector
from phalanx.kernel.kernel import Kernel
from phalanx.kernel.native import Library, assemble
from phalanx.kernel.operations import operations
from phalanx.kernel.passes.fuse_multiply_add import fuse_multiply_add
from phalanx.kernel.passes.pair_sin_cos import pair_sin_cos
from phalanx.kernel.passes.simplify import simplify
from phalanx.kernel.passes.split import split
from phalanx.kernel.read_casadi import Shapes, read_casadi, scalar_function
from phalanx.kernel.target import Target, host_target

_SCALAR = {"float64": "double", "float32": "float"}


def compile(
    function: ca.Function,
    *,
    shapes: Shapes | None = None,
    dtype: Any = "float64",
    threads: int | None = None,
    cache: bool = True,
    target: Target | None = None,
) -> Kernel:
    """Machine code for a CasADi function, batched over leading axes.

    Args:
        function: An SX function, or an MX function that expands to one.
        shapes: Trailing shapes of inputs and outputs by name, where they differ from the default:
            ``(n,)`` for a column, ``(rows, columns)`` for a matrix. Elements are in C order.
        dtype: ``float64`` or ``float32``.
        threads: How many threads a large batch may use; None for one per processor.
        cache: Whether to keep machine code on disk and look for it there.
        target: The processor; the one this process runs on by default.

    Returns:
        The kernel.

    Raises:
        CompileError: The function has an operation that has no machine code.
        InvalidInput: An option has an unusable value.
    """
    target = target or host_target()
    name = np.dtype(dtype).name
    if name not in _SCALAR:
        raise InvalidInput(f"dtype {name}; kernels compute in float64 or float32.")
    function = scalar_function(function)
    graph = simplify(read_casadi(function, shapes))
    counted = operations(graph)
    kind = Vector(_SCALAR[name], target.lanes(np.dtype(dtype).itemsize))
    program = split(lowered(graph, target), 1 << 30)
    text = emit_llvm(program, Shape(kind, 32, target.has_fma))
    library = Library(assemble(text, target), ("run",), {})
    prototype = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
    native = prototype(library.address("run"))
    records = ctypes.c_int64 * (3 * (len(graph.inputs) + len(graph.outputs)))

    def run(described: list[tuple[int, int, int]], samples: int) -> None:
        assert library is not None
        native(records(*(x for record in described for x in record)), 0, samples)

    return Kernel(graph.name, graph.inputs, graph.outputs, counted, dtype, target, run)


def lowered(graph: Graph, target: Target) -> Graph:
    """A simplified graph in the operations ``target`` has."""
    if target.has_fma:
        graph = fuse_multiply_add(graph)
    return pair_sin_cos(graph)
