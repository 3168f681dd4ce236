"""The steps of a run: everything is compiled first, then each step is there for the taking.

``simulate`` takes them as fast as they come, a real-time loop when they are due.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Annotated, Any, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phalanx.actuators.subsystem import SampledControl
from phalanx.arguments import numbers
from phalanx.equations.assembly.checks import check_closed
from phalanx.equations.tree.parameters import parameter_value
from phalanx.errors import InvalidInput, PhalanxError, UnknownName
from phalanx.kernel.interrupts.insistent import insistent
from phalanx.keywords import Default, chosen, spelled_out
from phalanx.mechanism import Mechanism
from phalanx.mechanism.quaternions import check_quaternions
from phalanx.simulation.advance import Advance, FixedAdvance, IntegrationFailed, advance_by
from phalanx.simulation.events import Event
from phalanx.simulation.integrators import Integrator
from phalanx.simulation.laws import Law, as_law
from phalanx.simulation.passage import NEVER, first_passage, why_stopped
from phalanx.simulation.plant import Plant, default_method
from phalanx.simulation.profile import Profile
from phalanx.simulation.record.recording import Recording
from phalanx.simulation.record.rows import TakesRows
from phalanx.simulation.setup import Setup, SetupKeywords, setup_of
from phalanx.simulation.watching import Watch, Watching
from phalanx.version import __version__

Array = NDArray[np.float64]
Control = Callable[[float, Array, Array], ArrayLike]

STRETCH = 1000  # steps in one native loop
MOST_STEPS = 2**53  # beyond this, the time after a step is that before it
SHORT = 2000  # steps of a run that needs no loop


def _ramp(size: int) -> Law:
    """Commands on a line through each step: a table joined by lines is met at every stage."""
    return Law(
        lambda model, t, q, v, begin, slope, since: begin + slope * (t - since),
        {"begin": size, "slope": size, "since": 1},
    )


class SimulationError(PhalanxError):
    """A run that could not go on; ``recording`` holds what was recorded until then."""

    def __init__(self, message: str, recording: Recording) -> None:
        """Keep the recording."""
        super().__init__(message)
        self.recording = recording


class SingularPosture(SimulationError):
    """A run that came to a posture from which its motion is not determined.

    Attributes:
        time: When [s].
        q: The last posture before it, shape (nq,).
    """

    def __init__(self, mechanism: Mechanism, q: Array, time: float, recording: Recording) -> None:
        """Say when and where, and which loop."""
        super().__init__(why_stopped(mechanism, q, time), recording)
        self.time, self.q = time, q


class RunKeywords(TypedDict, total=False):
    """How a setup is run, and what is told to it; see :func:`simulate`."""

    step: Annotated[float, Default(1e-3)]
    integrator: Annotated[Integrator | None, Default(None)]
    wrenches: Annotated[Mapping[str, Any] | None, Default(None)]
    inputs: Annotated[Mapping[str, Any] | None, Default(None)]
    parameters: Annotated[Mapping[str, ArrayLike] | None, Default(None)]
    events: Annotated[Sequence[Event], Default(())]
    every: Annotated[int, Default(1)]
    rates: Annotated[bool, Default(False)]


class SingleRunKeywords(SetupKeywords, RunKeywords, total=False):
    """What :func:`simulate` and :class:`LiveRun` share."""

    states: Annotated[Mapping[str, ArrayLike] | None, Default(None)]
    path: Annotated[str | PathLike[str] | None, Default(None)]
    settings: Annotated[Mapping[str, Any] | None, Default(None)]


class Run:
    """A machine with everything that acts on it, compiled, from one event to the next."""

    @spelled_out
    @insistent()
    def __init__(self, setup: Setup, *, steps: float, **run: Unpack[RunKeywords]) -> None:
        """Check and compile; see :func:`simulate`. The number of steps may be infinite."""
        every, step = run["every"], run["step"]
        if not 1 <= every <= MOST_STEPS or int(every) != every:
            raise InvalidInput(
                f"every={every}; expected a whole number of at least 1, at most {MOST_STEPS:g}."
            )
        mechanism, control, actuation = setup.mechanism, setup.control, setup.actuation
        self.setup, self.mechanism, self.events = setup, mechanism, run["events"]
        self.steps, self.step, self.every = steps, step, int(every)
        self.rates = run["rates"]
        self.law = control if isinstance(control, SampledControl) else as_law(control)
        self.ramp: Profile | None = None
        self.control: Control | Profile | None = None
        taken = len(actuation.commands(mechanism)) if actuation else mechanism.nv
        if isinstance(control, Profile):
            _check_columns(f"'{mechanism.name}'", control, taken)
        if isinstance(control, Profile) and control.between == "linear":
            self.ramp = control
            self.law = _ramp(taken)
        elif self.law is None:
            self.control = control
        self.wrenches = self._checked_wrenches(run["wrenches"] or {})
        plants = [
            (first, last, self._plant(machine))
            for first, last, machine in _stretches(mechanism, self.events, steps, step)
        ]
        self.plant = plants[0][2]
        self.integrator = run["integrator"] or default_method(self.plant)
        self.told = self._told_from_outside()
        self.watches: dict[str, Watch] = {}
        self.inputs = self._checked_inputs(run["inputs"] or {})
        self.parameters = self._checked_parameters(run["parameters"] or {})
        self.stretches = [
            (first, last, advance_by(plant, self.integrator, step, self.rates))
            for first, last, plant in plants
        ]

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
        q = _numbers("q0", m.neutral() if q0 is None else q0, m.nq)
        v = _numbers("v0", np.zeros(m.nv) if v0 is None else v0, m.nv)
        beside = self.plant.beside.initial(q, states)
        if beside.ndim != 1:
            raise InvalidInput("a run has one initial state; rollout() takes many.")
        x = np.concatenate([q, v, beside, np.zeros(2), first_passage(m), np.zeros(1)])
        check_quaternions(m, q, "q0")
        if m.loops and not self._moved:
            check_closed(m, x[: m.nq], x[m.nq : m.nq + m.nv])
        return x

    def states(self, x: Array, recorder: TakesRows | None = None) -> Iterator[tuple[float, Array]]:
        """Time and packed state after each step, recorded on the way: the first, then each due one.

        Raises:
            SimulationError: When the state leaves finite numbers, an adaptive method gives up, or
                the motion past a singular posture is not determined.
        """
        h, every = self.step, self.every
        for first, last, advance in self.stretches:
            # without a Python controller, adaptive methods need not stop at every step
            each = self._stops_each_step(advance)
            k = first
            while k < last:
                t = k * h
                due = k % every == 0
                jump = 1 if each else int(min(every - k % every, last - k))
                outside = self.outside(t, x)
                if due and recorder is not None:
                    self._record(recorder, advance, x, t, outside)
                try:
                    after = advance.advance(x, jump * h, outside)
                except IntegrationFailed as failure:
                    raise self._gave_up(advance, failure, recorder) from failure
                k += jump
                if not np.isfinite(after).all():  # x·x would be faster, and warn of overflow
                    raise self.stopped(advance, x, after, t, k * h, recorder)
                x = after
                yield k * h, x
        if recorder is not None:
            t = self.steps * h
            self._record(recorder, advance, x, t, self.outside(t, x))

    def stretches_of(self, x: Array, recorder: TakesRows) -> Iterator[tuple[float, Array]]:
        """The same states in fewer pieces, many steps in one native loop; compiled at once.

        Each step comes alone where a Python function is looked at between steps, where a method
        chooses its own steps, and in short runs, which would only wait for another compilation.
        """
        looped = all(isinstance(advance, FixedAdvance) for *_, advance in self.stretches)
        if not (looped and self._tabulated and self.steps >= SHORT):
            return self.states(x, recorder)
        moving = tuple(isinstance(value, Profile) for value in self._acting_from_outside())
        for *_, advance in self.stretches:
            assert isinstance(advance, FixedAdvance)
            advance.loop(moving)
        return self._in_stretches(x, recorder)

    def _in_stretches(self, x: Array, recorder: TakesRows) -> Iterator[tuple[float, Array]]:
        h = self.step
        for first, last, advance in self.stretches:
            assert isinstance(advance, FixedAdvance)
            for k in range(first, int(last), STRETCH):
                steps = int(min(STRETCH, last - k))
                times = h * np.arange(k, k + steps, dtype=np.float64)
                begin = x
                x, rows = advance.stretch(begin, steps, self._outside_at(times))
                rows[:, 0] = times
                finite = np.isfinite(rows).all(axis=1)
                good = steps if finite.all() else int(np.argmin(finite))
                due = np.arange(-k % self.every, good, self.every)
                recorder.append_rows(np.ascontiguousarray(rows[due]))
                if good < steps or not np.isfinite(x).all():
                    before = h * (k + good - 1)
                    reached = rows[good - 1, 1:] if good else begin
                    raise self.stopped(advance, reached, x, before, before + h, recorder)
                yield h * (k + steps), x
        t = self.steps * h
        self._record(recorder, advance, x, t, self.outside(t, x))

    @property
    def _tabulated(self) -> bool:
        """Whether all that acts from outside is known beforehand."""
        values = self._acting_from_outside()
        known = all(isinstance(v, Profile) or not callable(v) for v in values)
        return known and self.ramp is None

    def _outside_at(self, times: Array) -> list[Array]:
        """What :meth:`outside` says at many times: a row a time, or one for all."""
        return [
            v(times) if isinstance(v, Profile) else np.asarray(v)
            for v in self._acting_from_outside()
        ]

    def _acting_from_outside(self) -> list[Any]:
        """Commands (unless a law makes them), wrenches and inputs; some are functions of time."""
        commanded = np.zeros(self.plant.commands) if self.control is None else self.control
        made = [] if self.law else [commanded]
        return [*made, *self.wrenches.values(), *self.inputs.values(), *self.parameters.values()]

    def _checked_wrenches(self, wrenches: Mapping[str, Any]) -> dict[str, Any]:
        checked: dict[str, Any] = {}
        for frame in self.setup.wrenches:
            self.mechanism.frame(frame)
            if frame not in wrenches:
                raise InvalidInput(f"this run needs wrenches={{...}} for the frame '{frame}'.")
            value = wrenches[frame]
            if isinstance(value, Profile):
                _check_columns(f"the wrench on '{frame}'", value, 6)
            checked[frame] = value if callable(value) else _six(frame, value)
        return checked

    def _checked_parameters(self, parameters: Mapping[str, ArrayLike]) -> dict[str, Array]:
        """Numbers of the machine in this run."""
        checked: dict[str, Array] = {}
        for name in self.setup.parameters:
            if name not in parameters:
                raise InvalidInput(f"this run needs parameters={{...}} for '{name}'.")
            size = parameter_value(self.mechanism, name).size
            single = size == 1 and "." in name  # kernels take it as a plain number
            values = np.ravel(parameters[name]) if single else parameters[name]
            array = _numbers(f"parameter '{name}'", values, size)
            checked[name] = array.reshape(()) if single else array
        return checked

    @property
    def _moved(self) -> bool:
        """Whether lengths are this run's own: no posture of the machine as it is says anything."""
        return any(name.endswith(".position") for name in self.parameters)

    def _checked_inputs(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """What control and surroundings are told: numbers, functions of time, watches."""
        wanted = self.told
        for name in inputs:
            if name not in wanted:
                raise UnknownName("the control law", "input", name, wanted)
        given = self.plant.defaults() | dict(inputs)
        missing = [name for name in wanted if name not in given]
        if missing:
            raise InvalidInput(f"the control law needs inputs={{...}} for {', '.join(missing)}.")
        checked: dict[str, Any] = {}
        for name, size in wanted.items():
            value = given[name]
            if isinstance(value, Profile):
                _check_columns(f"input '{name}'", value, size)
            if isinstance(value, Watching):
                value = self.watches[name] = value.begin(self.mechanism)
            checked[name] = value if callable(value) else _numbers(f"input '{name}'", value, size)
        return checked

    def _plant(self, machine: Mechanism) -> Plant:
        setup = self.setup
        return Plant(
            machine,
            setup.forces,
            self.law,
            setup.wrenches,
            setup.parameters,
            actuation=setup.actuation,
            surroundings=setup.surroundings,
        )

    def _told_from_outside(self) -> dict[str, int]:
        """Sizes of what is told by name; a ramp's numbers come from its table."""
        own = self.law.inputs if self.ramp and self.law else {}
        return {name: size for name, size in self.plant.told().items() if name not in own}

    @property
    def is_told_numbers(self) -> bool:
        """Whether all that acts from outside are numbers: no table, no function is looked up."""
        looked_up = (self.control, self.ramp, *self.wrenches.values(), *self.inputs.values())
        return not any(callable(value) for value in looked_up)

    def checked_input(self, name: str, value: ArrayLike) -> Array:
        """Numbers that control or surroundings can be told.

        Raises:
            UnknownName: When there is no such input.
            InvalidInput: When it takes another count of numbers, or one is not finite.
        """
        if name not in self.told:
            raise UnknownName("the control law", "input", name, self.told)
        return _numbers(f"input '{name}'", value, self.told[name])

    def _stops_each_step(self, advance: Advance) -> bool:
        sampled = isinstance(self.law, SampledControl)
        return not self.is_told_numbers or sampled or isinstance(advance, FixedAdvance)

    def outside(self, t: float, x: Array) -> list[Any]:
        """Joint forces (unless a law makes them), wrenches and the law's inputs at time t."""
        values: list[Any] = []
        if self.law is None:
            values.append(self._torque(t, x))
        for frame, wrench in self.wrenches.items():
            values.append(_six(frame, wrench(t)) if callable(wrench) else wrench)
        if self.ramp:
            begin, end = self.ramp(t), self.ramp(t + self.step)
            values += [begin, (end - begin) / self.step, x[-1:]]
        for name, value in self.inputs.items():
            if not callable(value):
                values.append(value)  # was checked before
                continue
            watched = name in self.watches
            now = self._watched(self.watches[name], t, x) if watched else value(t)
            values.append(_numbers(f"input '{name}'", now, self.told[name]))
        return [*values, *self.parameters.values()]

    def _watched(self, watch: Watch, t: float, x: Array) -> ArrayLike:
        """What a watch says of a state."""
        m, beside = self.mechanism, self.plant.beside
        start = m.nq + m.nv
        return watch(t, x[: m.nq], beside.split(x[start : start + beside.size]))

    def _torque(self, t: float, x: Array) -> Array:
        """Joint forces, or commands of the actuation, held over a step."""
        m, size = self.mechanism, self.plant.commands
        if self.control is None:
            return np.zeros(size)
        if isinstance(self.control, Profile):
            return self.control(t)
        x.setflags(write=False)  # a controller that works in place would move the machine
        tau = numbers(
            f"what control returned at t = {t:g} s",
            self.control(t, x[: m.nq], x[m.nq : m.nq + m.nv]),
        )
        if tau.shape != (size,):
            raise InvalidInput(
                f"control returned shape {tau.shape} at t = {t:g} s; expected ({size},)."
            )
        return tau

    def _record(
        self, recorder: TakesRows, advance: Advance, x: Array, t: float, outside: Sequence[Any]
    ) -> None:
        row = advance.observe(x, *outside)
        row[0] = t  # not the sum of as many steps
        recorder.append_row(row)

    def _gave_up(
        self, advance: Advance, failure: IntegrationFailed, recorder: TakesRows | None
    ) -> SimulationError:
        """What an adaptive method could not do."""
        if not failure.is_singular:
            return _ended(f"{failure}.", recorder)
        m, x = advance.plant.mechanism, failure.x
        return SingularPosture(m, x[: m.nq], float(x[-1]), _recorded(recorder))

    def stopped(
        self,
        advance: Advance,
        reached: Array,
        x: Array,
        before: float,
        after: float,
        recorder: TakesRows | None,
    ) -> SimulationError:
        """Why there are no numbers after the last state that had some."""
        plant = advance.plant
        if plant.passage and x[-2] < NEVER:
            q = reached[: plant.mechanism.nq]
            return SingularPosture(plant.mechanism, q, after, _recorded(recorder))
        return _ended(
            f"the state of '{plant.mechanism.name}' left finite numbers between "
            f"t = {before:.6g} s and {after:.6g} s. Shorten the step ({self.step:g} s), check "
            "gains and initial state.",
            recorder,
        )


def _ended(message: str, recorder: TakesRows | None) -> SimulationError:
    return SimulationError(message, _recorded(recorder))


def _recorded(recorder: TakesRows | None) -> Recording:
    return recorder.recording() if recorder else Recording([], [])


def run_of(mechanism: Mechanism | Setup, steps: float, given: SingleRunKeywords) -> Run:
    """The run that a call means, compiled."""
    setup = setup_of(mechanism, given, given["wrenches"] or (), given["parameters"] or ())
    return Run(setup, steps=steps, **chosen(RunKeywords, given))


def whole_steps(duration: float, step: float) -> int:
    """How many steps a duration has.

    Raises:
        InvalidInput: When either is no positive time, or the steps do not fill the duration.
    """
    if not (math.isfinite(step) and step > 0 and math.isfinite(duration) and duration > 0):
        raise InvalidInput(f"duration={duration} and step={step} must be positive times [s].")
    if duration / step > MOST_STEPS:
        raise InvalidInput(
            f"a duration of {duration:g} s has {duration / step:.3g} steps of {step:g} s; "
            f"expected {MOST_STEPS:g} at most."
        )
    steps = max(1, round(duration / step))
    if abs(steps * step - duration) > 1e-6 * duration:
        raise InvalidInput(
            f"a duration of {duration} s is not a whole number of steps of {step} s; "
            f"take {steps * step:g} s."
        )
    return steps


def _stretches(
    mechanism: Mechanism, events: Sequence[Event], steps: float, step: float
) -> Iterator[tuple[int, float, Mechanism]]:
    """Stretches of steps between events, each with the machine as it then is."""
    first = 0
    for event in sorted(events, key=lambda event: event.time):
        at = int(min(steps, round(event.time / step)))
        if at > first:
            yield first, at, mechanism
        first = max(first, at)
        mechanism = event.apply(mechanism)
    if first < steps:
        yield first, steps, mechanism


def _name(control: Any) -> str:
    if control is None:
        return "none"
    return getattr(control, "__name__", None) or type(control).__name__


def _check_columns(owner: str, profile: Profile, wanted: int) -> None:
    if profile.values.shape[1] != wanted:
        raise InvalidInput(
            f"the profile has {profile.values.shape[1]} columns; {owner} takes {wanted}."
        )


def _six(frame: str, value: ArrayLike) -> Array:
    return _numbers(f"the wrench (force, moment) on '{frame}'", value, 6)


def _numbers(what: str, value: ArrayLike, size: int) -> Array:
    try:
        array = numbers(what, value)
    except InvalidInput:
        array = np.zeros(0)
    if array.shape != (size,) or not np.isfinite(array).all():
        raise InvalidInput(f"{what} is {value!r}; expected {size} finite numbers.")
    return array
