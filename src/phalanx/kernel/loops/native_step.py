"""Common parts of kernels that take a step many times: linking, arguments, building."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import casadi as ca
import numpy as np

from phalanx.base.errors import InvalidInput
from phalanx.kernel.build import BLOCK, build_entry, cached, vector
from phalanx.kernel.call.emit_call import TABLE
from phalanx.kernel.graph.graph import Port
from phalanx.kernel.graph.operations import Operations
from phalanx.kernel.graph.passes.split import SplitGraph
from phalanx.kernel.graph.read_casadi import Shapes
from phalanx.kernel.llvm import cache as object_cache
from phalanx.kernel.llvm.emit_piece import BlockShape
from phalanx.kernel.llvm.native import Library
from phalanx.kernel.llvm.target import Target, host_target

T = TypeVar("T")


class NativeStep:
    """Machine code with a step in it.

    Attributes:
        name: The step's name.
        inputs, outputs: Of the step.
        operations: The arithmetic of one step of one sample.
        dtype: Of all numbers.
        threads: How many may share the samples.
    """

    def __init__(
        self,
        entry: object_cache.Entry,
        inputs: tuple[Port, ...],
        outputs: tuple[Port, ...],
        dtype: np.dtype[Any],
        threads: int,
    ) -> None:
        self.name: str = entry.facts["name"]
        self.inputs, self.outputs = inputs, outputs
        self.operations = Operations(**entry.facts["operations"])
        self.dtype, self.threads = dtype, threads
        self._library = Library(entry.code, ("share",), {TABLE: 0})
        prototype = ctypes.CFUNCTYPE(
            ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64
        )
        self._share = prototype(self._library.address("share"))

    def _check_count(self, values: Sequence[object]) -> None:
        """InvalidInput unless there is a value for every input."""
        if len(values) != len(self.inputs):
            expected = ", ".join(port.name for port in self.inputs)
            raise InvalidInput(f"{self.name} takes ({expected}), got {len(values)} arguments.")


def check_carried(
    step: ca.Function, inputs: Sequence[Port], outputs: Sequence[Port], carried: int
) -> None:
    """InvalidInput unless the first outputs of a step can be its first inputs."""
    if not 0 <= carried <= min(len(inputs), len(outputs)):
        raise InvalidInput(
            f"carried={carried}; '{step.name()}' has {len(inputs)} inputs and {len(outputs)} "
            "outputs."
        )
    if [p.shape for p in inputs[:carried]] != [p.shape for p in outputs[:carried]]:
        raise InvalidInput(
            f"the first {carried} outputs of '{step.name()}' become its first inputs, so their "
            "shapes must be equal."
        )


def linked_step(
    step: ca.Function,
    number: np.dtype[Any],
    shapes: Shapes | None,
    cache: bool,
    target: Target | None,
    emit: Callable[[SplitGraph, BlockShape], str],
    kind: str,
    link: Callable[[object_cache.Entry], T],
) -> T:
    """Machine code of a step, from the cache where it may be.

    Args:
        step: A scalar function.
        number: What it computes in.
        shapes: Trailing shapes by name.
        cache: Whether to keep machine code on disk.
        target: The processor; the one this process runs on when None.
        emit: Writes the module.
        kind: What distinguishes it from other modules of the same step.
        link: Makes a kernel of it.
    """
    processor = target or host_target()

    def build() -> object_cache.Entry:
        shape = BlockShape(vector(number, processor), BLOCK, processor.has_fma)
        return build_entry(step, shapes, processor, lambda program, _: emit(program, shape))

    if not cache:
        return link(build())
    return cached(object_cache.key(step, shapes, number.name, processor, kind), build, link)
