"""One run of one machine, with full freedom: any controller, any integrator, events, recording."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import version
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phalanx.errors import InvalidInput, PhalanxError, UnknownName
from phalanx.mechanism import Mechanism
from phalanx.simulate.advance import Advance, FixedAdvance, advance_by
from phalanx.simulate.channels import run_channels
from phalanx.simulate.events import Event
from phalanx.simulate.forces import Damping, JointForce
from phalanx.simulate.integrators import Integrator, RungeKutta4
from phalanx.simulate.laws import as_law
from phalanx.simulate.plant import Plant
from phalanx.simulate.profile import Profile
from phalanx.simulate.progress import Progress
from phalanx.simulate.recorder import Recorder
from phalanx.simulate.recording import Recording

Array = NDArray[np.float64]
Control = Callable[[float, Array, Array], ArrayLike]


class SimulationError(PhalanxError):
    """A run that could not go on; ``recording`` holds what was recorded until then."""

    def __init__(self, message: str, recording: Recording) -> None:
        """Keep the recording."""
        super().__init__(message)
        self.recording = recording


def simulate(
    mechanism: Mechanism,
    q0: ArrayLike | None = None,
    v0: ArrayLike | None = None,
    *,
    duration: float,
    step: float = 1e-3,
    control: Any = None,
    integrator: Integrator | None = None,
    forces: Sequence[JointForce] = (Damping(),),
    wrenches: Mapping[str, Any] | None = None,
    inputs: Mapping[str, ArrayLike] | None = None,
    events: Sequence[Event] = (),
    every: int = 1,
    path: str | PathLike[str] | None = None,
    progress: bool | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Recording:
    """Let a machine run and record it.

    Args:
        mechanism: The machine.
        q0: Initial positions, shape (nq,); neutral when not given.
        v0: Initial velocities, shape (nv,); at rest when not given.
        duration: Length of the run [s].
        step: Control period, and step of fixed-step integrators [s].
        control: A Python function ``control(t, q, v) -> tau``, called once a step and held; a
            :class:`Law` or ``casadi.Function``, compiled in and evaluated within steps; a
            :class:`Profile` of torques; nothing for no torque.
        integrator: The method; ``RungeKutta4()`` by default.
        forces: Forces of the joints on themselves; damping by default.
        wrenches: Frame to external wrench (force, moment) in the frame's axes: six numbers, a
            Profile, or a function of time.
        inputs: Values of a law's own inputs.
        events: Changes of the machine on the way: :func:`pick_up`, :func:`drop`.
        every: Record every so many steps.
        path: An ``.mcap`` file to write while running.
        progress: Show a bar when the run takes over two seconds; by default on a terminal.
        settings: Further facts to keep with the recording.

    Returns:
        Time, q, v, tau, energy [J], work of the drives [J], loss in the joints [J].

    Raises:
        SimulationError: When the state leaves finite numbers; it carries the recording so far.
        InvalidInput: When shapes, times or options do not fit.
        UnknownName: When a frame or an input does not exist.
    """
    run = _Run(mechanism, duration, step, every, control, integrator or RungeKutta4(), forces)
    run.outside(wrenches or {}, inputs or {})
    x = run.initial(q0, v0)
    facts = {
        "model": mechanism.name,
        "duration": duration,
        "step": step,
        "integrator": repr(run.integrator),
        "forces": [repr(force) for force in forces],
        "control": _name(control),
        "events": [f"{event.name} at {event.time:g} s" for event in events],
        "phalanx": version("phalanx"),
        **(settings or {}),
    }
    with Recorder(run_channels(mechanism), facts, path) as recorder:
        bar = Progress(mechanism.name, duration, progress)
        started = time.perf_counter()
        try:
            with bar:
                for first, last, machine in _segments(mechanism, events, run.steps, step):
                    x = run.segment(machine, x, first, last, recorder, bar)
            run.record(recorder, x, run.steps)
        finally:
            elapsed = time.perf_counter() - started
            done = recorder.recording().duration
            recorder.note(wall_time=elapsed, real_time_factor=done / elapsed if elapsed else 0.0)
    return recorder.recording()


class _Run:
    """The fixed facts of a run and the state of its loop."""

    def __init__(
        self,
        mechanism: Mechanism,
        duration: float,
        step: float,
        every: int,
        control: Any,
        integrator: Integrator,
        forces: Sequence[JointForce],
    ) -> None:
        if not (math.isfinite(step) and step > 0 and math.isfinite(duration) and duration > 0):
            raise InvalidInput(f"duration={duration} and step={step} must be positive times [s].")
        if int(every) != every or every < 1:
            raise InvalidInput(f"every={every}; expected a whole number of at least 1.")
        self.steps = max(1, round(duration / step))
        if abs(self.steps * step - duration) > 1e-6 * duration:
            raise InvalidInput(
                f"a duration of {duration} s is not a whole number of steps of {step} s; "
                f"take {self.steps * step:g} s."
            )
        self.mechanism, self.step, self.every = mechanism, step, int(every)
        self.integrator, self.forces = integrator, forces
        self.law = as_law(control)
        self.control: Control | None = None if self.law else _callable(control, mechanism)
        self.advance: Advance

    def outside(self, wrenches: Mapping[str, Any], inputs: Mapping[str, ArrayLike]) -> None:
        """Take what acts from outside: wrenches, and values of the law's inputs."""
        for frame in wrenches:
            self.mechanism.frame(frame)
        self.wrenches = {
            frame: value if callable(value) else _six(frame, value)
            for frame, value in wrenches.items()
        }
        wanted = self.law.inputs if self.law else {}
        for name in inputs:
            if name not in wanted:
                raise UnknownName("the control law", "input", name, wanted)
        missing = [name for name in wanted if name not in inputs]
        if missing:
            raise InvalidInput(f"the control law needs inputs={{...}} for {', '.join(missing)}.")
        self.inputs = [np.asarray(inputs[name], dtype=np.float64) for name in wanted]

    def initial(self, q0: ArrayLike | None, v0: ArrayLike | None) -> Array:
        """The packed initial state."""
        m = self.mechanism
        q = m.neutral() if q0 is None else np.asarray(q0, dtype=np.float64)
        v = np.zeros(m.nv) if v0 is None else np.asarray(v0, dtype=np.float64)
        for name, array, size in (("q0", q, m.nq), ("v0", v, m.nv)):
            if array.shape != (size,) or not np.isfinite(array).all():
                raise InvalidInput(
                    f"{name} has shape {array.shape}; expected {size} finite numbers."
                )
        return np.concatenate([q, v, np.zeros(3)])

    def segment(
        self,
        machine: Mechanism,
        x: Array,
        first: int,
        last: int,
        recorder: Recorder,
        bar: Progress,
    ) -> Array:
        """Run from step ``first`` to step ``last`` with the machine as it then is."""
        plant = Plant(machine, self.forces, self.law, tuple(self.wrenches))
        self.advance = advance_by(plant, self.integrator, self.step)
        h, every = self.step, self.every
        k = first
        while k < last:
            t = k * h
            due = k % every == 0
            # without a Python controller, adaptive methods need not stop at every step
            jump = 1 if self._stops_each_step() else min(every - k % every, last - k)
            outside = self._outside(t, x)
            if due:
                self._append(recorder, x, t, outside)
                bar.reach(t)
            x = self.advance.advance(x, jump * h, outside)
            k += jump
            if (due or k == last) and not math.isfinite(x @ x):
                raise SimulationError(
                    f"the state of '{machine.name}' left finite numbers between t = {t:.6g} s and "
                    f"{k * h:.6g} s. Shorten the step ({h:g} s), check gains and initial state.",
                    recorder.recording(),
                )
        return x

    def record(self, recorder: Recorder, x: Array, k: int) -> None:
        """Record the last state."""
        t = k * self.step
        self._append(recorder, x, t, self._outside(t, x))

    def _stops_each_step(self) -> bool:
        moving = self.control is not None or any(callable(w) for w in self.wrenches.values())
        return moving or isinstance(self.advance, FixedAdvance)

    def _outside(self, t: float, x: Array) -> list[Any]:
        """Joint forces (unless a law makes them), wrenches and the law's inputs at time t."""
        values: list[Any] = []
        if self.law is None:
            values.append(self._torque(t, x))
        values += [w(t) if callable(w) else w for w in self.wrenches.values()]
        return values + self.inputs

    def _torque(self, t: float, x: Array) -> Array:
        m = self.mechanism
        if self.control is None:
            return np.zeros(m.nv)
        tau = np.asarray(self.control(t, x[: m.nq], x[m.nq : m.nq + m.nv]), dtype=np.float64)
        if tau.shape != (m.nv,):
            raise InvalidInput(
                f"control returned shape {tau.shape} at t = {t:g} s; expected ({m.nv},)."
            )
        return tau

    def _append(self, recorder: Recorder, x: Array, t: float, outside: Sequence[Any]) -> None:
        m = self.mechanism
        tau, energy = self.advance.observe(x, *outside)
        q, v = x[: m.nq], x[m.nq : m.nq + m.nv]
        recorder.append(t, q, v, tau, float(energy), float(x[-3]), float(x[-2]))


