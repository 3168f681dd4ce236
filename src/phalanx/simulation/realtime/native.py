"""Real-time loop in native code, independent of the interpreter's lock (GIL).

The same as :class:`~phalanx.simulation.realtime.loop.RealTimeLoop` for a step that is a kernel.
Steps are taken in machine code, outside of the interpreter (``kernel/loops``); Python threads look
at the state and change its inputs, and cannot hold it up.
"""

from __future__ import annotations

import math
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phalanx.base.arguments import checked
from phalanx.base.errors import InvalidInput
from phalanx.kernel import Kernel
from phalanx.kernel.interrupts.interruptible import interruptible
from phalanx.kernel.loops import paced_words as words
from phalanx.kernel.loops.double_buffer import DoubleBuffer
from phalanx.kernel.loops.emit_words import SYSTEM_CLOCK
from phalanx.kernel.loops.paced import can_pace, pacer
from phalanx.kernel.loops.ring_buffer import RingBuffer, StoredStates
from phalanx.simulation.realtime.controls import Controls, checked_period, steps_of
from phalanx.simulation.realtime.pacing import Pacing, checked_speed
from phalanx.simulation.realtime.polling import polling
from phalanx.simulation.realtime.timing import LoopTiming, timing_of

Array = NDArray[np.float64]

NANO = 1_000_000_000
PATIENCE = 5.0  # [s] that a step may take at most


