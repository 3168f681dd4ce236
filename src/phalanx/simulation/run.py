"""The steps of a run: everything is compiled first, then each step is there for the taking.

``simulate`` takes them as fast as they come, a real-time loop when they are due.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Annotated, Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phalanx.actuators.subsystem import SampledControl
from phalanx.equations.assembly.checks import check_closed
from phalanx.errors import InvalidInput
from phalanx.keywords import Default, chosen, spelled_out
from phalanx.mechanism import Mechanism
from phalanx.mechanism.quaternions import check_quaternions
from phalanx.simulation.adaptive import IntegrationFailed
from phalanx.simulation.advance import Advance, FixedAdvance
from phalanx.simulation.compiled import compiled_advance
from phalanx.simulation.events import Event
from phalanx.simulation.failures import gave_up, stopped
from phalanx.simulation.integrators import Integrator
from phalanx.simulation.outside import Outside, OutsideKeywords, finite
from phalanx.simulation.passage import first_passage
from phalanx.simulation.record.rows import TakesRows
from phalanx.simulation.setup import Setup, SetupKeywords, setup_of
from phalanx.simulation.steps import MOST_STEPS, stretches
from phalanx.version import __version__

Array = NDArray[np.float64]

STRETCH = 1000  # steps in one native loop
SHORT = 2000  # steps of a run that needs no loop


class RunKeywords(OutsideKeywords, total=False):
    """How a setup is run, and what is told to it; see :func:`simulate`."""

    step: Annotated[float, Default(1e-3)]
    integrator: Annotated[Integrator | None, Default(None)]
    events: Annotated[Sequence[Event], Default(())]
    every: Annotated[int, Default(1)]
    rates: Annotated[bool, Default(False)]


class SingleRunKeywords(SetupKeywords, RunKeywords, total=False):
    """What :func:`simulate` and :class:`LiveRun` share."""

    states: Annotated[Mapping[str, ArrayLike] | None, Default(None)]
    path: Annotated[str | PathLike[str] | None, Default(None)]
    settings: Annotated[Mapping[str, Any] | None, Default(None)]


class Run:
    """A machine with everything that acts on it, compiled, from one event to the next.

    Attributes:
        setup: What runs.
        outside: Values that act on it.
        layout: Sizes of what is compiled.
        stretches: First and last step between events, and what takes them.
    """

    @spelled_out
    def __init__(self, setup: Setup, *, steps: float, **run: Unpack[RunKeywords]) -> None:
        """Check and compile; see :func:`simulate`. The number of steps may be infinite."""
        every, step = run["every"], run["step"]
        if not 1 <= every <= MOST_STEPS or int(every) != every:
            raise InvalidInput(
                f"every={every}; expected a whole number of at least 1, at most {MOST_STEPS:g}."
            )
        self.setup, self.mechanism, self.events = setup, setup.mechanism, run["events"]
        self.steps, self.step, self.every = steps, step, int(every)
        self.rates = run["rates"]
        self.outside = Outside(setup, step, run)
        self.layout = self.outside.layout
        self.integrator = run["integrator"] or self.layout.default_method
        self.stretches = [
            (first, last, self._advance(machine))
            for first, last, machine in stretches(self.mechanism, self.events, steps, step)
        ]

    def _advance(self, machine: Mechanism) -> Advance:
        setup = replace(self.layout.setup, mechanism=machine)
        return compiled_advance(setup, self.integrator, self.step, self.rates)

    def facts(self) -> dict[str, Any]:
        """What it is made with, for its recording."""
        return {
            "model": self.mechanism.name,
            "step": self.step,
            "integrator": repr(self.integrator),
            "forces": [repr(force) for force in self.setup.forces],
            "control": _name(self.setup.control),
            "events": [f"{event.name} at {event.time:g} s" for event in self.events],
            "phalanx": __version__,
        }

    def initial(
        self,
        q0: ArrayLike | None,
        v0: ArrayLike | None,
        states: Mapping[str, ArrayLike] | None = None,
    ) -> Array:
        """The packed initial state; ``states`` are those of subsystems that begin elsewhere."""
        m = self.mechanism
        q = finite("q0", m.neutral() if q0 is None else q0, m.nq)
        v = finite("v0", np.zeros(m.nv) if v0 is None else v0, m.nv)
        beside = self.layout.beside.initial(q, states)
        if beside.ndim != 1:
            raise InvalidInput("a run has one initial state; rollout() takes many.")
        x = np.concatenate([q, v, beside, np.zeros(2), first_passage(m), np.zeros(1)])
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
        h, every = self.step, self.every
        for first, last, advance in self.stretches:
            # without a Python controller, adaptive methods need not stop at every step
            each = by_steps or self._stops_each_step(advance)
            k = first
            while k < last:
                t = k * h
                due = k % every == 0
                jump = 1 if each else int(min(every - k % every, last - k))
                outside = self.outside.at(t, x)
                if due and recorder is not None and recorder.runs:
                    _record(recorder, advance, x, t, outside)
                try:
                    after = advance.advance(x, jump * h, outside)
                except IntegrationFailed as failure:
                    raise gave_up(advance.mechanism, failure, recorder) from failure
                k += jump
                if not np.isfinite(after).all():  # x·x would be faster, and warn of overflow
                    raise stopped(advance.mechanism, x, after, (t, k * h), h, recorder)
                x = after
                yield k * h, x
        if recorder is not None:
            t = self.steps * h
            _record(recorder, advance, x, t, self.outside.at(t, x))

    def stretches_of(self, x: Array, recorder: TakesRows) -> Iterator[tuple[float, Array]]:
        """The same states in fewer pieces, many steps in one native loop; compiled at once.

        Each step comes alone where a Python function is looked at between steps, where a method
        chooses its own steps, and in short runs, which would only wait for another compilation.
        """
        looped = all(isinstance(advance, FixedAdvance) for *_, advance in self.stretches)
        if not (looped and self.outside.is_tabulated and self.steps >= SHORT):
            return self.states(x, recorder)
        for *_, advance in self.stretches:
            assert isinstance(advance, FixedAdvance)
            advance.loop(self.outside.moving)
        return self._in_stretches(x, recorder)

    def _in_stretches(self, x: Array, recorder: TakesRows) -> Iterator[tuple[float, Array]]:
        h = self.step
        for first, last, advance in self.stretches:
            assert isinstance(advance, FixedAdvance)
            for k in range(first, int(last), STRETCH):
                steps = int(min(STRETCH, last - k))
                times = h * np.arange(k, k + steps, dtype=np.float64)
                begin = x
                x, rows = advance.stretch(begin, steps, self.outside.over(times))
                rows[:, 0] = times
                finite = np.isfinite(rows).all(axis=1)
                good = steps if finite.all() else int(np.argmin(finite))
                due = np.arange(-k % self.every, good, self.every)
                recorder.append_rows(np.ascontiguousarray(rows[due]))
                if good < steps or not np.isfinite(x).all():
                    before = h * (k + good - 1)
                    reached = rows[good - 1, 1:] if good else begin
                    times_of = (before, before + h)
                    raise stopped(advance.mechanism, reached, x, times_of, h, recorder)
                yield h * (k + steps), x
        t = self.steps * h
        _record(recorder, advance, x, t, self.outside.at(t, x))

    def _stops_each_step(self, advance: Advance) -> bool:
        sampled = isinstance(self.layout.law, SampledControl)
        return not self.outside.is_told_numbers or sampled or isinstance(advance, FixedAdvance)


def _record(
    recorder: TakesRows, advance: Advance, x: Array, t: float, outside: Sequence[Any]
) -> None:
    row = advance.observe(x, *outside)
    row[0] = t  # not the sum of as many steps
    recorder.append_row(row)


def run_of(mechanism: Mechanism | Setup, steps: float, given: SingleRunKeywords) -> Run:
    """The run that a call means, compiled."""
    setup = setup_of(mechanism, given, given["wrenches"] or (), given["parameters"] or ())
    return Run(setup, steps=steps, **chosen(RunKeywords, given))


def _name(control: Any) -> str:
    if control is None:
        return "none"
    return getattr(control, "__name__", None) or type(control).__name__
