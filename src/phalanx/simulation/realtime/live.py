"""A machine that runs in real time, for a person or a program beside it."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict, Unpack, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phalanx.arguments import checked
from phalanx.keywords import Default, chosen, spelled_out
from phalanx.mechanism import Mechanism
from phalanx.simulation.channels import run_channels
from phalanx.simulation.realtime.latest import Latest
from phalanx.simulation.realtime.loop import RealTimeLoop
from phalanx.simulation.realtime.pacing import Clock, Policy
from phalanx.simulation.realtime.timing import Timing
from phalanx.simulation.record.recorder import Recorder
from phalanx.simulation.record.recording import Recording
from phalanx.simulation.run import SingleRunKeywords, run_of, whole_steps
from phalanx.simulation.setup import Setup

Array = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class Snapshot:
    """The machine at one time: positions and velocities, not to be written to."""

    time: float
    q: Array
    v: Array


class PaceKeywords(TypedDict, total=False):
    """How a run keeps time."""

    speed: Annotated[float, Default(1.0)]
    policy: Annotated[Policy | None, Default(None)]
    clock: Annotated[Clock | None, Default(None)]


class LiveKeywords(SingleRunKeywords, PaceKeywords, total=False):
    """What a run in real time is made of, and how it keeps time."""


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
    @spelled_out
    def __init__(
        self,
        mechanism: Mechanism | Setup,
        q0: ArrayLike | None = None,
        v0: ArrayLike | None = None,
        *,
        duration: float | None = None,
        latest: Latest[Snapshot] | None = None,
        record: bool = False,
        **options: Unpack[LiveKeywords],
    ) -> None:
        """Compile everything, so that no step waits for it; the clock does not run yet.

        Args:
            mechanism: The machine, or a :class:`Setup`.
            q0: Initial positions, shape (nq,); neutral when not given.
            v0: Initial velocities, shape (nv,); at rest when not given.
            step: Control period and step of the integrator [s].
            duration: Of the run [s]; endless when not given.
            control: As for :func:`simulate`.
            integrator: The method; a fixed-step one keeps time best.
            forces: Forces of the joints on themselves.
            wrenches: External wrenches, as for :func:`simulate`.
            inputs: What a law or the surroundings are told, as for :func:`simulate`.
            parameters: Numbers of the machine that are this run's own: name to values.
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
        step, path = options["step"], options["path"]
        whole = whole_steps(step if duration is None else duration, step)
        run = run_of(mechanism, math.inf if duration is None else whole, options)
        x = run.initial(q0, v0, options["states"])
        self.mechanism, self.duration = run.mechanism, duration
        self.latest: Latest[Snapshot] = Latest() if latest is None else latest
        self._recorder: Recorder | None = None
        if record or path is not None:
            facts = run.facts() | dict(options["settings"] or {})
            channels = run_channels(run.mechanism, run.plant, run.rates)
            self._recorder = Recorder(channels, facts, path)
        self._states = run.states(x, self._recorder)
        pace = chosen(PaceKeywords, options)
        self.loop = RealTimeLoop(self._advance, step, **pace)
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
    mechanism: Mechanism | Setup,
    q0: ArrayLike | None = None,
    v0: ArrayLike | None = None,
    **options: Any,
) -> Timing:
    """Let a machine run in real time, in this thread; see :class:`LiveRun` for the options.

    Returns:
        How well time was kept.
    """
    return LiveRun(mechanism, q0, v0, **options).run()
