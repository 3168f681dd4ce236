"""Real-time loop in Python: steps are taken when they are due.

Step k begins at its deadline and has to be done when step k + 1 is due. Deadlines are one period
apart (divided by the speed), whatever the steps take. When one is missed, the policy decides: keep
the deadlines and catch up, or move them. All controls work from any thread.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, final

from phalanx.base.arguments import checked
from phalanx.base.errors import InvalidInput
from phalanx.simulation.realtime.controls import Controls, checked_period, steps_of
from phalanx.simulation.realtime.pacing import CatchUp, Clock, Policy, WallClock, checked_speed
from phalanx.simulation.realtime.timing import LoopTiming, Stopwatch


@final
class RealTimeLoop(Controls):
    """Calls a step at a fixed rate.

    >>> loop = RealTimeLoop(machine.step, period=1e-3)
    >>> print(loop.run(duration=10.0))
    """

    @checked
    def __init__(
        self,
        step: Callable[[], Any],
        period: float,
        *,
        policy: Policy | None = None,
        speed: float = 1.0,
        clock: Clock | None = None,
    ) -> None:
        """Prepare; nothing runs yet.

        Args:
            step: Advances the machine by one period.
            period: Machine time of a step [s].
            policy: What to do about missed deadlines; ``CatchUp()`` by default.
            speed: Machine time over clock time: 0.1 is slow motion.
            clock: What time it is; the clock on the wall by default.

        Raises:
            InvalidInput: When period or speed are not positive.
        """
        self.period = checked_period(period)
        self.policy = policy or CatchUp()
        self._step = step
        self._clock = clock or WallClock()
        self._watch = Stopwatch()
        self._speed = checked_speed(speed)
        self._paused = self._stopped = self._running = False
        self._singles = 0
        self._lock = threading.Lock()
        self._wake = threading.Event()  # set by every control, so that no wait outlasts it

    def __repr__(self) -> str:
        return f"<RealTimeLoop: a step every {self.period:g} s, speed {self._speed:g}>"

    # -- controls --------------------------------------------------------------------------------

    def pause(self) -> None:
        """Take no more steps until :meth:`resume`; the pause does not count as time."""
        self._command(_paused=True)

    def resume(self) -> None:
        """Go on, with the next step at once."""
        self._command(_paused=False, _singles=0)

    def single_step(self) -> None:
        """Take one step while paused; pauses a loop that runs."""
        with self._lock:
            self._paused = True
            self._singles += 1
        self._wake.set()

    @checked
    def set_speed(self, speed: float) -> None:
        """Change machine time over clock time, from now on.

        Raises:
            InvalidInput: When it is not positive.
        """
        self._command(_speed=checked_speed(speed))

    def stop(self) -> None:
        """End :meth:`run` before the next step, or the next :meth:`run` before its first."""
        self._command(_stopped=True)

    @property
    def paused(self) -> bool:
        """Whether steps wait for :meth:`resume`."""
        return self._paused

    @property
    def speed(self) -> float:
        """Machine time over clock time."""
        return self._speed

    def recent_timing(self, steps: int) -> LoopTiming:
        return self._watch.timing(steps)

    def _command(self, **changes: Any) -> None:
        with self._lock:
            for name, value in changes.items():
                setattr(self, name, value)
        self._wake.set()

    # -- the loop --------------------------------------------------------------------------------

    @checked
    def run(
        self, duration: float | None = None, until: threading.Event | None = None
    ) -> LoopTiming:
        """Take steps until the duration is over, the event is set, or :meth:`stop` is called.

        Args:
            duration: Machine time [s]; endless when not given.
            until: Ends the loop when another thread sets it; looked at before each step.

        Returns:
            How well time was kept, over all runs of this loop.

        Raises:
            InvalidInput: When the loop runs already, or the duration is not positive.
        """
        left = steps_of(duration, self.period)
        with self._lock:
            if self._running:
                raise InvalidInput("the loop runs already; pause, resume and stop control it.")
            self._running = True
        try:
            with _prompt_switching(self.period):
                self._take(left, until)
        finally:
            self._running = self._stopped = False
        return self.timing

    def _take(self, left: float, until: threading.Event | None) -> None:
        now, watch = self._clock.now, self._watch
        speed = self._speed
        mark = deadline = now()
        while left > 0:
            # cleared before anything is looked at: a control that comes later ends the wait
            self._wake.clear()
            if self._ends(until):
                break
            single = False
            if self._paused:
                watch.elapsed += now() - mark
                single = self._wait_for_step(until)
                mark = deadline = now()
                if not single:
                    continue
            if self._speed != speed:
                # what is left until the deadline shrinks or grows with the speed
                deadline = now() + (deadline - now()) * speed / self._speed
                speed = self._speed
            self._clock.wait_until(deadline, self._wake)
            if self._wake.is_set() and not single:
                continue
            begin = now()
            self._step()
            end = now()
            watch.lap(end - begin)
            watch.elapsed += end - mark
            mark = end
            left -= 1
            period = self.period / speed
            deadline += period
            watch.late = max(0.0, end - deadline)
            if watch.late > 0:
                watch.missed += 1
                shift = self.policy.shift(watch.late, period)
                deadline += shift
                watch.given_up += shift
                watch.late -= shift

    def _wait_for_step(self, until: threading.Event | None) -> bool:
        """Wait while paused; whether one single step is wanted."""
        while True:
            with self._lock:
                self._wake.clear()
                if self._ends(until) or not self._paused:
                    return False
                if self._singles:
                    self._singles -= 1
                    return True
            # an outside event cannot wake the loop: look at it now and then
            self._wake.wait(0.05 if until is not None else None)

    def _ends(self, until: threading.Event | None) -> bool:
        return self._stopped or (until is not None and until.is_set())


@contextmanager
def _prompt_switching(period: float) -> Iterator[None]:
    """Let other Python threads hold the interpreter only for a part of a period.

    By default a busy thread (a viewer, say) keeps it for 5 ms, which is five steps at 1 kHz.
    """
    usual = sys.getswitchinterval()
    sys.setswitchinterval(min(usual, max(period / 10, 1e-5)))
    try:
        yield
    finally:
        sys.setswitchinterval(usual)
