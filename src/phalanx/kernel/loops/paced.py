"""Steps by the clock in native code: the interpreter may do something else meanwhile.

A Python thread that steps a machine at 1 kHz shares the interpreter with all others, and waits
whenever one of them has it. :class:`PacedLoop` takes its steps in machine code, outside of the
interpreter; Python threads look at its state and change what it is told, and cannot hold it up.
"""

from __future__ import annotations

import ctypes
import functools
import sys
import time
from collections.abc import Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from phalanx.errors import InvalidInput
from phalanx.kernel.interrupts.interruptible import interruptible
from phalanx.kernel.llvm.native import Library, assemble
from phalanx.kernel.llvm.target import host_target
from phalanx.kernel.loops import emit_paced as words
from phalanx.kernel.loops.loop import LoopKernel

Array = NDArray[np.float64]

NANO = 1_000_000_000
LAG = 100  # steps to be behind at most; what lies further back is given up
PATIENCE = 5.0  # [s] that a step may take at most


@functools.cache
def _pace() -> tuple[Library, Any]:
    library = Library(assemble(words.emit_paced(), host_target(), effort=1), ("pace",), {})
    kinds = [ctypes.c_void_p] * 5 + [ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64]
    prototype = ctypes.CFUNCTYPE(None, *kinds, ctypes.c_void_p, ctypes.c_void_p)
    return library, prototype(library.address("pace"))


def can_pace() -> bool:
    """Whether this system has the clock that native steps wait for."""
    return sys.platform == "linux"


@final
class PacedLoop:
    """A compiled step, taken when it is due.

    The step is that of a :class:`LoopKernel` with one carried state, any held inputs and one
    recorded row. All methods but :meth:`run` are for any thread and return at once, or after the
    step that is being taken.
    """

    def __init__(
        self, kernel: LoopKernel, x: Array, inputs: Sequence[Array], period: float, every: int = 1
    ) -> None:
        """Prepare; nothing runs yet, and the loop is paused.

        Args:
            kernel: The step.
            x: The state at first.
            inputs: What it is told at first.
            period: Between two steps [s].
            every: Rows are kept of every so many steps, once :meth:`keep_rows` asks for them.
        """
        if not can_pace():
            raise InvalidInput(f"native real-time loops need Linux; this is {sys.platform}.")
        self._words = np.zeros(words.WORDS, np.int64)
        self._words[words.PAUSED] = self._words[words.IDLE] = 1
        self._words[words.PERIOD] = round(period * NANO)
        self._words[words.LAG] = LAG * round(period * NANO)
        self._every = every
        self._x = np.array(x, dtype=np.float64)
        self.inputs = [np.array(value, dtype=np.float64) for value in inputs]
        self._after = np.empty_like(self._x)
        self._row = np.zeros(kernel.row_size)
        self._ring = np.zeros((words.RING, kernel.row_size))
        self._durations = np.zeros(words.DURATIONS, np.int64)
        self._fetched = 0
        self._kernel = kernel
        self._table = kernel.table_in_place([self._x, *self.inputs], [self._after], [self._row])

    # -- controls --------------------------------------------------------------------------------

    def pause(self) -> None:
        """Take no more steps; returns when the last one is done."""
        self._words[words.PAUSED] = 1
        end = time.monotonic() + PATIENCE
        while not self._words[words.IDLE]:
            if time.monotonic() > end:
                raise InvalidInput(f"a step has not ended in {PATIENCE:g} s.")
            time.sleep(2e-4)

    def resume(self) -> None:
        """Go on, with the next step at once."""
        self._words[words.FAULT] = 0
        self._words[words.PAUSED] = 0

    def stop(self) -> None:
        """End :meth:`run`."""
        self._words[words.STOP] = 1

    @property
    def paused(self) -> bool:
        """Whether steps wait for :meth:`resume`."""
        return bool(self._words[words.PAUSED])

    @property
    def fault(self) -> bool:
        """Whether a step led to numbers that are none; it was not taken, and the loop paused."""
        return bool(self._words[words.FAULT])

    def restart(self, x: Array) -> None:
        """Begin anew at another state; paused or running as before."""
        was_paused = self.paused
        self.pause()
        self._x[:] = x
        self._words[words.COUNT : words.FAULT + 1] = 0
        self._words[words.PAUSED] = was_paused

    def keep_rows(self, wanted: bool) -> None:
        """Whether rows are kept from now on; those not fetched yet stay."""
        self._words[words.EVERY] = self._every if wanted else 0

    # -- what it says ----------------------------------------------------------------------------

    def state(self) -> tuple[int, Array]:
        """Steps taken since the begin, and the state after them; never torn."""
        while True:
            before = int(self._words[words.SEQUENCE])
            count, x = int(self._words[words.COUNT]), self._x.copy()
            if before % 2 == 0 and int(self._words[words.SEQUENCE]) == before:
                return count, x

    def rows(self) -> Array:
        """Rows kept since this was last asked, shape (n, width).

        The ring holds some thousands; who asks too late gets the latest of them.
        """
        head = int(self._words[words.KEPT])
        first = max(self._fetched, head - words.RING + 1)
        self._fetched = head
        return self._ring[np.arange(first, head) % words.RING]

    def word(self, k: int) -> int:
        """A number the loop keeps; see ``emit_paced``."""
        return int(self._words[k])

    def durations(self, latest: int) -> Array:
        """Times of the latest steps since the begin [s]."""
        end = int(self._words[words.COUNT])
        where = np.arange(max(0, end - min(latest, words.DURATIONS)), end) % words.DURATIONS
        return self._durations[where] / NANO

    # -- the loop --------------------------------------------------------------------------------

    def run(self, steps: int | None = None, *, free: bool = False) -> None:
        """Take steps until stopped, or so many; the interpreter is free meanwhile.

        Steps are taken in this thread, or beside it if it is the main one, which hears Ctrl-C; the
        thread beside it inherits its priority.

        Args:
            steps: How many; endless when not given.
            free: Take them as fast as they come, without a clock; a fault ends them.

        Raises:
            KeyboardInterrupt: Ctrl-C, after the step that is being taken.
        """
        _, pace = _pace()
        self._words[words.LEFT] = -1 if steps is None else steps
        self._words[words.FREE] = free
        addresses = [a.ctypes.data for a in (self._words, self._table)]
        try:
            interruptible(
                lambda: pace(
                    *addresses,
                    self._kernel.share_address,
                    self._x.ctypes.data,
                    self._after.ctypes.data,
                    self._x.size,
                    self._row.ctypes.data,
                    self._row.size,
                    self._ring.ctypes.data,
                    self._durations.ctypes.data,
                ),
                self.stop,
            )
        finally:
            self._words[words.STOP] = 0
