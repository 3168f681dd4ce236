"""Iterate-until-converged loop (per lane): samples take different numbers of steps."""

from __future__ import annotations

import ctypes
import math
from collections import namedtuple
from typing import Any, final

import casadi as ca
import numpy as np

from phalanx.base.errors import InvalidInput
from phalanx.kernel.build import BLOCK, checked_dtype, checked_threads
from phalanx.kernel.call import arrays
from phalanx.kernel.call.threads import Workload
from phalanx.kernel.graph.passes.split import SplitGraph
from phalanx.kernel.graph.read_casadi import Shapes, ports, scalar_function
from phalanx.kernel.interrupts.interruptible import repeated_interrupts
from phalanx.kernel.llvm import cache as object_cache
from phalanx.kernel.llvm.emit_piece import BlockShape
from phalanx.kernel.llvm.target import Target
from phalanx.kernel.loops.emit_until import emit_until
from phalanx.kernel.loops.native_step import NativeStep, check_carried, linked_step

# a guess of how many steps a sample needs, for how work is shared out between threads
USUAL_STEPS = 30


@final
class UntilKernel(NativeStep):
    """Machine code that takes a step until a sample is done, over arrays of samples.

    The last output of the step says whether a sample is done.
    """

    def __init__(self, *linked: Any) -> None:
        """Link object code; :func:`compile_until` makes such kernels."""
        super().__init__(*linked)
        self._found: Any = namedtuple(  # type: ignore[misc]
            "found", [port.name for port in self.outputs[:-1]], rename=True
        )

    def __call__(self, *values: object, steps: int = USUAL_STEPS) -> Any:
        """Take steps until all samples are done.

        Args:
            values: The step's inputs in order, arrays ``(..., n)``; those that are carried begin
                with these. Leading axes are samples and broadcast together.
            steps: How many a sample may take, about: long calls are shared out to threads, and made
                so that Ctrl-C is heard.

        Returns:
            A named tuple of the outputs, without the last, after each sample's last step.

        Raises:
            InvalidInput: An argument is missing, or has the wrong shape.
            KeyboardInterrupt: Ctrl-C, within a step.
        """
        self._check_count(values)
        given = arrays.input_arrays(self.name, self.inputs, values, self.dtype)
        batch = arrays.batch_shape(self.name, self.inputs, given)
        found = [np.empty(batch + port.shape, self.dtype) for port in self.outputs[:-1]]
        samples = math.prod(batch)
        if samples:
            read = [
                arrays.strided_input(port, array, batch)
                for port, array in zip(self.inputs, given, strict=True)
            ]
            numbers = [samples, *(number for described in read for number in described.record)]
            for port, array in zip(self.outputs, found, strict=False):
                numbers += [array.ctypes.data, port.size * array.itemsize, array.itemsize]
            table = (ctypes.c_int64 * len(numbers))(*numbers)
            a_step = Workload.of(self.operations, self.threads, BLOCK)
            a_step.times(steps).run(self._share, table, samples, (self, read, found))
        return self._found(*found)


@repeated_interrupts()
def compile_until(
    step: ca.Function,
    carried: int,
    *,
    shapes: Shapes | None = None,
    dtype: Any = "float64",
    threads: int | None = None,
    cache: bool = True,
    target: Target | None = None,
) -> UntilKernel:
    """Machine code that takes a step until each sample is done.

    What a sample comes to depends on nothing but its own inputs, not on those beside it. The step
    itself has to see to it that every sample is done at some time.

    Args:
        step: A function whose first ``carried`` outputs are, in the next step, its first inputs,
            and whose last output is one number: other than zero when a sample is done.
        carried: How many inputs and outputs that is.
        shapes: Trailing shapes by name, as for ``compile``.
        dtype: ``float64`` or ``float32``.
        threads: How many threads may share the samples; None for one per processor.
        cache: Whether to keep machine code on disk.
        target: The processor; the one this process runs on by default.

    Raises:
        CompileError: The step has an operation that has no machine code.
        InvalidInput: Carried inputs and outputs differ in size, or the last output is not one
            number.
    """
    number, threads = checked_dtype(dtype), checked_threads(threads)
    step = scalar_function(step)
    inputs, outputs = ports(step, shapes)
    check_carried(step, inputs, outputs, carried)
    if not carried < len(outputs) or outputs[-1].size != 1:
        raise InvalidInput(
            f"the last output of '{step.name()}' must be one number that says whether a sample is "
            "done, and is not carried."
        )

    def link(entry: object_cache.Entry) -> UntilKernel:
        return UntilKernel(entry, inputs, outputs, number, threads)

    def emit(program: SplitGraph, shape: BlockShape) -> str:
        return emit_until(program, shape, carried)

    return linked_step(step, number, shapes, cache, target, emit, f"until, {carried} carried", link)
