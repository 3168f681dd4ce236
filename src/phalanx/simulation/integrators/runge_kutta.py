"""Explicit Runge-Kutta methods: a table of numbers, and one way to go through its stages.

A step of length h from x has slopes k_i = f(t + c_i h, x + h Σ_j a_ij k_j) and ends at
x + h Σ_i b_i k_i. Who evaluates f is left open: symbols, arrays, or nodes that wait for each other.
Where rates are there when asked, a step is ``CLASSIC.step(f, t, x, h)``. Where they are waited for,
stages are a loop in which the caller collects slopes:

    slopes = []
    for c, ahead in CLASSIC.stages:
        slopes.append((yield from rates(t + c * h, ahead(x, h, *slopes))))
    x = CLASSIC.end(x, h, *slopes)

Policy: a table is written out as formulas, once, which Python compiles: a loop over weights would
cost a tenth of a small machine's step. Sums are formed in one order, so that all who step with a
table get the same bits: slopes of weight zero are left out; neighbours of the same weight are added
before they are weighted; what has a negative weight is subtracted at last; a sum of several is
multiplied by h (over the denominator), a single slope by h times its weight.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
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
        return tuple((c, self._made(_signature(k), k)) for k, c in enumerate(self.c))

    @cached_property
    def end(self) -> Ahead:
        """Where the step ends: a function of (x, h, all slopes)."""
        return self._made(_signature(len(self.c)), len(self.c))

    @cached_property
    def step(self) -> Callable[..., Any]:
        """The state a step later: a function of (f, t, x, h) for rates ``f(t, x)``."""
        evaluated = zip(map(_moment, self.c), self.formulas, strict=False)
        return self._stepping("t, x, h", [f"f({moment}, {at})" for moment, at in evaluated])

    @cached_property
    def driven_step(self) -> Callable[..., Any]:
        """The same of (f, x, h, *inputs) for rates ``f(x, u)`` and inputs u of every stage."""
        inputs = [f"u{k}" for k in range(len(self.c))]
        evaluated = zip(self.formulas, inputs, strict=False)
        return self._stepping(
            f"x, h, {', '.join(inputs)}", [f"f({at}, {u})" for at, u in evaluated]
        )

    @cached_property
    def difference(self) -> Callable[..., NDArray[np.float64]]:
        """The difference to the second method for h = 1: a function of slopes, the end's last."""
        return _product(self.error)

    @cached_property
    def formulas(self) -> tuple[str, ...]:
        """Where each stage is and where the step ends, in x, h and slopes k0, k1, ..."""
        rows = [(row, 1.0) for row in self.a] + [(self.b, self.over)]
        if self.as_products:
            return tuple(
                f"x + h * product_{k}({_slopes(len(row))})" if any(row) else "x"
                for k, (row, _) in enumerate(rows)
            )
        return tuple(_formula(row, over) for row, over in rows)

    def _stepping(self, arguments: str, slopes: list[str]) -> Callable[..., Any]:
        lines = [f"k{k} = {slope}" for k, slope in enumerate(slopes)]
        body = "\n    ".join([*lines, f"return {self.formulas[-1]}"])
        return self._compiled(f"def step(f, {arguments}):\n    {body}", "step")

    def _made(self, signature: str, row: int) -> Ahead:
        return self._compiled(f"def ahead({signature}):\n    return {self.formulas[row]}", "ahead")

    def _compiled(self, text: str, name: str) -> Callable[..., Any]:
        rows = (*self.a, self.b)
        made: dict[str, Any] = {f"product_{k}": _product(row) for k, row in enumerate(rows)}
        exec(compile(text, f"<{self.name}>", "exec"), made)
        function: Callable[..., Any] = made[name]
        return function


def _slopes(count: int) -> str:
    return ", ".join(f"k{k}" for k in range(count))


def _signature(count: int) -> str:
    return f"x, h, {_slopes(count)}".rstrip(", ")


def _moment(c: float) -> str:
    return "t" if c == 0 else f"t + {_times(c)}"


def _times(weight: float) -> str:
    """A share of h; halves are divisions by 2, as one writes them."""
    return {1.0: "h", 0.5: "h / 2"}.get(weight, f"h * {weight!r}")


def _formula(weights: Weights, over: float) -> str:
    """A step ahead by a weighted sum, in the order that the policy says."""
    used = [(weight, f"k{j}") for j, weight in enumerate(weights) if weight]
    if not used:
        return "x"
    if len(used) == 1 and over == 1:
        ((weight, slope),) = used
        return f"x + {_times(weight)} * {slope}"
    groups = [
        (weight, [slope for _, slope in members])
        for weight, members in groupby(used, key=itemgetter(0))
    ]
    added = [_weighted(weight, slopes) for weight, slopes in groups if weight > 0]
    subtracted = [_weighted(-weight, slopes) for weight, slopes in groups if weight < 0]
    total = " - ".join([" + ".join(added), *subtracted])
    return f"x + {'h' if over == 1 else f'h / {over!r}'} * ({total})"


def _weighted(weight: float, slopes: list[str]) -> str:
    total = slopes[0] if len(slopes) == 1 else f"({' + '.join(slopes)})"
    return total if weight == 1 else f"{weight!r} * {total}"


def _product(weights: Weights) -> Callable[..., NDArray[np.float64]]:
    row = np.array(weights)

    def product(*slopes: NDArray[np.float64]) -> NDArray[np.float64]:
        # a slope that is not finite is found in the sum
        with np.errstate(invalid="ignore", over="ignore"):
            total: NDArray[np.float64] = row @ np.array(slopes)
        return total

    return product
