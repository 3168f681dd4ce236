"""Compile a CasADi function to a kernel: read, graph passes, emit LLVM, assemble, link."""

from __future__ import annotations

import ctypes
import logging
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, TypeVar

import casadi as ca
import numpy as np

from phalanx.base.arguments import checked_but, unfit, whole
from phalanx.base.errors import InvalidInput
from phalanx.kernel.call import direct_call
from phalanx.kernel.call.emit_call import TABLE, emit_call
from phalanx.kernel.call.general_call import GeneralCall
from phalanx.kernel.call.threads import Workload, processors
from phalanx.kernel.graph.graph import Graph, Port
from phalanx.kernel.graph.operations import Operations, operations
from phalanx.kernel.graph.passes.fuse_multiply_add import fuse_multiply_add
from phalanx.kernel.graph.passes.order import order
from phalanx.kernel.graph.passes.pair_sin_cos import pair_sin_cos
from phalanx.kernel.graph.passes.simplify import simplify
from phalanx.kernel.graph.passes.split import SplitGraph, split
from phalanx.kernel.graph.read_casadi import Shapes, ports, read_casadi, scalar_function
from phalanx.kernel.interrupts.interruptible import repeated_interrupts
from phalanx.kernel.kernel import Kernel
from phalanx.kernel.llvm import cache as object_cache
from phalanx.kernel.llvm import portable_code as portable_code
from phalanx.kernel.llvm.emit_llvm import emit_llvm
from phalanx.kernel.llvm.emit_piece import BlockShape
from phalanx.kernel.llvm.ir_text import Vector
from phalanx.kernel.llvm.native import Library, object_code
from phalanx.kernel.llvm.target import Target, host_target

_log = logging.getLogger("phalanx.kernel")

T = TypeVar("T")

# what kernels compute in, and its name in LLVM
DTYPES = {"float64": "double", "float32": "float"}
# samples a piece loops over before the next piece's code is fetched
BLOCK = 32
# graphs up to this many nodes stay whole: storing what crosses a cut costs more than it saves
_LARGEST_WHOLE = 5000
# nodes of a piece of a larger one, so that its code stays in the instruction cache
_LARGEST_PIECE = 1500
# beyond this many nodes LLVM does the least: a third of the time for code half as fast
_HUGE = 150_000
_SLOW_BUILD = 2.0  # [s]


@checked_but("function", "dtype", "threads")
@repeated_interrupts()
def compile(
    function: ca.Function,
    *,
    shapes: Shapes | None = None,
    dtype: Any = "float64",
    threads: int | None = None,
    cache: bool = True,
    target: Target | None = None,
) -> Kernel:
    """Compile a CasADi function to machine code, batched over leading axes.

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
    number, threads = checked_dtype(dtype), checked_threads(threads)
    target = target or host_target()
    function = scalar_function(function)
    inputs, outputs = ports(function, shapes)

    def link(entry: object_cache.Entry) -> Kernel:
        return _kernel(entry, inputs, outputs, number, threads, target)

    def build() -> object_cache.Entry:
        return _build(function, shapes, vector(number, target), target)

    if not cache:
        return link(build())
    return cached(object_cache.key(function, shapes, number.name, target), build, link)


def checked_dtype(dtype: Any) -> np.dtype[Any]:
    """Validate the number type that kernels compute in."""
    try:
        number = np.dtype(dtype)
    except Exception:  # NumPy writes into its message what came
        raise unfit("dtype", dtype, "'float64' or 'float32'") from None
    if dtype is None or number.name not in DTYPES or not number.isnative:
        raise InvalidInput(f"dtype {number}; kernels compute in float64 or float32.")
    return number


def checked_threads(threads: int | None) -> int:
    """Validate the number of threads."""
    if threads is None:
        return processors()
    return whole("threads", threads, 1, "a positive whole number, or None for all")


def vector(number: np.dtype[Any], target: Target) -> Vector:
    """Return the target's widest vector of a type."""
    return Vector(DTYPES[number.name], target.lanes(number.itemsize))


def cached(
    key: str, build: Callable[[], object_cache.Entry], link: Callable[[object_cache.Entry], T]
) -> T:
    """Link the entry under ``key``, or a new one if there is none that links."""
    entry = object_cache.load(key)
    if entry is not None:
        try:
            linked = link(entry)
            portable_code.linked(key)
            return linked
        except Exception as error:  # its hash is right, but any program can compute a hash
            _log.warning("cached kernel %s is unusable, building it again: %s", key, error)
    entry = build()
    object_cache.store(key, entry)
    portable_code.built(key)
    return link(entry)


def _kernel(
    entry: object_cache.Entry,
    inputs: tuple[Port, ...],
    outputs: tuple[Port, ...],
    dtype: np.dtype[Any],
    threads: int,
    target: Target,
) -> Kernel:
    """Link object code and wrap it."""
    counted = Operations(**entry.facts["operations"])
    workload = Workload.of(counted, threads, BLOCK, (*inputs, *outputs))
    general = GeneralCall(entry.facts["name"], inputs, outputs, dtype, workload)
    if not direct_call.available():
        general.attach(Library(entry.code, ("share",), {TABLE: 0}))
    else:
        table = direct_call.pointer_table(dtype, general.results)
        library = Library(entry.code, ("share", "call"), {TABLE: ctypes.addressof(table)})
        general.attach(library, table)
    return Kernel(general, counted, target)


def lowered(graph: Graph, target: Target) -> Graph:
    """A simplified graph in the operations ``target`` has."""
    if target.has_fma:
        graph = fuse_multiply_add(graph)
    return pair_sin_cos(graph)


def _build(
    function: ca.Function, shapes: Shapes | None, kind: Vector, target: Target
) -> object_cache.Entry:
    """Object code and the facts that go with it."""
    return build_entry(
        function,
        shapes,
        target,
        lambda program, counted: (
            emit_llvm(program, BlockShape(kind, BLOCK, target.has_fma))
            + "\n"
            + emit_call(
                program.graph,
                kind,
                direct_call.HEAD_BYTES,
                Workload.of(counted, 1, BLOCK).most_samples_alone,
            )
            + "\n"
        ),
    )


def build_entry(
    function: ca.Function,
    shapes: Shapes | None,
    target: Target,
    emit: Callable[[SplitGraph, Operations], str],
) -> object_cache.Entry:
    """Take a function through all passes, ``emit`` the program's text and assemble it."""
    start = time.perf_counter()
    graph = simplify(read_casadi(function, shapes))
    counted = operations(graph.nodes)
    low = lowered(graph, target)
    if len(low.nodes) > _LARGEST_WHOLE:
        program = split(order(low), _LARGEST_PIECE)
    else:
        program = split(low, _LARGEST_WHOLE)
    if len(program.pieces) > 1:
        _log.info("%s: %d operations in %d pieces", graph.name, counted.total, len(program.pieces))
    code = object_code(emit(program, counted), target, effort=0 if len(low.nodes) > _HUGE else 1)
    elapsed = time.perf_counter() - start
    if elapsed > _SLOW_BUILD:
        _log.info("%s: compiled %d operations in %.1f s", graph.name, counted.total, elapsed)
    return object_cache.Entry({"name": graph.name, "operations": asdict(counted)}, code)
