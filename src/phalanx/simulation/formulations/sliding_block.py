"""Parallel-in-time integration: a block predictor-corrector method (PC, Adams).

From the last five moments the next x are predicted together, the equations of motion are evaluated
at all of them at a time, the predictions are corrected together and evaluated again, and the block
slides on by x moments. One after the other are only two rounds of evaluations, however many moments
they hold: x processors, or x lanes of a vector, share them. Predictor and corrector integrate
the polynomial of degree 4 through five evaluations, so both are of order 5. For x = 1 this is
the method of Adams, Bashforth and Moulton.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import final

import numpy as np

from phalanx.base.errors import InvalidInput
from phalanx.simulation.formulations.stepping import Array, Field, Steps, check_finite, count_steps
from phalanx.simulation.integrators.tableaux import DORMAND_PRINCE

MEMORY = 5
LARGEST_BLOCK = 4

# what is to be done with a state that is reached
Land = Callable[[Array], Array]


@dataclass(frozen=True)
class Wanted:
    """Rates that are needed, of states that do not wait for each other.

    Attributes:
        times: [s], shape (k,).
        states: A row each, shape (k, n).
    """

    times: Array
    states: Array


@dataclass(frozen=True)
class Reached:
    """A moment that is done: its time [s] and state."""

    t: float
    x: Array


@final
@dataclass(frozen=True)
class SlidingBlock(Steps):
    """Blocks of ``points`` moments, a step apart: BxPC5 with x = ``points``.

    Attributes:
        step: Time between moments [s].
        points: Moments in a block, 1 to 4: how many evaluations are done at a time.

    Reference:
        McMillan, Sadayappan and Orin (1994); Birta and Abou-Rabia (1987); Khan (2002), sec.
        1.1.3.3. The coefficients are our own: none of them is printed in the last.
    """

    step: float
    points: int = 4

    def __post_init__(self) -> None:
        if self.points not in range(1, LARGEST_BLOCK + 1):
            raise InvalidInput(f"points={self.points}; a block has 1 to {LARGEST_BLOCK}.")

    def states(
        self, field: Field, t: float, x: Array, end: float, land: Land | None = None
    ) -> Iterator[tuple[float, Array]]:
        """The states after each step until ``end``; ``land`` as for :meth:`moments`."""
        asking = self.moments(t, x, end, land)
        reply: Array | None = None
        while True:
            try:
                said = asking.send(reply)
            except StopIteration:
                return
            if isinstance(said, Reached):
                yield said.t, said.x
                reply = None
                continue
            with np.errstate(all="ignore"):
                if len(said.times) == 1:
                    reply = field(float(said.times[0]), said.states[0])[None]
                else:
                    reply = field.many(said.times, said.states)

    def moments(
        self, t: float, x: Array, end: float, land: Land | None = None
    ) -> Generator[Wanted | Reached, Array | None, None]:
        """The method by itself: asks for rates and says what it has reached.

        It does not know who evaluates: a vector, several processors (`platforms.time_samples`).

        Args:
            t: Time at first [s].
            x: The state there.
            end: Time at last [s].
            land: What is to be done with a state that is reached: quaternions to length one.

        Yields:
            `Wanted`, to be answered with rates, a row for each state; and `Reached`, without an
            answer.
        """
        h, start = self.step, t
        land = land or _as_it_is
        count = count_steps(h, t, end)
        rates = deque([(yield from _rate(t, x))], maxlen=MEMORY)
        taken = 0
        while taken < min(MEMORY - 1, count):
            x = land((yield from _starting_step(t, x, rates[-1], h)))
            taken += 1
            t = start + taken * h
            check_finite(t, x, h)
            rates.append((yield from _rate(t, x)))
            yield Reached(t, x)
        while taken < count:
            size = min(self.points, count - taken)
            times: Array = start + h * np.arange(taken + 1, taken + size + 1, dtype=np.float64)
            predict, correct = coefficients(size)
            with np.errstate(all="ignore"):
                predicted = x + h * predict @ np.array(rates)
            ahead = yield Wanted(times, predicted)
            assert ahead is not None
            known = np.array(rates)[len(rates) - MEMORY + size :]
            with np.errstate(all="ignore"):
                corrected = x + h * correct @ np.vstack([known, ahead])
            block = np.array([land(state) for state in corrected])
            after = yield Wanted(times, block)
            assert after is not None
            for moment, state, rate in zip(times, block, after, strict=True):
                check_finite(float(moment), state, h)
                rates.append(rate)
                yield Reached(float(moment), state)
            taken += size
            x = block[-1]


def _as_it_is(x: Array) -> Array:
    return x


@lru_cache(maxsize=LARGEST_BLOCK)
def coefficients(points: int) -> tuple[Array, Array]:
    """Weights of predictor and corrector, a row for each new moment, steps of one.

    The predictor has a column for each of the last five rates; the corrector for the last
    5 - ``points`` of them, then for the rates at the predicted moments.
    """
    new = np.arange(1.0, points + 1)
    past = np.arange(1.0 - MEMORY, 1.0)
    return _integrals(past, new), _integrals(np.concatenate([past[points:], new]), new)


def _integrals(nodes: Array, ends: Array) -> Array:
    """Weights that integrate polynomials through the nodes from zero to each end."""
    powers = np.arange(len(nodes))
    wanted = ends[:, None] ** (powers + 1) / (powers + 1)
    weights = np.linalg.solve(np.vander(nodes, increasing=True).T, wanted.T).T
    return np.asarray(weights, dtype=np.float64)


def _rate(t: float, x: Array) -> Generator[Wanted | Reached, Array | None, Array]:
    """The rate of one state, by asking."""
    rates = yield Wanted(np.array([t]), x[None])
    assert rates is not None
    return rates[0]


def _starting_step(
    t: float, x: Array, rate: Array, h: float
) -> Generator[Wanted | Reached, Array | None, Array]:
    """A step of Dormand and Prince's method of order 5."""
    slopes = [rate]
    for c, ahead in DORMAND_PRINCE.stages[1:]:
        slopes.append((yield from _rate(t + c * h, ahead(x, h, *slopes))))
    return np.asarray(DORMAND_PRINCE.end(x, h, *slopes))
