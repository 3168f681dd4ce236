"""Real-time loop in native code: no Python thread can hold it up.

The same as :class:`~phalanx.simulation.realtime.loop.RealTimeLoop` for a step that is a kernel.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import nullcontext
from typing import final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.arguments import checked
from phalanx.base.errors import InvalidInput
from phalanx.kernel import Kernel
from phalanx.kernel.loops import paced_words as words
from phalanx.kernel.loops.emit_clock import SYSTEM_CLOCK
from phalanx.kernel.loops.paced import NANO, PacedLoop
from phalanx.simulation.realtime.controls import Controls, checked_period, steps_of
from phalanx.simulation.realtime.looking import looking
from phalanx.simulation.realtime.pacing import Pacing, checked_speed
from phalanx.simulation.realtime.timing import KEPT, Timing, timing_of

Array = NDArray[np.float64]


@final
class NativeLoop(Controls):
    """Takes compiled steps at a fixed rate.

    Attributes:
        paced: The loop itself, which shows its state and is told inputs.
    """

    def __init__(
        self,
        kernel: Kernel,
        x: Array,
        inputs: Sequence[Array],
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
            inputs: What it is told at first.
            period: Machine time of a step [s].
            pacing: How it keeps time.
            every: States are kept of every so many steps, for recordings.
            clock: What it waits by, as native code has it; see ``emit_clock``.

        Raises:
            InvalidInput: When the period is not positive, or the system has no such clock.
        """
        self.period = checked_period(period)
        self.policy = pacing.policy
        self.paced = PacedLoop(kernel, x, inputs, period, every, clock)
        self.paced.end_at_faults(not pacing.stays)
        self.set_speed(pacing.speed)
        self.paced.resume()
        self._alone = threading.Lock()

    # -- controls --------------------------------------------------------------------------------

    def pause(self) -> None:
        """See :class:`Controls`; returns when the step that is being taken is done."""
        self.paced.pause()

    def resume(self) -> None:
        """See :class:`Controls`."""
        self.paced.resume()

    def single_step(self) -> None:
        """See :class:`Controls`."""
        self.paced.single_step()

    @checked
    def set_speed(self, speed: float) -> None:
        """See :class:`Controls`.

        Raises:
            InvalidInput: When it is not positive.
        """
        self._speed = checked_speed(speed)
        self.paced.set_pace(self.period / speed, self.policy.limit)

    def stop(self) -> None:
        """See :class:`Controls`."""
        self.paced.stop()

    @property
    def paused(self) -> bool:
        """See :class:`Controls`."""
        return self.paced.paused

    @property
    def speed(self) -> float:
        """See :class:`Controls`."""
        return self._speed

    @property
    def timing(self) -> Timing:
        """See :class:`Controls`."""
        return self.recent_timing(KEPT)

    def recent_timing(self, steps: int) -> Timing:
        """The same, with times of the latest so many steps."""
        word = self.paced.word
        return timing_of(
            self.paced.durations(steps),
            steps=word(words.COUNT),
            elapsed=word(words.ELAPSED) / NANO,
            step_max=word(words.LONGEST) / NANO,
            missed=word(words.MISSED),
            drift=(word(words.GIVEN_UP) + word(words.LATE)) / NANO,
        )

    # -- the loop --------------------------------------------------------------------------------

    @checked
    def run(self, duration: float | None = None, until: threading.Event | None = None) -> Timing:
        """See :class:`Controls`; the event is looked at 50 times a second.

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
            with looking(look, self.stop) if until is not None else nullcontext():
                self.paced.run(steps)
        finally:
            self._alone.release()
        return self.timing