@final
class NativeLoop(Controls):
    """Takes compiled steps at a fixed rate.

    The step is a kernel from the state and any inputs to the next state. All methods but
    :meth:`run` and :meth:`take` are for any thread and return at once, or after the step that is
    being taken.
    """

    def __init__(
        self,
        kernel: Kernel,
        x: Array,
        inputs: Sequence[ArrayLike],
        period: float,
        *,
        pacing: Pacing,
        every: int = 1,
        clock: str = SYSTEM_CLOCK,
    ) -> None:
        """Prepare; nothing runs yet.

        Args:
            kernel: From the state and inputs to the next state.
            x: The state at first.
            inputs: Its inputs at first.
            period: Machine time of a step [s].
            pacing: How it keeps time.
            every: States are kept of every so many steps, once :meth:`keep` asks for them.
            clock: What it waits by, as native code has it; see ``emit_clock``.

        Raises:
            InvalidInput: When the period is not positive, or the system has no such clock.
        """
        self.period = checked_period(period)
        self.policy = pacing.policy
        if not can_pace():
            raise InvalidInput(f"native real-time loops need Linux; this is {sys.platform}.")
        self._words = np.zeros(words.WORDS, np.int64)
        self._words[words.IDLE] = 1
        self._words[words.ENDS] = not pacing.stays
        self._every, self._clock = every, clock
        self._lock = threading.Lock()  # of threads that pause, resume, step, restart
        self._alone = threading.Lock()  # of who runs it
        self._x = np.array(x, dtype=np.float64)
        self._after = np.empty_like(self._x)
        self._inputs = buffer = DoubleBuffer(self._words, inputs)
        self._ring = RingBuffer(self._words, self._x.size + buffer.in_use.size)
        self._durations = np.zeros(words.DURATIONS, np.int64)
        self._kernel = kernel
        taken = [self._x, *buffer.split(buffer.in_use)]
        begin, self._table = kernel.in_place(taken, [self._after])
        arrays = [self._table, self._x, self._after, buffer.in_use, buffer.sets]
        arrays += [self._ring.rows, self._ring.counts, self._durations]
        addresses = [begin, *(array.ctypes.data for array in arrays)]
        assert len(addresses) == len(words.PLACES)
        self._places = np.array([*addresses, self._x.size, buffer.in_use.size], np.int64)
        self.set_speed(pacing.speed)

    # -- controls --------------------------------------------------------------------------------

    def pause(self) -> None:
        """Take no more steps until :meth:`resume`; returns when the present step is done."""
        with self._lock:
            self._pause()

    def resume(self) -> None:
        with self._lock:
            self._words[words.ASKED] = self._words[words.SINGLES]
            self._words[words.FAULT] = 0
            self._words[words.PAUSED] = 0

    def single_step(self) -> None:
        with self._lock:
            self._words[words.PAUSED] = 1
            asked, taken = self._words[words.ASKED], self._words[words.SINGLES]
            self._words[words.ASKED] = max(asked, taken) + 1

    @checked
    def set_speed(self, speed: float) -> None:
        """Change machine time over clock time, from now on.

        Raises:
            InvalidInput: When it is not positive.
        """
        self._speed = checked_speed(speed)
        numbers = self._words.view(np.float64)
        numbers[words.LIMIT] = self.policy.limit
        numbers[words.PERIOD] = min(self.period / speed * NANO, words.FOREVER)

    def stop(self) -> None:
        self._words[words.STOP] = 1

    @property
    def paused(self) -> bool:
        return bool(self._words[words.PAUSED])

    @property
    def speed(self) -> float:
        return self._speed

    def recent_timing(self, steps: int) -> LoopTiming:
        count, missed, longest, elapsed, given_up, late = (
            int(word) for word in self._words[words.COUNT : words.LATE + 1]
        )
        latest = np.arange(max(0, count - min(steps, words.DURATIONS)), count) % words.DURATIONS
        return timing_of(
            self._durations[latest] / NANO,
            steps=count,
            elapsed=elapsed / NANO,
            step_max=longest / NANO,
            missed=missed,
            drift=(given_up + late) / NANO,
        )

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

    def _pause(self) -> None:
        self._words[words.PAUSED] = 1
        self._words[words.ASKED] = self._words[words.SINGLES]
        end = time.monotonic() + PATIENCE
        while not self._words[words.IDLE]:
            if time.monotonic() > end:
                raise InvalidInput(f"a step has not ended in {PATIENCE:g} s.")
            time.sleep(2e-4)

    # -- inputs and states -----------------------------------------------------------------------

    def set_inputs(self, inputs: Mapping[int, ArrayLike]) -> None:
        """Change inputs, by their numbers; a step has all of these changes or none."""
        self._inputs.change(inputs)

    def inputs(self) -> list[Array]:
        """The inputs, as the next step will have them."""
        return self._inputs.now()

    def keep(self, wanted: bool) -> None:
        """Switch the storing of states on or off; those not fetched yet stay.

        While some are, a thread has to fetch them: a loop that finds no room waits for it.
        """
        self._words[words.EVERY] = self._every if wanted else 0

    def fetch(self) -> StoredStates:
        """Return the states stored since the last call; for one thread at a time.

        Of steps without a clock, which do not wait for a reader, the latest thousands are there.
        """
        counts, rows = self._ring.fetch()
        size = self._x.size
        return StoredStates(counts, rows[:, :size], self._inputs.split(rows[:, size:]))

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

    @property
    def fault(self) -> bool:
        """Whether a step led to numbers that are none; it was not taken, and the loop paused."""
        return bool(self._words[words.FAULT])

    @property
    def refused(self) -> Array:
        """The state that was not taken after a fault."""
        return self._after.copy()

    # -- the loop --------------------------------------------------------------------------------

    @checked
    def run(
        self, duration: float | None = None, until: threading.Event | None = None
    ) -> LoopTiming:
        """Take steps until the duration is over, the event is set (50 checks a second), or a stop.

        Steps are taken in this thread, or beside it if it is the main one, which hears Ctrl-C; the
        thread beside it inherits its priority.

        Raises:
            InvalidInput: When the loop runs already, or the duration is not positive.
            KeyboardInterrupt: Ctrl-C in the main thread, after the step that is being taken.
        """
        steps = steps_of(duration, self.period)
        if not self._alone.acquire(blocking=False):
            raise InvalidInput("the loop runs already; pause, resume and stop control it.")

        def look() -> None:
            if until is not None and until.is_set():
                self.stop()

        try:
            look()
            with polling(look, self.stop) if until is not None else nullcontext():
                self._run(steps, free=False)
        finally:
            self._alone.release()
        return self.timing

    def take(self, steps: float = math.inf) -> None:
        """Take steps as fast as they come, without a clock, in this thread; a fault ends them.

        Raises:
            KeyboardInterrupt: Ctrl-C, after the step that is being taken.
        """
        self._run(steps, free=True)

    def _run(self, steps: float, *, free: bool) -> None:
        pace = pacer(self._clock)
        self._words[words.LEFT] = -1 if math.isinf(steps) else steps
        self._words[words.FREE] = free
        shared, places = self._words.ctypes.data, self._places.ctypes.data
        try:
            interruptible(lambda: pace(shared, places), self.stop)
        finally:
            self._words[words.STOP] = 0
