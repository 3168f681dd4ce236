"""Live runs: a machine in real time, controlled from other threads."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from os import PathLike
from pathlib import Path
from typing import Any, final

from numpy.typing import ArrayLike

from phalanx.base.arguments import checked
from phalanx.base.errors import InvalidInput
from phalanx.mechanism import Mechanism
from phalanx.simulation.integrators.integrators import Integrator
from phalanx.simulation.realtime.controls import Controls, steps_of
from phalanx.simulation.realtime.driver import Driver, NativeDriver, PythonDriver, is_native
from phalanx.simulation.realtime.latest import Latest, Snapshot
from phalanx.simulation.realtime.live_recording import LiveRecorder
from phalanx.simulation.realtime.pacing import Clock, Pacing, Policy, pacing_of
from phalanx.simulation.realtime.polling import polling
from phalanx.simulation.realtime.priority import raised_priority
from phalanx.simulation.realtime.timing import LoopTiming
from phalanx.simulation.record.channels import run_channels
from phalanx.simulation.record.energy_balance import OF_EVENTS
from phalanx.simulation.record.recording import Recording
from phalanx.simulation.run.run import Run
from phalanx.simulation.run.step_warning import warn_of_step
from phalanx.simulation.run.steps import whole_steps
from phalanx.simulation.setup.events import Event
from phalanx.simulation.setup.setup import Setup, setup_of


@final
class LiveRun:
    """A run whose steps are taken when they are due.

    ``loop`` pauses, resumes, single-steps and changes speed; ``latest`` has the newest state;
    :meth:`set_inputs` changes inputs of control. All are for other threads, none of which can hold
    the machine up. Steps are taken in native code where nothing has to be looked at in between.

    >>> live = LiveRun(Setup(library.puma560(), control=law))
    >>> threading.Thread(target=live.run).start()
    >>> live.latest.value.q

    Attributes:
        mechanism: The machine.
        duration: Of the run [s]; None when it is endless.
        latest: The newest state.
        loop: Pauses, resumes, takes single steps, changes speed, stops; knows the timing.
        driver: Who takes the steps.
        native: Whether steps are taken in native code, without the interpreter.
        priority: What the system granted the thread that steps: "real-time", "raised" or "normal".
    """

    @checked
    def __init__(
        self,
        mechanism: Mechanism | Setup,
        q0: ArrayLike | None = None,
        v0: ArrayLike | None = None,
        *,
        duration: float | None = None,
        step: float = 1e-3,
        integrator: Integrator | None = None,
        wrenches: Mapping[str, Any] | None = None,
        inputs: Mapping[str, Any] | None = None,
        parameters: Mapping[str, ArrayLike] | None = None,
        events: Sequence[Event] = (),
        states: Mapping[str, ArrayLike] | None = None,
        speed: float = 1.0,
        policy: Policy | None = None,
        clock: Clock | None = None,
        pacing: Pacing | None = None,
        latest: Latest[Snapshot] | None = None,
        record: bool = False,
        every: int = 1,
        rates: bool = False,
        path: str | PathLike[str] | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        """Compile everything, so that no step waits for it; the clock does not run yet.

        Args:
            mechanism: The machine; or a :class:`Setup`: with control, other forces, actuation.
            q0: Initial positions, shape (nq,); neutral when not given.
            v0: Initial velocities, shape (nv,); at rest when not given.
            step: Control period and step of the integrator [s].
            duration: Of the run [s]; endless when not given.
            integrator: The method; a fixed-step one keeps time best.
            wrenches: External wrenches, as for :func:`simulate`.
            inputs: Inputs of a law or of the surroundings, as for :func:`simulate`.
            parameters: Numbers of the machine that are this run's own: name to values.
            events: Changes of the machine on the way; compiled beforehand.
            states: Where states of subsystems begin, by name.
            speed: Machine time over clock time.
            policy: What to do about missed deadlines; ``CatchUp()`` by default.
            latest: Where to put the state after each step; a new mailbox when not given.
            record: Whether to keep a recording.
            every: Record every so many steps.
            rates: Also record accelerations and rates, as for :func:`simulate`.
            path: An ``.mcap`` file to write while running; records.
            settings: Further facts to keep with the recording.
            clock: What time it is; the clock on the wall by default.
            pacing: Speed, policy and clock as one value, which can say more.

        Raises:
            InvalidInput: When shapes, times or options do not fit.
            UnknownName: When a frame or an input does not exist.
        """
        whole = whole_steps(step if duration is None else duration, step)
        setup = setup_of(mechanism, wrenches=wrenches or (), parameters=parameters or ())
        run = Run(
            setup,
            steps=math.inf if duration is None else whole,
            step=step,
            integrator=integrator,
            events=events,
            every=every,
            rates=rates,
            wrenches=wrenches,
            inputs=inputs,
            parameters=parameters,
        )
        if run.cuts:
            raise InvalidInput(
                f"joint '{run.cuts[0]}' is cut on the way; runs in real time keep their "
                "coordinates. Use simulate()."
            )
        x = run.initial(q0, v0, states)
        self.mechanism, self.duration = run.mechanism, duration
        self.latest: Latest[Snapshot] = Latest() if latest is None else latest
        self.priority = "normal"
        facts = run.facts() | dict(settings or {})
        self._run, self._pacing = run, pacing_of(pacing, speed, policy, clock)
        self._recorder = LiveRecorder(run_channels(run.mechanism, run.layout, run.rates), facts)
        self.native = is_native(run, self._pacing)
        steps_by = NativeDriver if self.native else PythonDriver
        self.driver: Driver = steps_by(run, x, self.latest, self._recorder, self._pacing)
        self.loop: Controls = self.driver.loop
        self._lock = threading.Lock()  # of recordings and looks
        self._looks: list[Callable[[], object]] = []
        if record or path is not None:
            self.begin_recording(path)

    def run(self, until: threading.Event | None = None) -> LoopTiming:
        """Let it run in this thread until its end, until it is stopped, or at the event.

        Run again, it goes on where it was; a recording ends with the run.

        Raises:
            SimulationError: When the state leaves finite numbers, as for :func:`simulate`.

        Warns:
            StepWarning: When it is recorded to its end, as for :func:`simulate`.
        """
        first, left = self._pacing.first, self._left()
        try:
            with ExitStack() as stack:
                if self.native or self._looks:
                    stack.enter_context(polling(self.look, self.loop.stop, raised=first))
                if first:
                    self.priority = stack.enter_context(raised_priority(first=True))
                if left != 0:
                    self.loop.run(left and left * self._run.step, until)
            with self._lock:
                self.driver.finish()
                recorded = self.is_recording
        finally:
            with self._lock:
                self._recorder.note(timing=self.loop.timing.plain())
                self._end_recording()
        if recorded:
            warn_of_step(self._recorder.recording(), self._run, stacklevel=3)
        return self.loop.timing

    @checked
    def advance(self, duration: float) -> None:
        """Let so much machine time pass at once, without a clock; not while :meth:`run` does.

        What :meth:`look_often` was given is called once, at the end.

        Raises:
            InvalidInput: When it is not positive, or beyond the end of the run.
            SimulationError: When the state leaves finite numbers.
        """
        steps, left = steps_of(duration, self._run.step), self._left()
        if left is not None and steps > left:
            raise InvalidInput(
                f"duration={duration}; this run ends in {left * self._run.step:g} s."
            )
        with self._lock:
            self.driver.take(int(steps))
        self.look()

    # -- beside the steps, from any thread -------------------------------------------------------

    @checked
    def set_inputs(self, inputs: Mapping[str, ArrayLike]) -> None:
        """Change inputs of control and surroundings by name; a step has all changes or none.

        What was a function of time is these numbers from now on.

        Raises:
            UnknownName: When there is no such input.
            InvalidInput: When it takes another count of numbers, or one is not finite.
        """
        checked_input = self._run.inputs.checked_input
        self.driver.set_inputs({name: checked_input(name, value) for name, value in inputs.items()})

    def look_often(self, look: Callable[[], object]) -> None:
        """Call a function 50 times a second while it runs, in a thread beside its steps.

        What it raises ends the run, which raises it again. To be said before the run.
        """
        self._looks.append(look)

    def look(self) -> None:
        """Flush the recording, and call the registered observers."""
        with self._lock:
            self.driver.fetch()
        for look in self._looks:
            look()

    def __repr__(self) -> str:
        length = "endless" if self.duration is None else f"{self.duration:g} s"
        how = "native code" if self.native else "Python"
        return f"<LiveRun of '{self.mechanism.name}': {length}, steps in {how}>"

    @property
    def recording(self) -> Recording | None:
        """Everything of the last recording so far; None when nothing was to be recorded."""
        return self._recorder.recording() if self._recorder.used else None

    @property
    def is_recording(self) -> bool:
        """Whether it is being recorded."""
        return self._recorder.runs

    @property
    def recording_path(self) -> Path | None:
        """The file that is being recorded to, if any."""
        return self._recorder.path

    @property
    def unfinished(self) -> set[Path]:
        """Files of recordings that are not whole: they go on, or found no room at their end."""
        return self._recorder.unfinished

    def begin_recording(
        self,
        path: str | PathLike[str] | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        """Record from now on, also while it runs; another recording ends.

        Args:
            path: An ``.mcap`` file; none records in memory alone.
            settings: Further facts to keep with this recording.

        Raises:
            WriteError: When the file cannot be created; or when there is no room for what was
                recorded before, and then this recording has begun all the same.
        """
        with self._lock:
            try:
                self._end_recording()
            finally:
                self._recorder.begin(path, settings)
                self.driver.keep(True)

    def end_recording(self) -> None:
        """Finish the recording, if there is one, and others that found no room before.

        Raises:
            WriteError: When there is no room. What was recorded is kept, and written as soon as a
                recording begins or ends, and there is.
        """
        with self._lock:
            self._end_recording()

    def _left(self) -> int | None:
        """Steps until the end; None when there is none."""
        steps = self._run.steps
        return None if math.isinf(steps) else int(steps) - self.driver.count

    def _end_recording(self) -> None:
        self.driver.keep(False)
        if self._run.event_energies:
            self._recorder.note(**{OF_EVENTS: self._run.event_energies})
        self._recorder.end()
