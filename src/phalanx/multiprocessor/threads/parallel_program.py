"""Parallel program: a plan as machine code for pinned threads.

Policy: one thread for each processor of the plan; the calling thread is processor 0. A processor
does its tasks in the order of the plan, as soon as what they read is there: the plan's times are
not kept, only its order. It waits by looking at memory, and gives way to other threads after a
while, so that plans for more processors than there are work too, if slowly. Threads sleep between
calls; a call that fails tells all others to stop.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import time
from collections.abc import Sequence
from typing import Any, final

import numpy as np

from phalanx.base.cached import ForkSafeLock
from phalanx.base.errors import InvalidInput
from phalanx.kernel.call.threads import processors as usable_processors
from phalanx.kernel.interrupts.interruptible import interruptible
from phalanx.kernel.interrupts.workers import Workers, WorkItem
from phalanx.kernel.llvm.native import Library, object_code
from phalanx.kernel.llvm.target import host_target
from phalanx.kernel.parallel.emit_parallel import emit_parallel
from phalanx.kernel.parallel.shared_memory import PATIENCE_WORD, STOP_WORD
from phalanx.kernel.parallel.synchronize import synchronize
from phalanx.kernel.parallel.yield_processor import YIELD, yield_address
from phalanx.multiprocessor.tasks.task_graph import TaskGraph
from phalanx.multiprocessor.threads.given import with_given
from phalanx.multiprocessor.threads.system import aligned, on_processor

# looks before a thread gives way: about 30 µs, longer than any wait for a processor that runs
_PATIENCE = 1000


@final
class ParallelProgram:
    """The tasks of a graph as machine code for several threads.

    Only one call runs at a time; others wait for it.

    Attributes:
        graph: The tasks.
        processors: How many threads work on an evaluation, the calling one included.
        waits: How often, in one evaluation, a processor waits for another one; waits that earlier
            ones cover are not counted, nor is the barrier at the end.
        messages: How often a processor signals others that results are there.
    """

    def __init__(self, graph: TaskGraph, steps: Sequence[Sequence[Sequence[int]]]) -> None:
        """Compile; :func:`compile_plan` makes programs from plans."""
        program = graph.program
        if program is None:
            raise InvalidInput(
                f"task graph '{graph.name}' has costs but no program, so there is nothing to run."
            )
        self.graph = graph
        self.processors = len(steps)
        target = host_target()
        scripts = synchronize(program, with_given(program, steps))
        self.waits = sum(len(waits) for script in scripts for waits in script.waits)
        self.messages = sum(len(script.publishes) for script in scripts)
        text, self._layout = emit_parallel(program, scripts, target)
        names = tuple(f"processor{p}" for p in range(self.processors))
        self._library = Library(
            object_code(text, target, effort=1), names, {YIELD: yield_address()}
        )
        signature = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
        self._run = [signature(self._library.address(name)) for name in names]

        self._memory = aligned(self._layout.words)
        for word, number in self._layout.constants.items():
            self._memory[word] = number
        counters = self._memory.view(np.int64)
        # with fewer processors than threads, who waits must let the others work at once
        counters[PATIENCE_WORD] = _PATIENCE if self.processors <= usable_processors() else 0
        self._counters = counters
        self._results = [np.array(words, dtype=np.intp) for words in self._layout.results]
        self._evaluations = 0
        self._lock = ForkSafeLock()
        self._pool: tuple[int, Workers] | None = None

    def __call__(self, *inputs: Any) -> Any:
        """One evaluation.

        Args:
            inputs: An array for each input of the graph's program, ``q, v, a``.

        Returns:
            The output, or a tuple of outputs.
        """
        with self._lock:
            self._write(inputs)
            self._evaluate(1)
            return self._read()

    def repeat(self, evaluations: int, *inputs: Any) -> float:
        """Evaluate many times without coming back to Python, threads pinned to processors.

        Every evaluation starts when all processors have finished the one before, and its numbers
        are in memory.

        Returns:
            Time of one evaluation [s].

        Raises:
            KeyboardInterrupt: Ctrl-C, after the evaluation that processors are at.
        """
        if evaluations < 1:
            raise InvalidInput(f"{evaluations} evaluations; there must be at least one.")
        with self._lock:
            self._write(inputs)
            taken = interruptible(lambda: self._evaluate(1 + evaluations, pinned=True), self._stop)
            return taken / evaluations

    def _write(self, inputs: Sequence[Any]) -> None:
        program = self.graph.program
        assert program is not None
        if len(inputs) != len(program.inputs):
            names = ", ".join(port.name for port in program.inputs)
            raise InvalidInput(f"'{program.name}' takes {names}; got {len(inputs)} arrays.")
        for port, first, array in zip(program.inputs, self._layout.inputs, inputs, strict=True):
            numbers = np.asarray(array, dtype=np.float64)
            if numbers.shape != port.shape:
                raise InvalidInput(
                    f"'{port.name}' of '{program.name}' has shape {port.shape}, got "
                    f"{numbers.shape}; threads work on one state at a time."
                )
            self._memory[first : first + port.size] = numbers.ravel()

    def _read(self) -> Any:
        program = self.graph.program
        assert program is not None
        arrays = tuple(
            self._memory[words].reshape(port.shape)
            for words, port in zip(self._results, program.outputs, strict=True)
        )
        return arrays[0] if len(arrays) == 1 else arrays

    def _evaluate(self, evaluations: int, *, pinned: bool = False) -> float:
        """Take all processors through some evaluations; returns the time of all but the first [s].

        In the first one threads still wake up.
        """
        first = self._evaluations + 1
        self._evaluations += evaluations
        self._counters[STOP_WORD] = 0
        helpers = [
            WorkItem(functools.partial(self._help, p, first, evaluations, pinned))
            for p in range(1, self.processors)
        ]
        try:
            for helper in helpers:
                self._threads.hand(helper)
            with on_processor(0) if pinned else contextlib.nullcontext():
                self._run[0](self._memory.ctypes.data, first, 1)
                start = time.perf_counter()
                self._run[0](self._memory.ctypes.data, first + 1, evaluations - 1)
                elapsed = time.perf_counter() - start
            for helper in helpers:
                helper.result()
        except BaseException:
            for helper in helpers:
                helper.settle(self._stop)
            raise
        return elapsed

    def _stop(self) -> None:
        """Let all processors leave after the evaluation they are at."""
        self._counters[STOP_WORD] = 1

    def _help(self, processor: int, first: int, evaluations: int, pinned: bool) -> None:
        """What the thread of another processor does; ctypes lets the interpreter go meanwhile."""
        try:
            with on_processor(processor) if pinned else contextlib.nullcontext():
                self._run[processor](self._memory.ctypes.data, first, evaluations)
        except BaseException:
            self._stop()
            raise

    @property
    def _threads(self) -> Workers:
        """As many as there are helpers, so that all run at once; a forked child makes its own."""
        if self._pool is None or self._pool[0] != os.getpid():
            self._pool = os.getpid(), Workers(self.processors - 1)
        return self._pool[1]

    def __repr__(self) -> str:
        """Like ``ParallelProgram(puma560, 230 tasks on 2 threads, 41 waits)``."""
        return (
            f"ParallelProgram({self.graph.name}, {len(self.graph)} tasks on "
            f"{self.processors} threads, {self.waits} waits)"
        )
