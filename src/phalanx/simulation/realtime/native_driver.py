"""A live run whose steps are taken in native code, without the interpreter."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.errors import InvalidInput
from phalanx.kernel.loops.paced import can_pace
from phalanx.kernel.loops.paced_words import RING
from phalanx.simulation.realtime.driver import Driver
from phalanx.simulation.realtime.latest import Latest
from phalanx.simulation.realtime.live_recording import LiveRecorder
from phalanx.simulation.realtime.native import NativeLoop
from phalanx.simulation.realtime.pacing import Pacing
from phalanx.simulation.realtime.snapshot import Instant, Snapshot
from phalanx.simulation.run.advance import FixedAdvance
from phalanx.simulation.run.failures import stopped
from phalanx.simulation.run.run import Run

Array = NDArray[np.float64]


def is_native(run: Run, pacing: Pacing) -> bool:
    """Whether a step depends on nothing but numbers, and the system has a clock for it.

    It does not where a step has to be looked at: functions and tables of time, functions of the
    state, events, a method that chooses its own steps, a clock that was given.

    Raises:
        InvalidInput: When the pacing is for native steps alone, and these cannot be.
    """
    one_machine = len(run.stretches) == 1 and isinstance(run.stretches[0].advance, FixedAdvance)
    native = one_machine and run.outside.is_told_numbers and pacing.clock is None and can_pace()
    if pacing.stays and not native:
        raise InvalidInput(
            "Pacing(stays=True) needs steps in native code: Linux and its clock, a fixed-step "
            "integrator, no events, and no function or table that is looked up in between."
        )
    return native


@final
class NativeDriver(Driver):
    """Steps in native code, which keeps states; rows are made of them beside it."""

    loop: NativeLoop

    def __init__(
        self, run: Run, x: Array, latest: Latest[Snapshot], tape: LiveRecorder, pacing: Pacing
    ) -> None:
        """Begin at a state."""
        advance = run.stretches[0].advance
        assert isinstance(advance, FixedAdvance)
        self._run, self._advance, self._tape = run, advance, tape
        outside = run.outside.at(0.0, x)
        first = len(outside) - len(run.outside.inputs) - len(run.outside.parameters)
        self._places = {name: first + k for k, name in enumerate(run.outside.inputs)}
        self.loop = NativeLoop(advance.kernel, x, outside, run.step, pacing=pacing, every=run.every)
        self._pacing = pacing
        # what is used for the first time takes its time; the clock need not wait for it
        advance.take(x, *outside)
        self.loop.paced.run(0)
        latest.follow(self._look)

    @property
    def count(self) -> int:
        """See :class:`Driver`."""
        return self.loop.paced.state()[0]

    @property
    def instant(self) -> Instant:
        """The machine now."""
        count, x = self.loop.paced.state()
        return Instant(count * self._run.step, x, self.loop.paced.told())

    def row(self, instant: Instant) -> dict[str, Array]:
        """All signals of an instant, by name, as a recording would have them."""
        row = self._rows(instant.state[None], [value[None] for value in instant.outside])[0]
        ends = np.cumsum([1, *(channel.width for channel in self._tape.channels)])
        parts = np.split(row, ends)[1:-1]
        return {c.name: part for c, part in zip(self._tape.channels, parts, strict=True)}

    def take(self, steps: int) -> None:
        """See :class:`Driver`."""
        paced = self.loop.paced
        was_paused = paced.paused
        paced.resume()
        most = self._run.every * (RING // 2)  # what is kept of so many finds room
        for first in range(0, steps, most):
            paced.run(min(most, steps - first), free=True)
            self.fetch()
            if paced.fault:
                break
        if was_paused:
            paced.pause()
        self._check()

    def _look(self) -> tuple[int, Snapshot]:
        shown, count, x = self.loop.paced.look()
        x.setflags(write=False)
        return shown, Snapshot.of(self._run.mechanism, count * self._run.step, x)

    def tell(self, inputs: Mapping[str, Array]) -> None:
        """See :class:`Driver`."""
        self.loop.paced.tell({self._places[name]: value for name, value in inputs.items()})

    def keep(self, wanted: bool) -> None:
        """See :class:`Driver`."""
        if wanted:
            self.loop.paced.kept()  # what is left of earlier ones
        self.loop.paced.keep(wanted)
        if not wanted:
            self.fetch()

    def fetch(self) -> None:
        """See :class:`Driver`."""
        kept = self.loop.paced.kept()
        if len(kept.counts):
            self._append(*kept)

    def finish(self) -> None:
        """See :class:`Driver`."""
        self.fetch()
        self._check()
        run, loop = self._run, self.loop.paced
        count, x = loop.state()
        if count == run.steps or (run.steps < math.inf and count % run.every == 0):
            self._append_state(count, x)

    def _check(self) -> None:
        """SimulationError when the state has left finite numbers, and that was to end it."""
        run, loop = self._run, self.loop.paced
        if not loop.fault or self._pacing.stays:
            return
        count, x = loop.state()
        if count % run.every == 0:
            self._append_state(count, x)
        times = count * run.step, (count + 1) * run.step
        machine = self._advance.mechanism
        raise stopped(machine, x, loop.refused, times, run.step, self._tape)

    def _append_state(self, count: int, x: Array) -> None:
        told = [value[None] for value in self.loop.paced.told()]
        self._append(np.array([count]), x[None], told)

    def _append(self, counts: NDArray[np.int64], states: Array, inputs: Sequence[Array]) -> None:
        rows = self._rows(states, inputs)
        rows[:, 0] = counts * self._run.step  # not the sum of as many steps
        self._tape.append_rows(rows)

    def _rows(self, states: Array, inputs: Sequence[Array]) -> Array:
        """What recordings have of states and what these were told."""
        outside = (
            np.ascontiguousarray(value).reshape(-1, *port.shape)
            for value, port in zip(inputs, self._advance.kernel.inputs[1:], strict=True)
        )
        rows: Array = self._advance.observe(np.ascontiguousarray(states), *outside)
        return rows
