"""Inputs of a run over time: commands, wrenches, inputs of laws, parameters.

These are values. What is compiled knows their names and sizes, in the order of a step's inputs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phalanx.actuators.subsystem import SampledControl
from phalanx.base.arguments import numbers
from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.mechanism import Mechanism
from phalanx.simulation.setup.laws import Law, as_law
from phalanx.simulation.setup.layout import Layout
from phalanx.simulation.setup.parameters import check_number, number_value
from phalanx.simulation.setup.profile import Profile
from phalanx.simulation.setup.setup import Setup

Array = NDArray[np.float64]
Sampler = Callable[[float, Array, Mapping[str, Array]], ArrayLike]


class FeedbackInput(ABC):
    """An input that is looked up once a step, from the state at its begin, and then held.

    It is a plan of what to do, and remembers nothing; what one run leaves behind, a track say, is
    known to that run's sampler alone.
    """

    @abstractmethod
    def begin(self, mechanism: Mechanism) -> Sampler:
        """Return a new sampler for one run: ``sampler(t, q, states)`` gives the input's numbers.

        It is called in the order of time, sometimes twice at a time; states of subsystems are those
        of recordings, by name.
        """


Control = Callable[[float, Array, Array], ArrayLike]


def _ramp(model: Any, t: Any, q: Any, v: Any, begin: Any, slope: Any, since: Any) -> Any:
    """Commands on a line through each step: a table joined by lines is met at every stage."""
    return begin + slope * (t - since)


@final
class RunInputs:
    """The values that act on one run.

    Attributes:
        layout: Of the setup as it is compiled: control that is not compiled in is left out.
        named: Inputs of laws and surroundings by name.
        named_sizes: Their sizes.
    """

    def __init__(
        self,
        setup: Setup,
        step: float,
        *,
        wrenches: Mapping[str, Any] | None = None,
        inputs: Mapping[str, Any] | None = None,
        parameters: Mapping[str, ArrayLike] | None = None,
    ) -> None:
        """Check them.

        Raises:
            InvalidInput: When one is missing or does not fit.
            UnknownName: When there is no such frame, input or number.
        """
        control, mechanism = setup.control, setup.mechanism
        self.mechanism, self.step = mechanism, step
        compiled = control if isinstance(control, SampledControl) else as_law(control)
        self.ramp: Profile | None = None
        self.control: Control | Profile | None = None
        if isinstance(control, Profile):
            actuation = setup.actuation
            taken = len(actuation.commands(mechanism)) if actuation else mechanism.nv
            _check_columns(f"'{mechanism.name}'", control, taken)
        if isinstance(control, Profile) and control.between == "linear":
            self.ramp = control
            compiled = Law(_ramp, {"begin": taken, "slope": taken, "since": 1})
        elif compiled is None:
            self.control = control
        self.layout = Layout(replace(setup, control=compiled))
        own = compiled.inputs if self.ramp and compiled else {}
        self.named_sizes = {
            name: n for name, n in self.layout.named_inputs.items() if name not in own
        }
        self.samplers: dict[str, Sampler] = {}
        self.wrenches = self._checked_wrenches(wrenches or {})
        self.named = self._checked_inputs(inputs or {})
        self.parameters = self._checked_parameters(parameters or {})

    def at(self, t: float, x: Array) -> list[Any]:
        """All values at a time, when the packed state is ``x``."""
        values: list[Any] = []
        if self.layout.law is None:
            values.append(self._torque(t, x))
        for frame, wrench in self.wrenches.items():
            values.append(_six(frame, wrench(t)) if callable(wrench) else wrench)
        if self.ramp:
            begin, end = self.ramp(t), self.ramp(t + self.step)
            values += [begin, (end - begin) / self.step, x[-1:]]
        for name, value in self.named.items():
            if not callable(value):
                values.append(value)  # was checked before
                continue
            watched = name in self.samplers
            now = self._sampled(self.samplers[name], t, x) if watched else value(t)
            values.append(finite(f"input '{name}'", now, self.named_sizes[name]))
        return [*values, *self.parameters.values()]

    def over(self, times: Array) -> list[Array]:
        """What :meth:`at` says at many times: a row a time, or one for all; where they are tables.

        Only where all values are tabulated.
        """
        return [v(times) if isinstance(v, Profile) else np.asarray(v) for v in self._all()]

    @property
    def is_tabulated(self) -> bool:
        """Whether all of it is known beforehand."""
        known = all(isinstance(v, Profile) or not callable(v) for v in self._all())
        return known and self.ramp is None

    @property
    def moving(self) -> tuple[bool, ...]:
        """Which of the values are tables over time."""
        return tuple(isinstance(value, Profile) for value in self._all())

    @property
    def is_constant(self) -> bool:
        """Whether all of it are numbers: no table, no function is looked up."""
        looked_up = (self.control, self.ramp, *self.wrenches.values(), *self.named.values())
        return not any(callable(value) for value in looked_up)

    def checked_input(self, name: str, value: ArrayLike) -> Array:
        """Validate an input of control or surroundings.

        Raises:
            UnknownName: When there is no such input.
            InvalidInput: When it takes another count of numbers, or one is not finite.
        """
        if name not in self.named_sizes:
            raise UnknownName("the control law", "input", name, self.named_sizes)
        return finite(f"input '{name}'", value, self.named_sizes[name])

    def _all(self) -> list[Any]:
        """Commands (unless a law makes them), wrenches, inputs; some are functions of time."""
        commanded = np.zeros(self.layout.commands) if self.control is None else self.control
        made = [] if self.layout.law else [commanded]
        return [*made, *self.wrenches.values(), *self.named.values(), *self.parameters.values()]

    def _checked_wrenches(self, wrenches: Mapping[str, Any]) -> dict[str, Any]:
        checked: dict[str, Any] = {}
        for frame in self.layout.setup.wrenches:
            self.mechanism.frame(frame)
            if frame not in wrenches:
                raise InvalidInput(f"this run needs wrenches={{...}} for the frame '{frame}'.")
            value = wrenches[frame]
            if isinstance(value, Profile):
                _check_columns(f"the wrench on '{frame}'", value, 6)
            checked[frame] = value if callable(value) else _six(frame, value)
        return checked

    def _checked_inputs(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Inputs of control and surroundings: numbers, functions of time, feedback inputs."""
        wanted = self.named_sizes
        for name in inputs:
            if name not in wanted:
                raise UnknownName("the control law", "input", name, wanted)
        given = self.layout.defaults | dict(inputs)
        missing = [name for name in wanted if name not in given]
        if missing:
            raise InvalidInput(f"the control law needs inputs={{...}} for {', '.join(missing)}.")
        checked: dict[str, Any] = {}
        for name, size in wanted.items():
            value = given[name]
            if isinstance(value, Profile):
                _check_columns(f"input '{name}'", value, size)
            if isinstance(value, FeedbackInput):
                value = self.samplers[name] = value.begin(self.mechanism)
            checked[name] = value if callable(value) else finite(f"input '{name}'", value, size)
        return checked

    def _checked_parameters(self, parameters: Mapping[str, ArrayLike]) -> dict[str, Array]:
        """Numbers of the machine in this run."""
        checked: dict[str, Array] = {}
        for name in self.layout.setup.parameters:
            if name not in parameters:
                raise InvalidInput(f"this run needs parameters={{...}} for '{name}'.")
            size = number_value(self.layout.setup, name).size
            single = size == 1 and "." in name  # kernels take it as a plain number
            values = np.ravel(parameters[name]) if single else parameters[name]
            array = finite(f"parameter '{name}'", values, size)
            check_number(self.layout.setup, name, array)
            checked[name] = array.reshape(()) if single else array
        return checked

    def _sampled(self, sampler: Sampler, t: float, x: Array) -> ArrayLike:
        """Evaluate a feedback input at a state."""
        m, beside = self.mechanism, self.layout.subsystems
        start = m.nq + m.nv
        return sampler(t, x[: m.nq], beside.split(x[start : start + beside.size]))

    def _torque(self, t: float, x: Array) -> Array:
        """Joint forces, or commands of the actuation, held over a step."""
        m, size = self.mechanism, self.layout.commands
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


def _check_columns(owner: str, profile: Profile, wanted: int) -> None:
    if profile.values.shape[1] != wanted:
        raise InvalidInput(
            f"the profile has {profile.values.shape[1]} columns; {owner} takes {wanted}."
        )


def _six(frame: str, value: ArrayLike) -> Array:
    return finite(f"the wrench (force, moment) on '{frame}'", value, 6)


def finite(what: str, value: ArrayLike, size: int) -> Array:
    """So many finite numbers.

    Raises:
        InvalidInput: When they are something else.
    """
    try:
        array = numbers(what, value)
    except InvalidInput:
        array = np.zeros(0)
    if array.shape != (size,) or not np.isfinite(array).all():
        raise InvalidInput(f"{what} is {value!r}; expected {size} finite numbers.")
    return array
