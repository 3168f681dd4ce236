"""Compiled loop: thousands of runs, each of many steps, in one native call."""

from __future__ import annotations

import ctypes
import math
from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, final

import casadi as ca
import numpy as np

from phalanx.base.errors import InvalidInput
from phalanx.kernel.build import BLOCK, checked_dtype, checked_threads
from phalanx.kernel.call import arrays
from phalanx.kernel.call.threads import Workload
from phalanx.kernel.graph.graph import Port
from phalanx.kernel.graph.passes.split import SplitGraph
from phalanx.kernel.graph.read_casadi import Shapes, ports, scalar_function
from phalanx.kernel.interrupts.interruptible import repeated_interrupts
from phalanx.kernel.llvm import cache as object_cache
from phalanx.kernel.llvm.emit_piece import BlockShape
from phalanx.kernel.llvm.target import Target
from phalanx.kernel.loops.emit_loop import LoopPorts, emit_loop
from phalanx.kernel.loops.native_step import NativeStep, check_carried, linked_step
from phalanx.kernel.loops.pieces import in_pieces

# blocks of runs for each thread, of which so many say well enough how far a call is
MANY = 50 * BLOCK


class LoopResult(NamedTuple):
    """Result of a loop: the carried values after the last step, and the recordings."""

    final: Any
    recorded: Any


@final
class LoopKernel(NativeStep):
    """Machine code that takes a step many times, over arrays of runs.

    Attributes:
        loop: What is carried, streamed and recorded.
    """

    def __init__(self, loop: LoopPorts, *linked: Any) -> None:
        """Link object code; :func:`compile_loop` makes loop kernels."""
        super().__init__(*linked)
        self.loop = loop
        outputs = self.outputs
        self._final: Any = namedtuple(  # type: ignore[misc]
            "final", [port.name for port in outputs[: loop.carried]], rename=True
        )
        self._recorded: Any = namedtuple(  # type: ignore[misc]
            "recorded", [outputs[p].name for p in loop.recorded], rename=True
        )

    def __call__(
        self,
        steps: int,
        *values: object,
        every: int = 1,
        progress: Callable[[float], None] | None = None,
    ) -> LoopResult:
        """Take ``steps`` steps.

        Args:
            steps: How many, at least one.
            values: The step's inputs in order: arrays ``(..., n)``, or ``(..., steps, n)`` for
                those read anew in every step. Leading axes are runs and broadcast together.
            every: Record after every so many steps.
            progress: Told how far a call is that lasts, from 0 to 1.

        Returns:
            Final values ``(..., n)`` and recordings ``(..., steps // every, n)``.

        Raises:
            InvalidInput: An argument is missing, or has the wrong shape.
            KeyboardInterrupt: Ctrl-C, within a step of each run at work.
        """
        if not (_is_count(steps) and _is_count(every)):
            raise InvalidInput(f"steps={steps}, every={every}; expected whole numbers from 1 on.")
        self._check_count(values)
        slots = [self._slot(p, steps) for p in range(len(self.inputs))]
        given = arrays.input_arrays(self.name, slots, values, self.dtype)
        batch = arrays.batch_shape(self.name, slots, given)
        runs = math.prod(batch)
        a_step = Workload.of(self.operations, self.threads, BLOCK, self._moved_each_step)
        if progress is not None and runs < MANY * self.threads and a_step.is_long(runs, steps):
            return in_pieces(self, given, steps, every, progress)
        finals = [np.empty(batch + p.shape, self.dtype) for p in self._carried_outputs]
        count = steps // every
        recordings = [
            np.empty((*batch, count, *self.outputs[p].shape), self.dtype)
            for p in self.loop.recorded
        ]
        described = [self._describe(p, array, batch) for p, array in enumerate(given)]
        numbers = [steps, every, *self._records(described, finals, recordings)]
        if runs:
            table = (ctypes.c_int64 * len(numbers))(*numbers)
            owned = (self, described, finals, recordings)
            a_step.times(steps).run(self._share, table, runs, owned, progress)
        return LoopResult(self._final(*finals), self._recorded(*recordings))

    def _records(
        self,
        inputs: Sequence[arrays.Strided],
        finals: Sequence[Any],
        recordings: Sequence[Any],
    ) -> list[int]:
        """Where arrays are and how they are laid out, in the order of ``emit_loop``."""
        numbers: list[int] = []
        for p, described in enumerate(inputs):
            numbers += [*described.record, self._step_stride(p, described.array)]
        for port, array in zip(self._carried_outputs, finals, strict=True):
            numbers += [array.ctypes.data, port.size * array.itemsize, array.itemsize, 0]
        for p, array in zip(self.loop.recorded, recordings, strict=True):
            row = self.outputs[p].size * array.itemsize
            count = array.shape[-1 - len(self.outputs[p].shape)]
            numbers += [array.ctypes.data, count * row, array.itemsize, row]
        return numbers

    @property
    def _moved_each_step(self) -> list[Port]:
        """What is read and written in every step."""
        read = [self.inputs[p] for p in self.loop.streamed]
        return read + [self.outputs[p] for p in self.loop.recorded]

    @property
    def _carried_outputs(self) -> tuple[Port, ...]:
        return self.outputs[: self.loop.carried]

    def _slot(self, p: int, steps: int) -> Port:
        """The port with the trailing shape its array has here."""
        port = self.inputs[p]
        if p not in self.loop.streamed:
            return port
        return Port(port.name, steps * port.size, 1, (steps, *port.shape))

    def _describe(self, p: int, array: Any, batch: tuple[int, ...]) -> arrays.Strided:
        """An input for machine code; of a streamed one, its first step. Copied only if it must."""
        port = self.inputs[p]
        if p not in self.loop.streamed:
            return arrays.strided_input(port, array, batch)
        first_step = (..., 0, *(slice(None),) * len(port.shape))
        found = arrays.strided(port, array[first_step], batch) if array.flags.aligned else None
        if found is None:
            whole = batch + array.shape[self._time_axis(p) :]
            array = np.array(np.broadcast_to(array, whole), order="C")
            found = arrays.strided(port, array[first_step], batch)
            assert found is not None
        return arrays.Strided(array, found.record)

    def _time_axis(self, p: int) -> int:
        return -1 - len(self.inputs[p].shape)

    def _step_stride(self, p: int, array: Any) -> int:
        return int(array.strides[self._time_axis(p)]) if p in self.loop.streamed else 0


