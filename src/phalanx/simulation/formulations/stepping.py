"""Integrators for fields that are Python functions, with every evaluation counted.

`simulate` compiles step and equations together. Here the equations may decompose matrices, switch
coordinates or look things up, and the number of evaluations is a result.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.errors import InvalidInput, PhalanxError
from phalanx.simulation.integrators.integrators import ErrorControlled
from phalanx.simulation.integrators.runge_kutta import Tableau
from phalanx.simulation.integrators.tableaux import CLASSIC, DORMAND_PRINCE, EULER

Array = NDArray[np.float64]


class Field(Protocol):
    """Rates of a state; of several at a time where a method asks for them together."""

    def __call__(self, t: float, x: Array) -> Array:
        """The rate of one state."""

    def many(self, t: Array, x: Array) -> Array:
        """Rates of several states, a row each."""


class StepFailed(PhalanxError):
    """A run that cannot go on: the state is no longer finite, or the step has become too small."""


class BudgetExhausted(PhalanxError):
    """A run that took more evaluations than it was allowed."""


class Counted:
    """A field that counts its evaluations, and stops when they are too many."""

    def __init__(self, field: Field, budget: float = math.inf) -> None:
        self.field, self.budget = field, budget
        self.evaluations, self.rounds = 0, 0

    def __call__(self, t: float, x: Array) -> Array:
        """Evaluate.

        Raises:
            BudgetExhausted: There have been too many evaluations.
        """
        self._spend(t, 1)
        return self.field(t, x)

    def many(self, t: Array, x: Array) -> Array:
        """Evaluate several states: one round.

        Raises:
            BudgetExhausted: There have been too many evaluations.
        """
        self._spend(float(t[0]), len(t))
        return self.field.many(t, x)

    def _spend(self, t: float, evaluations: int) -> None:
        if self.evaluations + evaluations > self.budget:
            raise BudgetExhausted(
                f"{self.evaluations:,} evaluations of the equations of motion brought the run to "
                f"t = {t:.6g} s and no further. Allow more, or use another method or tolerance."
            )
        self.evaluations += evaluations
        self.rounds += 1


class Steps(ABC):
    """A method that goes from state to state."""

    @abstractmethod
    def states(self, field: Field, t: float, x: Array, end: float) -> Iterator[tuple[float, Array]]:
        """The states after each step until ``end``, without the one at ``t``.

        Raises:
            StepFailed: The run cannot go on.
        """


@final
@dataclass(frozen=True)
class Euler(Steps):
    """Explicit steps of order 1 and constant length [s]."""

    step: float

    def states(self, field: Field, t: float, x: Array, end: float) -> Iterator[tuple[float, Array]]:
        return _fixed(EULER, self.step, field, t, x, end)


@final
@dataclass(frozen=True)
class RungeKutta(Steps):
    """The classical method of order 4, with steps of constant length [s]."""

    step: float

    def states(self, field: Field, t: float, x: Array, end: float) -> Iterator[tuple[float, Array]]:
        return _fixed(CLASSIC, self.step, field, t, x, end)


@final
@dataclass(frozen=True)
class Adaptive(Steps, ErrorControlled):
    """Dormand and Prince's pair of orders 5 and 4, the error of every number held below a bound.

    A step is taken when every e_i ≤ max(relative |x_i|, absolute).

    Attributes:
        relative: Relative tolerance.
        absolute: Absolute tolerance, in the unit of each number.
        longest: Longest step [s].
    """

    relative: float = 1e-6
    absolute: float = 1e-6
    longest: float = math.inf

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (self.relative < 1 and self.longest > 0):
            raise InvalidInput(
                f"the relative tolerance is {self.relative} and the longest step {self.longest}; "
                "the one must be below 1 and the other must be positive."
            )

    def states(self, field: Field, t: float, x: Array, end: float) -> Iterator[tuple[float, Array]]:
        rate = field(t, x)
        h = min(self.longest, end - t, self._first_step(x, rate))
        while t < end:
            h = min(h, self.longest, end - t)
            if h < 16 * np.spacing(t):
                raise StepFailed(f"steps became shorter than {h:.2g} s at t = {t:.6g} s.")
            slopes = [rate]
            for c, ahead in DORMAND_PRINCE.stages[1:]:
                slopes.append(field(t + c * h, ahead(x, h, *slopes)))
            later = DORMAND_PRINCE.end(x, h, *slopes)
            slopes.append(field(t + h, later))
            error = h * np.abs(DORMAND_PRINCE.difference(*slopes))
            with np.errstate(invalid="ignore"):
                allowed = np.maximum(
                    self.relative * np.maximum(np.abs(x), np.abs(later)), self.absolute
                )
                ratio = float((error / allowed).max())
            if ratio <= 1:
                t, x = (end if end - t - h < 1e-12 * h else t + h), later
                rate = slopes[-1]
                yield t, x
            # the usual cautious controller; a state that is not finite halves the step
            h *= min(5.0, max(0.2, 0.9 * max(ratio, 1e-10) ** -0.2)) if ratio < math.inf else 0.2

    def _first_step(self, x: Array, rate: Array) -> float:
        """A step over which the state changes by a hundredth of itself."""
        size = np.maximum(np.abs(x), self.absolute / self.relative)
        fastest = float((np.abs(rate) / size).max(initial=0.0))
        return 0.01 / fastest if fastest > 0 else 1e-3


def _fixed(
    tableau: Tableau, step: float, field: Field, t: float, x: Array, end: float
) -> Iterator[tuple[float, Array]]:
    start, advance = t, tableau.step
    for k in range(1, count_steps(step, t, end) + 1):
        with np.errstate(all="ignore"):
            x = advance(field, t, x, step)
        t = start + k * step
        check_finite(t, x, step)
        yield t, x


def count_steps(step: float, t: float, end: float) -> int:
    """How many steps of constant length there are until the end."""
    count = round((end - t) / step) if 0 < step < math.inf else 0
    if count < 1 or abs(count * step - (end - t)) > 1e-6 * step:
        raise InvalidInput(f"step={step}; expected a part of {end - t:g} s.")
    return count


def check_finite(t: float, x: Array, step: float) -> None:
    """Raise StepFailed when a state is not finite."""
    if not np.isfinite(x).all():
        raise StepFailed(
            f"the state is no longer finite at t = {t:.6g} s with steps of {step:g} s. Take "
            "shorter steps, or equations that are less stiff."
        )
