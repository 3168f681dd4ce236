"""Explicit Runge-Kutta methods by their Butcher tableaux.

A step of length h from x has slopes k_i = f(t + c_i h, x + h Σ_j a_ij k_j) and ends at
x + h Σ_i b_i k_i. Slopes are symbols, arrays, or messages between processes. Where rates are there
when asked, a step is ``CLASSIC.step(f, t, x, h)``. Where they are waited for, stages are a loop in
which the caller collects slopes:

    slopes = []
    for c, ahead in CLASSIC.stages:
        slopes.append((yield from rates(t + c * h, ahead(x, h, *slopes))))
    x = CLASSIC.end(x, h, *slopes)

Policy: sums are formed in one order, so that all who step with a tableau get the same bits. Slopes
of weight zero are left out; neighbours of the same weight are added before they are weighted; what
has a negative weight is subtracted at last; a sum of several is multiplied by h (over the
denominator), a single slope by h times its weight.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phalanx.base.cached import cached_property

Weights = tuple[float, ...]
# (x, h, *slopes) -> a state further on; symbols or numbers
Ahead = Callable[..., Any]


@dataclass(frozen=True)
class Tableau:
    """The numbers of an explicit method (a Butcher tableau), and how to step with them.

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
    c: Weights
    a: tuple[Weights, ...]
    b: Weights
    over: float = 1.0
    error: Weights = ()
    as_products: bool = False

    @cached_property
    def stages(self) -> tuple[tuple[float, Ahead], ...]:
        """When each stage is, in steps, and where: a function of (x, h, slopes so far)."""
        return tuple((c, self._ahead(row)) for c, row in zip(self.c, self.a, strict=True))

    @cached_property
    def end(self) -> Ahead:
        """Where the step ends: a function of (x, h, all slopes)."""
        return self._ahead(self.b, self.over)

    def step(self, f: Callable[[Any, Any], Any], t: Any, x: Any, h: Any) -> Any:
        """The state a step later, for rates ``f(t, x)``."""
        slopes: list[Any] = []
        for c, ahead in self.stages:
            slopes.append(f(t + c * h if c else t, ahead(x, h, *slopes)))
        return self.end(x, h, *slopes)

    def driven_step(self, f: Callable[[Any, Any], Any], x: Any, h: Any, *inputs: Any) -> Any:
        """The state a step later, for rates ``f(x, u)`` and the inputs u of every stage."""
        slopes: list[Any] = []
        for (_, ahead), u in zip(self.stages, inputs, strict=True):
            slopes.append(f(ahead(x, h, *slopes), u))
        return self.end(x, h, *slopes)

    @cached_property
    def difference(self) -> Callable[..., NDArray[np.float64]]:
        """The difference to the second method for h = 1: a function of slopes, the end's last."""
        return _product(self.error)

    def _ahead(self, weights: Weights, over: float = 1.0) -> Ahead:
        used = [(weight, j) for j, weight in enumerate(weights) if weight]
        if not used:
            return lambda x, h, *slopes: x
        if self.as_products:
            product = _product(weights)
            return lambda x, h, *slopes: x + h * product(*slopes)
        if len(used) == 1 and over == 1:
            ((weight, j),) = used
            if weight == 1:
                return lambda x, h, *slopes: x + h * slopes[j]
            return lambda x, h, *slopes: x + h * weight * slopes[j]
        total = _sum(used)
        if over == 1:
            return lambda x, h, *slopes: x + h * total(slopes)
        return lambda x, h, *slopes: x + h / over * total(slopes)


def _sum(used: list[tuple[float, int]]) -> Callable[[tuple[Any, ...]], Any]:
    """A weighted sum of slopes, in the order that the policy says."""
    groups = [(w, [j for _, j in members]) for w, members in groupby(used, key=lambda one: one[0])]
    first, *added = [group for group in groups if group[0] > 0]
    subtracted = [(-weight, members) for weight, members in groups if weight < 0]

    def weighted(weight: float, members: list[int], slopes: tuple[Any, ...]) -> Any:
        total = slopes[members[0]]
        for j in members[1:]:
            total = total + slopes[j]
        return total if weight == 1 else weight * total

    def total(slopes: tuple[Any, ...]) -> Any:
        result = weighted(*first, slopes)
        for group in added:
            result = result + weighted(*group, slopes)
        for group in subtracted:
            result = result - weighted(*group, slopes)
        return result

    return total


def _product(weights: Weights) -> Callable[..., NDArray[np.float64]]:
    row = np.array(weights)

    def product(*slopes: NDArray[np.float64]) -> NDArray[np.float64]:
        # a slope that is not finite is found in the sum
        with np.errstate(invalid="ignore", over="ignore"):
            total: NDArray[np.float64] = row @ np.array(slopes)
        return total

    return product