def _is_count(value: object) -> bool:
    """Whether machine code can count so far; it divides by what comes here."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return whole and 1 <= int(value) < 2**63  # type: ignore[call-overload]


@repeated_interrupts()
def compile_loop(
    step: ca.Function,
    carried: int,
    *,
    streamed: Sequence[str] = (),
    recorded: Sequence[str] = (),
    shapes: Shapes | None = None,
    dtype: Any = "float64",
    threads: int | None = None,
    cache: bool = True,
    target: Target | None = None,
) -> LoopKernel:
    """Machine code that takes a step many times.

    Args:
        step: A function whose first ``carried`` outputs are, in the next step, its first inputs.
        carried: How many inputs and outputs that is.
        streamed: Names of inputs that are read anew in every step.
        recorded: Names of outputs to keep every few steps.
        shapes: Trailing shapes by name, as for ``compile``.
        dtype: ``float64`` or ``float32``.
        threads: How many threads may share the runs; None for one per processor.
        cache: Whether to keep machine code on disk.
        target: The processor; the one this process runs on by default.

    Raises:
        CompileError: The step has an operation that has no machine code.
        InvalidInput: Carried inputs and outputs differ in size, or a name is unknown.
    """
    number, threads = checked_dtype(dtype), checked_threads(threads)
    step = scalar_function(step)
    inputs, outputs = ports(step, shapes)
    check_carried(step, inputs, outputs, carried)
    names_in, names_out = [p.name for p in inputs], [p.name for p in outputs]
    for wanted, known in ((streamed, names_in[carried:]), (recorded, names_out)):
        for name in wanted:
            if name not in known:
                raise InvalidInput(f"'{step.name()}' has no '{name}' among {', '.join(known)}.")
        if len(set(wanted)) < len(wanted):
            raise InvalidInput(f"a name comes twice in {', '.join(wanted)}; once is enough.")
    loop = LoopPorts(
        carried,
        tuple(names_in.index(name) for name in streamed),
        tuple(names_out.index(name) for name in recorded),
    )

    def link(entry: object_cache.Entry) -> LoopKernel:
        return LoopKernel(loop, entry, inputs, outputs, number, threads)

    def emit(program: SplitGraph, shape: BlockShape) -> str:
        return emit_loop(program, shape, loop)

    return linked_step(step, number, shapes, cache, target, emit, repr(loop), link)