def _segments(
    mechanism: Mechanism, events: Sequence[Event], steps: int, step: float
) -> Iterator[tuple[int, int, Mechanism]]:
    """Stretches of steps between events, each with the machine as it then is."""
    first = 0
    for event in sorted(events, key=lambda event: event.time):
        at = min(steps, round(event.time / step))
        if at > first:
            yield first, at, mechanism
        first = max(first, at)
        mechanism = event.apply(mechanism)
    if first < steps:
        yield first, steps, mechanism


def _callable(control: Any, mechanism: Mechanism) -> Control | None:
    if control is None:
        return None
    if isinstance(control, Profile):
        if control.values.shape[1] != mechanism.nv:
            raise InvalidInput(
                f"the profile has {control.values.shape[1]} columns; '{mechanism.name}' has "
                f"{mechanism.nv} joint forces."
            )
        return lambda t, q, v: control(t)
    if callable(control):
        return control
    raise InvalidInput(
        f"control is a {type(control).__name__}; expected a function (t, q, v) -> tau, a Law, a "
        "casadi.Function or a Profile."
    )


def _six(frame: str, value: ArrayLike) -> Array:
    wrench = np.asarray(value, dtype=np.float64)
    if wrench.shape != (6,) or not np.isfinite(wrench).all():
        raise InvalidInput(
            f"the wrench on '{frame}' must be six finite numbers (force, moment), got {value!r}."
        )
    return wrench


def _name(control: Any) -> str:
    if control is None:
        return "none"
    return getattr(control, "__name__", None) or type(control).__name__
