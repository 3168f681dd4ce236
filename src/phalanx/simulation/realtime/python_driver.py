"""A live run whose steps are taken in Python, which may look at everything in between."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import final

import numpy as np
from numpy.typing import NDArray

from phalanx.simulation.realtime.driver import Driver
from phalanx.simulation.realtime.latest import Latest
from phalanx.simulation.realtime.live_recording import LiveRecorder
from phalanx.simulation.realtime.loop import RealTimeLoop
from phalanx.simulation.realtime.pacing import Pacing
from phalanx.simulation.realtime.snapshot import Snapshot
from phalanx.simulation.run.run import Run

Array = NDArray[np.float64]


@final
class PythonDriver(Driver):
    """Steps in Python: any control, any integrator, events, any clock."""

    def __init__(
        self, run: Run, x: Array, latest: Latest[Snapshot], tape: LiveRecorder, pacing: Pacing
    ) -> None:
        """Begin at a state."""
        self._run, self._latest = run, latest
        self._states = run.states(x, tape, by_steps=True)
        self._count = 0
        speed, policy, clock = pacing.speed, pacing.policy, pacing.clock
        self.loop = RealTimeLoop(self._step, run.step, policy=policy, speed=speed, clock=clock)
        latest.put(Snapshot.of(run.mechanism, 0.0, x))

    def _step(self) -> None:
        self._latest.put(Snapshot.of(self._run.mechanism, *next(self._states)))
        self._count += 1

    @property
    def count(self) -> int:
        """See :class:`Driver`."""
        return self._count

    def tell(self, inputs: Mapping[str, Array]) -> None:
        """See :class:`Driver`."""
        self._run.outside.inputs = self._run.outside.inputs | dict(inputs)

    def keep(self, wanted: bool) -> None:
        """See :class:`Driver`; every row goes to the tape at once."""

    def fetch(self) -> None:
        """See :class:`Driver`; every row is there."""

    def take(self, steps: int) -> None:
        """See :class:`Driver`."""
        for _ in range(steps):
            self._step()

    def finish(self) -> None:
        """See :class:`Driver`; an error has come with its step."""
        if self._run.steps < math.inf:
            next(self._states, None)
