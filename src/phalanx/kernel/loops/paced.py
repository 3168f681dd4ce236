"""Real-time loop in native code: the interpreter may do something else meanwhile.

A Python thread that steps a machine at 1 kHz shares the interpreter with all others, and waits
whenever one of them has it. :class:`PacedLoop` takes its steps in machine code, outside of the
interpreter; Python threads look at its state and change what it is told, and cannot hold it up.
"""

from __future__ import annotations

import ctypes
import functools
import math
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phalanx.base.errors import InvalidInput
from phalanx.kernel.interrupts.interruptible import interruptible
from phalanx.kernel.kernel import Kernel
from phalanx.kernel.llvm.native import Library, object_code
from phalanx.kernel.llvm.target import host_target
from phalanx.kernel.loops import paced_words as words
from phalanx.kernel.loops.double_buffer import DoubleBuffer
from phalanx.kernel.loops.emit_clock import SYSTEM_CLOCK
from phalanx.kernel.loops.emit_paced import emit_paced
from phalanx.kernel.loops.ring_buffer import Kept, Ring

Array = NDArray[np.float64]

NANO = 1_000_000_000
PATIENCE = 5.0  # [s] that a step may take at most


@functools.cache
def _pace(clock: str) -> tuple[Library, Any]:
    library = Library(object_code(emit_paced(clock), host_target(), effort=1), ("pace",), {})
    prototype = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
    return library, prototype(library.address("pace"))


def can_pace() -> bool:
    """Whether this system has the clock that native steps wait for."""
    return sys.platform == "linux"


