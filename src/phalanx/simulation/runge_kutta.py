"""Explicit Runge-Kutta methods: a table of numbers, and one way to go through its stages.

A step of length h from x has slopes k_i = f(t + c_i h, x + h Σ_j a_ij k_j) and ends at
x + h Σ_i b_i k_i. Who evaluates f is left open: symbols, arrays, or nodes that wait for each other.
The stages are a loop that the caller fills with slopes:

    slopes = []
    for c, at in stages(CLASSIC, x, h, slopes):
        slopes.append(f(t + c * h, at))
    x = CLASSIC.end(x, h, slopes)

Policy: sums are formed in one order, so that all who step with a table get the same bits. Slopes of
weight zero are left out; neighbours of the same weight are added before they are weighted; what has
a negative weight is subtracted at last; a sum of several is multiplied by h (over the denominator),
a single slope by h times its weight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

X = TypeVar("X")  # a state: symbols or numbers
Slopes = Sequence[Any]
Ahead = Callable[[Any, Any, Slopes], Any]  # (x, h, slopes) -> a state further on


@dataclass(frozen=True)
class Tableau:
    """The numbers of an explicit method (a Butcher tableau).

    Attributes:
        name: Who found it.
        order: The error of a step is of one order more in h.
        c: When each stage is, in steps.
        a: Weights of the slopes before, a row for each stage.
        b: Weights of all slopes at the end.
        over: What ``b`` is divided by.
        error: Weights of all slopes and of that at the end, whose sum times h is the difference to
            a second method of lower order; none where there is no second method.
        as_products: Whether weighted sums are products of a row and a matrix. For slopes that are
            arrays; quicker where there are many.
    """

    name: str
    order: int
    c: tuple[float, ...]
    a: tuple[tuple[float, ...], ...]
    b: tuple[float, ...]
    over: float = 1.0
    error: tuple[float, ...] = ()
    as_products: bool = False

    @cached_property
    def ahead(self) -> tuple[Ahead, ...]:
        """For each stage, where it is."""
        return tuple(self._ahead(row) for row in self.a)

    @cached_property
    def end(self) -> Ahead:
        """Where the step ends."""
        return self._ahead(self.b, self.over)

    @cached_property
    def difference(self) -> Callable[[Slopes], NDArray[np.float64]]:
        """The difference to the second method, for a step of one."""
        return _product(self.error)

    def _ahead(self, weights: tuple[float, ...], over: float = 1.0) -> Ahead:
        used = [(weight, j) for j, weight in enumerate(weights) if weight]
        if not used:
            return lambda x, h, slopes: x
        if self.as_products:
            product = _product(weights)
            return lambda x, h, slopes: x + h * product(slopes)
        if len(used) == 1 and over == 1:
            ((weight, j),) = used
            if weight == 1:
                return lambda x, h, slopes: x + h * slopes[j]
            return lambda x, h, slopes: x + h * weight * slopes[j]
        total = _total(used)
        if over == 1:
            return lambda x, h, slopes: x + h * total(slopes)
        return lambda x, h, slopes: x + h / over * total(slopes)


def stages(tableau: Tableau, x: X, h: Any, slopes: Slopes) -> Iterator[tuple[float, X]]:
    """The stages of a step, one after the other.

    Args:
        tableau: The method.
        x: The state at the beginning of the step.
        h: The length of the step, a number or a symbol.
        slopes: Those that are known; the caller adds that of a stage before it asks for the next.

    Yields:
        When the stage is, in steps, and the state there.
    """
    for stage in range(len(slopes), len(tableau.c)):
        yield tableau.c[stage], tableau.ahead[stage](x, h, slopes)


def stepped(tableau: Tableau, f: Callable[[Any, X], X], t: Any, x: X, h: Any) -> X:
    """The state a step of length ``h`` later, for rates ``f(t, x)`` that are there when asked."""
    slopes: list[X] = []
    for c, at in stages(tableau, x, h, slopes):
        slopes.append(f(t + c * h, at))
    end: X = tableau.end(x, h, slopes)
    return end


def _total(used: list[tuple[float, int]]) -> Callable[[Slopes], Any]:
    """The weighted sum of some slopes, as nested calls that decide nothing any more."""
    groups = [
        (weight, [j for _, j in members]) for weight, members in groupby(used, key=itemgetter(0))
    ]
    added = [_weighted(weight, places) for weight, places in groups if weight > 0]
    subtracted = [_weighted(-weight, places) for weight, places in groups if weight < 0]
    assert added, "a sum begins with something that is added"
    total = added[0]
    for term in added[1:]:
        total = _plus(total, term)
    for term in subtracted:
        total = _minus(total, term)
    return total


def _weighted(weight: float, places: list[int]) -> Callable[[Slopes], Any]:
    total: Callable[[Slopes], Any] = itemgetter(places[0])
    for place in places[1:]:
        total = _plus(total, itemgetter(place))
    return total if weight == 1 else lambda slopes: weight * total(slopes)


def _plus(one: Callable[[Slopes], Any], other: Callable[[Slopes], Any]) -> Callable[[Slopes], Any]:
    return lambda slopes: one(slopes) + other(slopes)


def _minus(one: Callable[[Slopes], Any], other: Callable[[Slopes], Any]) -> Callable[[Slopes], Any]:
    return lambda slopes: one(slopes) - other(slopes)


def _product(weights: tuple[float, ...]) -> Callable[[Slopes], NDArray[np.float64]]:
    row, count = np.array(weights), len(weights)

    def product(slopes: Slopes) -> NDArray[np.float64]:
        # a slope that is not finite is found in the sum
        with np.errstate(invalid="ignore", over="ignore"):
            total: NDArray[np.float64] = row @ np.array(slopes[:count])
        return total

    return product
