"""A machine that runs in real time, for a person or a program beside it."""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phalanx.actuators.subsystem import Actuation, Surroundings
from phalanx.arguments import checked
from phalanx.mechanism import Mechanism
from phalanx.simulation.channels import run_channels
from phalanx.simulation.events import Event
from phalanx.simulation.forces import Damping, JointForce
from phalanx.simulation.integrators import Integrator
from phalanx.simulation.realtime.latest import Latest
from phalanx.simulation.realtime.loop import RealTimeLoop
from phalanx.simulation.realtime.pacing import Clock, Policy
from phalanx.simulation.realtime.timing import Timing
from phalanx.simulation.record.recorder import Recorder
from phalanx.simulation.record.recording import Recording
from phalanx.simulation.run import Run, whole_steps
from phalanx.simulation.simulate import run_facts

Array = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class Snapshot:
    """The machine at one time: positions and velocities, not to be written to."""

    time: float
    q: Array
    v: Array


@final
class LiveRun:
    """A run whose steps are taken when they are due.

    ``loop`` pauses, resumes, single-steps and changes speed; ``latest`` has the newest state. Both
    are for other threads, none of which can hold the machine up.

    >>> live = LiveRun(library.puma560(), control=law)
    >>> threading.Thread(target=live.run).start()
    >>> live.latest.value.q
    """

    @checked
    def __init__(
        self,
        mechanism: Mechanism,
        q0: ArrayLike | None = None,
        v0: ArrayLike | None = None,
        *,
        step: float = 1e-3,
        duration: float | None = None,
        control: Any = None,
        integrator: Integrator | None = None,
        forces: Sequence[JointForce] = (Damping(),),
        wrenches: Mapping[str, Any] | None = None,
        inputs: Mapping[str, Any] | None = None,
        events: Sequence[Event] = (),
        actuation: Actuation | None = None,
        surroundings: Surroundings | None = None,
        states: Mapping[str, ArrayLike] | None = None,
        speed: float = 1.0,
        policy: Policy | None = None,
        latest: Latest[Snapshot] | None = None,
        record: bool = False,
        every: int = 1,
        rates: bool = False,
        path: str | PathLike[str] | None = None,
        settings: Mapping[str, Any] | None = None,
        clock: Clock | None = None,
    ) -> None:
        """Compile everything, so that no step waits for it; the clock does not run yet.

        Args:
            mechanism: The machine.
            q0: Initial positions, shape (nq,); neutral when not given.
            v0: Initial velocities, shape (nv,); at rest when not given.
            step: Control period and step of the integrator [s].
            duration: Of the run [s]; endless when not given.
            control: As for :func:`simulate`.
            integrator: The method; a fixed-step one keeps time best.
            forces: Forces of the joints on themselves.
            wrenches: External wrenches, as for :func:`simulate`.
            inputs: What a law or the surroundings are told, as for :func:`simulate`.
            events: Changes of the machine on the way; compiled beforehand.
            actuation: What turns commands into joint forces.
            surroundings: What the machine meets.
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

        Raises:
            InvalidInput: When shapes, times or options do not fit.
            UnknownName: When a frame or an input does not exist.
        """
        whole = whole_steps(step if duration is None else duration, step)
        run = Run(
            mechanism,
            steps=math.inf if duration is None else whole,
            step=step,
            every=every,
            control=control,
            integrator=integrator,
            forces=forces,
            wrenches=wrenches,
            inputs=inputs,
            events=events,
            actuation=actuation,
            surroundings=surroundings,
            rates=rates,
        )
        x = run.initial(q0, v0, states)
        self.mechanism, self.duration = mechanism, duration
        self.latest: Latest[Snapshot] = Latest() if latest is None else latest
        self._recorder: Recorder | None = None
        if record or path is not None:
            facts = run_facts(run, control, forces, events) | dict(settings or {})
            self._recorder = Recorder(run_channels(mechanism, run.plant, run.rates), facts, path)
        self._states = run.states(x, self._recorder)
        self.loop = RealTimeLoop(self._advance, step, policy=policy, speed=speed, clock=clock)
        self._publish(0.0, x)

    def run(self, until: threading.Event | None = None) -> Timing:
        """Let it run in this thread, once; returns at its end, when stopped, or at the event."""
        try:
            timing = self.loop.run(self.duration, until)
            if self.duration is not None:
                next(self._states, None)  # the last state is recorded after the last step
            return timing
        finally:
            if self._recorder is not None:
                self._recorder.note(timing=self.loop.timing.plain())
                self._recorder.close()

    @property
    def recording(self) -> Recording | None:
        """Everything recorded so far; None when nothing is to be."""
        return None if self._recorder is None else self._recorder.recording()

    def _advance(self) -> None:
        self._publish(*next(self._states))

    def _publish(self, t: float, x: Array) -> None:
        nq, nv = self.mechanism.nq, self.mechanism.nv
        self.latest.put(Snapshot(t, x[:nq], x[nq : nq + nv]))


def simulate_realtime(
    mechanism: Mechanism,
    q0: ArrayLike | None = None,
    v0: ArrayLike | None = None,
    **options: Any,
) -> Timing:
    """Let a machine run in real time, in this thread; see :class:`LiveRun` for the options.

    Returns:
        How well time was kept.
    """
    return LiveRun(mechanism, q0, v0, **options).run()