@final
class PacedLoop:
    """A compiled step, taken when it is due.

    The step is a kernel from the state and any inputs to the next state. All methods but
    :meth:`run` are for any thread and return at once, or after the step that is being taken.
    """

    def __init__(
        self,
        kernel: Kernel,
        x: Array,
        inputs: Sequence[ArrayLike],
        period: float,
        every: int = 1,
        clock: str = SYSTEM_CLOCK,
    ) -> None:
        """Prepare; nothing runs yet, and the loop is paused.

        Args:
            kernel: The step.
            x: The state at first.
            inputs: What it is told at first.
            period: Between two steps [s].
            every: States are kept of every so many steps, once :meth:`keep` asks for them.
            clock: What it waits by; see ``emit_clock``.
        """
        if not can_pace():
            raise InvalidInput(f"native real-time loops need Linux; this is {sys.platform}.")
        self._words = np.zeros(words.WORDS, np.int64)
        self._words[words.PAUSED] = self._words[words.IDLE] = 1
        self._every, self._clock = every, clock
        self._lock = threading.Lock()  # of whoever pauses, resumes, steps, restarts
        self._x = np.array(x, dtype=np.float64)
        self._after = np.empty_like(self._x)
        self._told = told = DoubleBuffer(self._words, inputs)
        self._ring = Ring(self._words, self._x.size + told.in_use.size)
        self._durations = np.zeros(words.DURATIONS, np.int64)
        self._kernel = kernel
        taken = [self._x, *told.split(told.in_use)]
        begin, self._table = kernel.in_place(taken, [self._after])
        arrays = [self._table, self._x, self._after, told.in_use, told.sets]
        arrays += [self._ring.rows, self._ring.counts, self._durations]
        addresses = [begin, *(array.ctypes.data for array in arrays)]
        assert len(addresses) == len(words.PLACES)
        self._places = np.array([*addresses, self._x.size, told.in_use.size], np.int64)
        self.set_pace(period, 0.0)

    # -- controls --------------------------------------------------------------------------------

    def set_pace(self, period: float, limit: float) -> None:
        """How to go on: time between two steps [s], and how many to be behind at most.

        Late steps follow each other without a pause; what lies further back is given up.
        """
        numbers = self._words.view(np.float64)
        numbers[words.LIMIT] = limit
        numbers[words.PERIOD] = min(period * NANO, words.FOREVER)

    def pause(self) -> None:
        """Take no more steps; returns when the last one is done."""
        with self._lock:
            self._pause()

    def resume(self) -> None:
        """Go on, with the next step at once."""
        with self._lock:
            self._words[words.ASKED] = self._words[words.SINGLES]
            self._words[words.FAULT] = 0
            self._words[words.PAUSED] = 0

    def single_step(self) -> None:
        """Take one step while paused; pauses a loop that runs."""
        with self._lock:
            self._words[words.PAUSED] = 1
            asked, taken = self._words[words.ASKED], self._words[words.SINGLES]
            self._words[words.ASKED] = max(asked, taken) + 1

    def stop(self) -> None:
        """End :meth:`run`, or the next one before its first step."""
        self._words[words.STOP] = 1

    def end_at_faults(self, wanted: bool) -> None:
        """Whether a fault ends :meth:`run`; otherwise it waits for somebody to go on."""
        self._words[words.ENDS] = wanted

    def restart(self, x: Array) -> None:
        """Begin anew at another state; paused or running as before."""
        with self._lock:
            was_paused = self.paused
            self._pause()
            self._words[words.SEQUENCE] += 1  # odd: who looks now looks again
            self._x[:] = x
            self._words[words.COUNT : words.FAULT + 1] = 0
            self._words[words.SEQUENCE] += 1
            self._words[words.PAUSED] = was_paused

    def tell(self, inputs: Mapping[int, ArrayLike]) -> None:
        """Change inputs, by their numbers; a step has all of these changes or none."""
        self._told.change(inputs)

    def keep(self, wanted: bool) -> None:
        """Whether states are kept from now on; those not fetched yet stay.

        While some are, somebody has to fetch them: a loop that finds no room waits for it.
        """
        self._words[words.EVERY] = self._every if wanted else 0

    def _pause(self) -> None:
        self._words[words.PAUSED] = 1
        self._words[words.ASKED] = self._words[words.SINGLES]
        end = time.monotonic() + PATIENCE
        while not self._words[words.IDLE]:
            if time.monotonic() > end:
                raise InvalidInput(f"a step has not ended in {PATIENCE:g} s.")
            time.sleep(2e-4)

    # -- what it says ----------------------------------------------------------------------------

    @property
    def paused(self) -> bool:
        """Whether steps wait for :meth:`resume`."""
        return bool(self._words[words.PAUSED])

    @property
    def fault(self) -> bool:
        """Whether a step led to numbers that are none; it was not taken, and the loop paused."""
        return bool(self._words[words.FAULT])

    @property
    def refused(self) -> Array:
        """The state that was not taken after a fault."""
        return self._after.copy()

    def look(self) -> tuple[int, int, Array]:
        """How many states there were to see, steps since the begin, the state; never torn.

        The first grows with every state, also when the loop begins anew.
        """
        while True:
            before = int(self._words[words.SEQUENCE])
            count, x = int(self._words[words.COUNT]), self._x.copy()
            if before % 2 == 0 and int(self._words[words.SEQUENCE]) == before:
                return 1 + before // 2, count, x

    def state(self) -> tuple[int, Array]:
        """Steps taken since the begin, and the state after them; never torn."""
        return self.look()[1:]

    def told(self) -> list[Array]:
        """The inputs, as the next step will have them."""
        return self._told.now()

    def kept(self) -> Kept:
        """What was kept since this was last asked; for one thread at a time.

        Of steps without a clock, which do not wait for anybody, the latest thousands are there.
        """
        counts, rows = self._ring.fetch()
        size = self._x.size
        return Kept(counts, rows[:, :size], self._told.split(rows[:, size:]))

    def word(self, k: int) -> int:
        """A number the loop keeps; see ``paced_words``."""
        return int(self._words[k])

    def durations(self, latest: int) -> Array:
        """Times of the latest steps since the begin [s]."""
        end = int(self._words[words.COUNT])
        where = np.arange(max(0, end - min(latest, words.DURATIONS)), end) % words.DURATIONS
        return self._durations[where] / NANO

    # -- the loop --------------------------------------------------------------------------------

    def run(self, steps: float = math.inf, *, free: bool = False) -> None:
        """Take steps until stopped, or so many; the interpreter is free meanwhile.

        Steps are taken in this thread, or beside it if it is the main one, which hears Ctrl-C; the
        thread beside it inherits its priority.

        Args:
            steps: How many; endless when not given.
            free: Take them as fast as they come, without a clock; a fault ends them.

        Raises:
            KeyboardInterrupt: Ctrl-C, after the step that is being taken.
        """
        _, pace = _pace(self._clock)
        self._words[words.LEFT] = -1 if math.isinf(steps) else steps
        self._words[words.FREE] = free
        shared, places = self._words.ctypes.data, self._places.ctypes.data
        try:
            interruptible(lambda: pace(shared, places), self.stop)
        finally:
            self._words[words.STOP] = 0
