"""Run: a compiled setup, and an iterator over its steps.

``simulate`` takes them as fast as they come, a real-time loop when they are due.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phalanx.actuators.subsystem import SampledControl
from phalanx.base.errors import InvalidInput
from phalanx.base.version import __version__
from phalanx.equations.loops.assembly.assemble import closed_start
from phalanx.equations.loops.assembly.checks import check_closed
from phalanx.mechanism import Mechanism
from phalanx.mechanism.quaternions import check_quaternions
from phalanx.simulation.integrators.integrators import Integrator
from phalanx.simulation.record.description import describe_control, describe_loads, describe_machine
from phalanx.simulation.record.rows import TakesRows
from phalanx.simulation.run.adaptive import IntegrationFailed
from phalanx.simulation.run.advance import EXTRAS, Advance, FixedAdvance
from phalanx.simulation.run.compiled import compiled_advance
from phalanx.simulation.run.energy_lines import EVENTS, stored_lines
from phalanx.simulation.run.failures import SimulationError, gave_up, stopped
from phalanx.simulation.run.inputs import RunInputs, finite
from phalanx.simulation.run.joint_release import JointRelease, released_joints
from phalanx.simulation.run.singularity_handling import initial_singularity_state
from phalanx.simulation.run.steps import MOST_STEPS, segments_between_events
from phalanx.simulation.setup.events import Event
from phalanx.simulation.setup.setup import Setup

Array = NDArray[np.float64]

CHUNK = 1000  # steps in one native loop
SHORT = 2000  # steps of a run that needs no loop


@final
@dataclass(frozen=True, eq=False)
class RunSegment:
    """The steps between two events.

    Attributes:
        first: Step with which it begins.
        last: Step before which it ends.
        advance: What takes the steps.
        stored: Where a row of the recording has stored energies.
        entering: From the coordinates of the segment before, where a joint is cut in between.
        from_first: From those of the machine at first, in which inputs are given.
        recorded: To those of the machine at the end, in which the run is recorded.
    """

    first: int
    last: float
    advance: Advance
    stored: slice
    entering: JointRelease | None = None
    from_first: JointRelease | None = None
    recorded: JointRelease | None = None


class Run:
    """A machine with everything that acts on it, compiled, from one event to the next.

    Attributes:
        setup: What runs.
        inputs: Values that act on it.
        layout: Sizes of what is compiled.
        segments: Steps between events, and what takes them.
        machine_at_end: In whose coordinates it is recorded.
        event_energies: What each event so far has brought [J], with its name and time.
    """

    def __init__(
        self,
        setup: Setup,
        *,
        steps: float,
        step: float = 1e-3,
        integrator: Integrator | None = None,
        events: Sequence[Event] = (),
        every: int = 1,
        rates: bool = False,
        wrenches: Mapping[str, Any] | None = None,
        inputs: Mapping[str, Any] | None = None,
        parameters: Mapping[str, ArrayLike] | None = None,
    ) -> None:
        """Check and compile; see :func:`simulate`. The number of steps may be infinite."""
        if not 1 <= every <= MOST_STEPS or int(every) != every:
            raise InvalidInput(
                f"every={every}; expected a whole number of at least 1, at most {MOST_STEPS:g}."
            )
        self.setup, self.mechanism, self.events = setup, setup.mechanism, events
        self.steps, self.step, self.every = steps, step, int(every)
        self.rates = rates
        self.event_energies: list[dict[str, Any]] = []
        self.inputs = RunInputs(
            setup, step, wrenches=wrenches, inputs=inputs, parameters=parameters
        )
        self.layout = self.inputs.layout
        self.integrator = integrator or self.layout.default_method
        parts = list(segments_between_events(self.mechanism, self.events, steps, step))
        self.machine_at_end = parts[-1][2]
        self.cuts = released_joints(self.mechanism, self.machine_at_end)
        if self.cuts:
            self._check_cuts()
        machines = [self.mechanism, *(machine for *_, machine in parts)]
        self.segments = [
            self._segment(first, last, before, machine)
            for (first, last, machine), before in zip(parts, machines, strict=False)
        ]

    def _segment(self, first: int, last: float, before: Mechanism, now: Mechanism) -> RunSegment:
        entering = _release(before, now)
        from_first = _release(self.mechanism, now)
        recorded = _release(now, self.machine_at_end)
        advance = self._advance(now)
        start = 1 + now.nq + 2 * now.nv + 1 + len(EXTRAS) + len(advance.lines)
        stored = slice(start, start + len(stored_lines(self.layout)))
        return RunSegment(first, last, advance, stored, entering, from_first, recorded)

    def _advance(self, machine: Mechanism) -> Advance:
        setup = self.layout.setup
        if machine is not self.mechanism:  # which stays what control knows
            setup = replace(setup, mechanism=machine, nominal=setup.nominal or self.mechanism)
        return compiled_advance(setup, self.integrator, self.step, self.rates)

    def _check_cuts(self) -> None:
        """Refuse what is laid out for a machine that has all its joints."""
        setup = self.layout.setup
        law = self.layout.law
        if law and law.true_model:
            raise InvalidInput(
                f"joint '{self.cuts[0]}' is cut on the way, and the control is built on the true "
                "model, which then has other coordinates. Leave with_true_model() out, or simulate "
                "up to the cut and go on from there."
            )
        sampled = law if isinstance(law, SampledControl) else None
        beside = setup.actuation or setup.surroundings or sampled
        if beside or self.rates:
            what = type(beside).__name__ if beside else "rates=True"
            raise InvalidInput(
                f"joint '{self.cuts[0]}' is cut on the way, and {what} is laid out for a machine "
                "whose joints hold. Leave it out, or simulate up to the cut and go on from there."
            )

    def facts(self) -> dict[str, Any]:
        """What it is made with, for its recording."""
        return {
            "model": self.mechanism.name,
            "machine": describe_machine(self.mechanism),
            "step": self.step,
            "integrator": repr(self.integrator),
            "forces": [repr(force) for force in self.setup.forces],
            "loads": describe_loads(self.mechanism, self.setup.forces),
            "control": describe_control(self.setup.control),
            "events": [f"{event.name} at {event.time:g} s" for event in self.events],
            "phalanx": __version__,
            "begun": datetime.now(UTC).isoformat(timespec="seconds"),
        }

    def initial(
        self,
        q0: ArrayLike | None,
        v0: ArrayLike | None,
        states: Mapping[str, ArrayLike] | None = None,
    ) -> Array:
        """The packed initial state; ``states`` are those of subsystems that begin elsewhere."""
        m = self.mechanism
        q = finite("q0", closed_start(m) if q0 is None else q0, m.nq)
        v = finite("v0", np.zeros(m.nv) if v0 is None else v0, m.nv)
        beside = self.layout.subsystems.initial(q, states)
        if beside.ndim != 1:
            raise InvalidInput("a run has one initial state; rollout() takes many.")
        lines = np.zeros(len(EXTRAS) + len(self.segments[0].advance.lines))
        x = np.concatenate([q, v, beside, lines, initial_singularity_state(m), np.zeros(1)])
        check_quaternions(m, q, "q0")
        if m.loops and not self.layout.has_own_lengths:
            check_closed(m, x[: m.nq], x[m.nq : m.nq + m.nv])
        return x

    def states(
        self, x: Array, recorder: TakesRows | None = None, *, by_steps: bool = False
    ) -> Iterator[tuple[float, Array]]:
        """Time and packed state after each step, recorded on the way: the first, then each due one.

        Args:
            x: The state at first.
            recorder: Takes rows.
            by_steps: Stop after every step, also where an adaptive method need not.

        Raises:
            SimulationError: When the state leaves finite numbers, an adaptive method gives up, or
                the motion past a singular posture is not determined.
        """
        h, every, held = self.step, self.every, None
        for segment in self.segments:
            advance, last = segment.advance, segment.last
            if segment.entering:
                x = segment.entering.state(x)
            # without a Python controller, adaptive methods need not stop at every step
            each = by_steps or self._stops_each_step(advance)
            k = segment.first
            while k < last:
                t = k * h
                due = k % every == 0
                jump = 1 if each else int(min(every - k % every, last - k))
                inputs = self._at(t, x, segment)
                if held is not None:  # an event came before
                    x, held = self._booked(segment, x, held, inputs), None
                if due and recorder is not None and recorder.runs:
                    _record(recorder, segment, x, t, inputs)
                try:
                    after = advance.advance(x, jump * h, inputs)
                except IntegrationFailed as failure:
                    raise gave_up(advance.mechanism, failure, recorder) from failure
                k += jump
                if not np.isfinite(after).all():  # x·x would be faster, and warn of overflow
                    raise self._stopped(segment, x, after, (t, k * h), inputs, recorder)
                x = after
                yield k * h, x
            if segment is not self.segments[-1]:
                held = _energy(segment, x, inputs)
        if recorder is not None:
            t = self.steps * h
            _record(recorder, segment, x, t, self._at(t, x, segment))

    def chunks_of(self, x: Array, recorder: TakesRows) -> Iterator[tuple[float, Array]]:
        """The same states in fewer pieces, many steps in one native loop; compiled at once.

        Each step comes alone where a Python function is looked at between steps, where a method
        chooses its own steps, and in short runs, which would only wait for another compilation.
        """
        looped = all(isinstance(segment.advance, FixedAdvance) for segment in self.segments)
        if not (looped and self.inputs.is_tabulated and self.steps >= SHORT):
            return self.states(x, recorder)
        for segment in self.segments:
            assert isinstance(segment.advance, FixedAdvance)
            segment.advance.loop(self.inputs.moving)
        return self._in_stretches(x, recorder)

    def _in_stretches(self, x: Array, recorder: TakesRows) -> Iterator[tuple[float, Array]]:
        h, held = self.step, None
        for segment in self.segments:
            advance = segment.advance
            assert isinstance(advance, FixedAdvance)
            if segment.entering:
                x = segment.entering.state(x)
            t = segment.first * h
            if held is not None:
                x = self._booked(segment, x, held, self._at(t, x, segment))
            for k in range(segment.first, int(segment.last), CHUNK):
                steps = int(min(CHUNK, segment.last - k))
                times = h * np.arange(k, k + steps, dtype=np.float64)
                begin = x
                x, rows = advance.many_steps(begin, steps, self._over(times, segment))
                rows[:, 0] = times
                finite = np.isfinite(rows).all(axis=1)
                good = steps if finite.all() else int(np.argmin(finite))
                due = np.arange(-k % self.every, good, self.every)
                wanted = np.ascontiguousarray(rows[due])
                to = segment.recorded
                recorder.append_rows(to.rows(wanted) if to and len(wanted) else wanted)
                if good < steps or not np.isfinite(x).all():
                    before = h * (k + good - 1)
                    reached = rows[good - 1, 1:] if good else begin
                    times_of = (before, before + h)
                    raise stopped(advance.mechanism, reached, x, times_of, h, recorder)
                yield h * (k + steps), x
            t = segment.last * h
            held = _energy(segment, x, self._at(t, x, segment))
        t = self.steps * h
        _record(recorder, segment, x, t, self._at(t, x, segment))

    def _booked(self, segment: RunSegment, x: Array, held: float, inputs: Sequence[Any]) -> Array:
        """The state at the begin of a segment, with what an event has brought in its books."""
        m, advance = segment.advance.mechanism, segment.advance
        place = (
            m.nq + m.nv + self.layout.subsystems.size + len(EXTRAS) + advance.lines.index(EVENTS)
        )
        x, gain = x.copy(), _energy(segment, x, inputs) - held
        x[place] += gain
        first = segment.first
        names = [e.name for e in self.events if round(e.time / self.step) == first]
        time = first * self.step
        self.event_energies.append({"name": " and ".join(names), "time": time, "energy": gain})
        return x

    def _at(self, t: float, x: Array, segment: RunSegment) -> list[Any]:
        """Inputs at a time, in the coordinates of a segment."""
        if segment.from_first is None:
            return self.inputs.at(t, x)
        return self._in_coordinates(
            self.inputs.at(t, segment.from_first.seen(x)), segment.from_first
        )

    def _over(self, times: Array, segment: RunSegment) -> list[Array]:
        """The same at many times, where they are tables."""
        values = self.inputs.over(times)
        return (
            values
            if segment.from_first is None
            else self._in_coordinates(values, segment.from_first)
        )

    def _in_coordinates(self, values: list[Any], from_first: JointRelease) -> list[Any]:
        """External forces come first, where there are some."""
        if self.layout.law is None:
            return [from_first.forces(values[0]), *values[1:]]
        return values

    def _stopped(
        self,
        segment: RunSegment,
        x: Array,
        after: Array,
        times: tuple[float, float],
        inputs: Sequence[Any],
        recorder: TakesRows | None,
    ) -> SimulationError:
        """Why a step has no end, with the joint forces at its begin."""
        m = segment.advance.mechanism
        start = 1 + m.nq + m.nv
        tau = segment.advance.observe(x, *inputs)[start : start + m.nv]
        return stopped(m, x, after, times, self.step, recorder, tau)

    def _stops_each_step(self, advance: Advance) -> bool:
        sampled = isinstance(self.layout.law, SampledControl)
        return not self.inputs.is_constant or sampled or advance.takes_single_steps


def _record(
    recorder: TakesRows, segment: RunSegment, x: Array, t: float, inputs: Sequence[Any]
) -> None:
    row = segment.advance.observe(x, *inputs)
    row[0] = t  # not the sum of as many steps
    recorder.append_row(segment.recorded.rows(row[None])[0] if segment.recorded else row)


def _energy(segment: RunSegment, x: Array, inputs: Sequence[Any]) -> float:
    """Energy of a machine at a state, stops included."""
    stored = segment.stored
    return float(segment.advance.observe(x, *inputs)[stored].sum())


def _release(before: Mechanism, after: Mechanism) -> JointRelease | None:
    """Where joints were cut in between."""
    return JointRelease(before, after) if released_joints(before, after) else None
