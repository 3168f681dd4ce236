"""Interface of formulations: equations of motion as first-order equations, and their runs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import NDArray

from phalanx.base.errors import InvalidInput
from phalanx.equations.model_of import model_of
from phalanx.equations.quantities.declared_forces import declared_forces
from phalanx.kernel import compile
from phalanx.mechanism import Mechanism
from phalanx.mechanism.loads import declared_loads
from phalanx.simulation.formulations.stepping import BudgetExhausted, Counted, StepFailed, Steps

Array = NDArray[np.float64]
Control = Callable[[float, Array, Array], Array]

_ROUNDING = 1e-10


@dataclass(frozen=True)
class Restart:
    """A moment at which other numbers were chosen to be integrated."""

    t: float
    condition: float


@dataclass(frozen=True)
class History:
    """Result of a run: states over time, and counts of its work.

    Attributes:
        t: Times [s], shape (steps + 1,).
        q: Positions, shape (steps + 1, nq).
        v: Velocities, shape (steps + 1, nv).
        evaluations: How often the equations of motion were evaluated.
        rounds: How many of these had to wait for others: the length of the run on as many
            processors as its integrator can use.
        restarts: When other coordinates were chosen and the integrator began anew.
        jumps: Times at which the basis jumped between two steps [s].
        stopped: Why the run did not reach its end; empty if it did.
    """

    t: Array
    q: Array
    v: Array
    evaluations: int
    rounds: int
    restarts: tuple[Restart, ...] = ()
    jumps: tuple[float, ...] = ()
    stopped: str = ""

    @property
    def steps(self) -> int:
        """How many steps were taken."""
        return len(self.t) - 1


@dataclass
class Notes:
    """Notes of a formulation about a run."""

    restarts: list[Restart] = field(default_factory=list)
    jumps: list[float] = field(default_factory=list)


class Formulation(ABC):
    """A machine's equations of motion as dx/dt = f(x, tau)."""

    mechanism: Mechanism

    @abstractmethod
    def begin(self, q: Array, v: Array) -> Array:
        """The numbers to integrate, for positions and velocities."""

    @abstractmethod
    def state(self, t: float, x: Array) -> tuple[Array, Array]:
        """Positions and velocities at a time."""

    @abstractmethod
    def rate(self, t: float, x: Array, control: Control) -> Array:
        """Rates of the numbers that are integrated."""

    def rates(self, t: Array, x: Array, control: Control) -> Array:
        """Rates of several states, a row each."""
        return np.array([self.rate(float(s), y, control) for s, y in zip(t, x, strict=True)])

    def after_step(self, t: float, x: Array, notes: Notes) -> Array | None:
        """A state to go on with, in other coordinates or corrected, or None to go on as before."""
        return None


@dataclass(frozen=True)
class _Controlled:
    """The field of a formulation under control."""

    formulation: Formulation
    control: Control

    def __call__(self, t: float, x: Array) -> Array:
        return self.formulation.rate(t, x, self.control)

    def many(self, t: Array, x: Array) -> Array:
        return self.formulation.rates(t, x, self.control)


def _with_own_forces(mechanism: Mechanism, control: Control) -> Control:
    """Control, and what joints and springs of the machine do by themselves."""
    if not any(declared_loads(mechanism)):
        return control
    q, v = SX.sym("q", mechanism.nq), SX.sym("v", mechanism.nv)
    tau = ca.densify(declared_forces(model_of(mechanism), q, v))
    own = compile(ca.Function("own_forces", [q, v], ca.cse([tau]), ["q", "v"], ["tau"])).call
    return lambda t, q, v: np.asarray(control(t, q, v)) + own(q, v)


def run(
    formulation: Formulation,
    q: Array,
    v: Array,
    control: Control,
    *,
    duration: float,
    steps: Steps,
    budget: float = np.inf,
    partial: bool = False,
) -> History:
    """Integrate a machine's equations of motion over time.

    Args:
        formulation: Its equations of motion.
        q: Positions at the start, shape (nq,).
        v: Velocities at the start, shape (nv,).
        control: ``control(t, q, v) -> tau``, asked at every evaluation. Springs, damping and dry
            friction of the machine act beside it.
        duration: How long [s].
        steps: The integrator.
        budget: Most evaluations of the equations of motion.
        partial: Whether a run that does not reach its end is returned as far as it came, with the
            reason, instead of raised.

    Raises:
        InvalidInput: The state has the wrong shape, or the machine cannot start there.
        StepFailed: The state did not stay finite, or the basis of free directions broke down.
        BudgetExhausted: The budget did not suffice.
    """
    mechanism = formulation.mechanism
    start = []
    for name, values, size in (("q", q, mechanism.nq), ("v", v, mechanism.nv)):
        given = np.asarray(values, dtype=np.float64)
        if given.shape != (size,) or not np.isfinite(given).all():
            raise InvalidInput(
                f"{name} has shape {given.shape} or is not finite; expected ({size},)."
            )
        start.append(given)
    if not 0 < duration < np.inf:
        raise InvalidInput(f"duration={duration}; expected a positive time [s].")
    x = formulation.begin(start[0], start[1])
    field = Counted(_Controlled(formulation, _with_own_forces(mechanism, control)), budget)
    notes = Notes()
    t, times, states = 0.0, [0.0], [formulation.state(0.0, x)]
    stopped = ""
    try:
        # an integrator that began anew many times arrives at the end but for rounding
        while duration - t > _ROUNDING * duration:
            for reached, numbers in steps.states(field, t, x, duration):
                states.append(formulation.state(reached, numbers))
                times.append(reached)
                t, renewed = reached, formulation.after_step(reached, numbers, notes)
                if renewed is not None:
                    x = renewed
                    states[-1] = formulation.state(reached, x)
                    break
    except np.linalg.LinAlgError as error:
        stopped = f"the free directions broke down after t = {times[-1]:.6g} s: {error}."
        if not partial:
            raise StepFailed(stopped) from None
    except (StepFailed, BudgetExhausted) as error:
        if not partial:
            raise
        stopped = str(error)
    positions, velocities = zip(*states, strict=True)
    return History(
        np.array(times),
        np.array(positions),
        np.array(velocities),
        field.evaluations,
        field.rounds,
        tuple(notes.restarts),
        tuple(notes.jumps),
        stopped,
    )
