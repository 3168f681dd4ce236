"""Drivers of a live run: native code where a step is numbers alone, else Python."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.errors import InvalidInput
from phalanx.kernel.loops.paced import can_pace
from phalanx.kernel.loops.paced_words import RING
from phalanx.simulation.realtime.controls import Controls
from phalanx.simulation.realtime.latest import Instant, Latest, Snapshot
from phalanx.simulation.realtime.live_recording import LiveRecorder
from phalanx.simulation.realtime.loop import RealTimeLoop
from phalanx.simulation.realtime.native import NativeLoop
from phalanx.simulation.realtime.pacing import Pacing
from phalanx.simulation.run.advance import FixedAdvance
from phalanx.simulation.run.failures import stopped
from phalanx.simulation.run.run import Run

Array = NDArray[np.float64]


class Driver(ABC):
    """Steps a machine by a loop, shows its latest state, and hands its rows to a recorder."""

    loop: Controls

    @property
    @abstractmethod
    def count(self) -> int:
        """Steps taken since the begin."""

    @abstractmethod
    def set_inputs(self, inputs: Mapping[str, Array]) -> None:
        """Change inputs of control and surroundings, from the next step on."""

    @abstractmethod
    def keep(self, wanted: bool) -> None:
        """Whether rows are wanted from now on; all that were until now are recorded."""

    @abstractmethod
    def fetch(self) -> None:
        """Bring rows to the recorder."""

    @abstractmethod
    def take(self, steps: int) -> None:
        """Take steps at once, without a clock; not while the loop runs.

        Raises:
            SimulationError: When the state has left finite numbers.
        """

    @abstractmethod
    def finish(self) -> None:
        """After the last step; of a run that is not endless, the last state is a row too.

        Raises:
            SimulationError: When the state has left finite numbers.
        """


@final
class PythonDriver(Driver):
    """Steps in Python: any control, any integrator, events, any clock."""

    def __init__(
        self, run: Run, x: Array, latest: Latest[Snapshot], recorder: LiveRecorder, pacing: Pacing
    ) -> None:
        self._run, self._latest = run, latest
        self._states = run.states(x, recorder, by_steps=True)
        self._count = 0
        speed, policy, clock = pacing.speed, pacing.policy, pacing.clock
        self.loop = RealTimeLoop(self._step, run.step, policy=policy, speed=speed, clock=clock)
        latest.put(Snapshot.of(run.mechanism, 0.0, x))

    def _step(self) -> None:
        self._latest.put(Snapshot.of(self._run.mechanism, *next(self._states)))
        self._count += 1

    @property
    def count(self) -> int:
        return self._count

    def set_inputs(self, inputs: Mapping[str, Array]) -> None:
        self._run.inputs.named = self._run.inputs.named | dict(inputs)

    def keep(self, wanted: bool) -> None:
        """Do nothing: every row is recorded at once."""

    def fetch(self) -> None:
        """Do nothing: every row has been recorded."""

    def take(self, steps: int) -> None:
        for _ in range(steps):
            self._step()

    def finish(self) -> None:
        """Finish; an error was raised by its step."""
        if self._run.steps < math.inf:
            next(self._states, None)


@final
class NativeDriver(Driver):
    """Steps in native code, which keeps states; rows are made of them beside it."""

    loop: NativeLoop

    def __init__(
        self, run: Run, x: Array, latest: Latest[Snapshot], recorder: LiveRecorder, pacing: Pacing
    ) -> None:
        advance = run.segments[0].advance
        assert isinstance(advance, FixedAdvance)
        self._run, self._advance, self._recorder = run, advance, recorder
        inputs = run.inputs.at(0.0, x)
        first = len(inputs) - len(run.inputs.named) - len(run.inputs.parameters)
        self._places = {name: first + k for k, name in enumerate(run.inputs.named)}
        self.loop = NativeLoop(advance.kernel, x, inputs, run.step, pacing=pacing, every=run.every)
        self._pacing = pacing
        # what is used for the first time takes its time; the clock need not wait for it
        advance.take(x, *inputs)
        self.loop.take(0)
        latest.follow(self._look)

    @property
    def count(self) -> int:
        return self.loop.state()[0]

    @property
    def instant(self) -> Instant:
        """The machine now."""
        count, x = self.loop.state()
        return Instant(count * self._run.step, x, self.loop.inputs())

    def row(self, instant: Instant) -> dict[str, Array]:
        """All signals of an instant, by name, as a recording would have them."""
        row = self._rows(instant.state[None], [value[None] for value in instant.inputs])[0]
        ends = np.cumsum([1, *(channel.width for channel in self._recorder.channels)])
        parts = np.split(row, ends)[1:-1]
        return {c.name: part for c, part in zip(self._recorder.channels, parts, strict=True)}

    def take(self, steps: int) -> None:
        loop = self.loop
        was_paused = loop.paused
        loop.resume()
        most = self._run.every * (RING // 2)  # what is kept of so many finds room
        for first in range(0, steps, most):
            loop.take(min(most, steps - first))
            self.fetch()
            if loop.fault:
                break
        if was_paused:
            loop.pause()
        self._check()

    def _look(self) -> tuple[int, Snapshot]:
        shown, count, x = self.loop.look()
        x.setflags(write=False)
        return shown, Snapshot.of(self._run.mechanism, count * self._run.step, x)

    def set_inputs(self, inputs: Mapping[str, Array]) -> None:
        self.loop.set_inputs({self._places[name]: value for name, value in inputs.items()})

    def keep(self, wanted: bool) -> None:
        if wanted:
            self.loop.fetch()  # what is left of earlier ones
        self.loop.keep(wanted)
        if not wanted:
            self.fetch()

    def fetch(self) -> None:
        kept = self.loop.fetch()
        if len(kept.counts):
            self._append(*kept)

    def finish(self) -> None:
        self.fetch()
        self._check()
        run, loop = self._run, self.loop
        count, x = loop.state()
        if count == run.steps or (run.steps < math.inf and count % run.every == 0):
            self._append_state(count, x)

    def _check(self) -> None:
        """SimulationError when the state has left finite numbers, and that was to end it."""
        run, loop = self._run, self.loop
        if not loop.fault or self._pacing.stays:
            return
        count, x = loop.state()
        if count % run.every == 0:
            self._append_state(count, x)
        times = count * run.step, (count + 1) * run.step
        machine = self._advance.mechanism
        raise stopped(machine, x, loop.refused, times, run.step, self._recorder)

    def _append_state(self, count: int, x: Array) -> None:
        inputs = [value[None] for value in self.loop.inputs()]
        self._append(np.array([count]), x[None], inputs)

    def _append(self, counts: NDArray[np.int64], states: Array, inputs: Sequence[Array]) -> None:
        rows = self._rows(states, inputs)
        rows[:, 0] = counts * self._run.step  # not the sum of as many steps
        self._recorder.append_rows(rows)

    def _rows(self, states: Array, inputs: Sequence[Array]) -> Array:
        """Rows of a recording, from states and their inputs."""
        repeated = (
            np.ascontiguousarray(value).reshape(-1, *port.shape)
            for value, port in zip(inputs, self._advance.kernel.inputs[1:], strict=True)
        )
        rows: Array = self._advance.observe(np.ascontiguousarray(states), *repeated)
        return rows


def is_native(run: Run, pacing: Pacing) -> bool:
    """Whether a step depends on nothing but numbers, and the system has a clock for it.

    It does not where a step has to be looked at: functions and tables of time, functions of the
    state, events, a method that chooses its own steps, a clock that was given.

    Raises:
        InvalidInput: When the pacing is for native steps alone, and these cannot be.
    """
    one_machine = len(run.segments) == 1 and isinstance(run.segments[0].advance, FixedAdvance)
    native = one_machine and run.inputs.is_constant and pacing.clock is None and can_pace()
    if pacing.stays and not native:
        raise InvalidInput(
            "Pacing(stays=True) needs steps in native code: Linux and its clock, a fixed-step "
            "integrator, no events, and no function or table that is looked up in between."
        )
    return native
