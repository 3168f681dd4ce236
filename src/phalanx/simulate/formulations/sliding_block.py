"""Parallel in time: several moments at once by predictor and corrector.

From the last five moments the next x are predicted together, the equations of motion are evaluated
at all of them at a time, the predictions are corrected together and evaluated again, and the block
slides on by x moments. One after the other are only two rounds of evaluations, however many moments
they hold: x processors, or x lanes of a vector, share them. Predictor and corrector integrate
the polynomial of degree 4 through five evaluations, so both are of order 5. For x = 1 this is
the method of Adams, Bashforth and Moulton.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import final

import numpy as np
from scipy.integrate import RK45

from phalanx.errors import InvalidInput
from phalanx.simulate.formulations.stepping import Array, Field, Steps, check_finite, count_steps

MEMORY = 5
LARGEST_BLOCK = 4


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
        """Check the size of the block."""
        if self.points not in range(1, LARGEST_BLOCK + 1):
            raise InvalidInput(f"points={self.points}; a block has 1 to {LARGEST_BLOCK}.")

    def states(self, field: Field, t: float, x: Array, end: float) -> Iterator[tuple[float, Array]]:
        """See :class:`Steps`."""
        h, start = self.step, t
        count = count_steps(h, t, end)
        rates = deque([field(t, x)], maxlen=MEMORY)
        taken = 0
        while taken < min(MEMORY - 1, count):
            with np.errstate(all="ignore"):
                x = _starting_step(field, t, x, rates[-1], h)
            taken += 1
            t = start + taken * h
            check_finite(t, x, h)
            rates.append(field(t, x))
            yield t, x
        while taken < count:
            size = min(self.points, count - taken)
            times: Array = start + h * np.arange(taken + 1, taken + size + 1, dtype=np.float64)
            predict, correct = coefficients(size)
            with np.errstate(all="ignore"):
                ahead = field.many(times, x + h * predict @ np.array(rates))
                known = np.array(rates)[len(rates) - MEMORY + size :]
                block = x + h * correct @ np.vstack([known, ahead])
                after = field.many(times, block)
            for moment, state, rate in zip(times, block, after, strict=True):
                check_finite(float(moment), state, h)
                rates.append(rate)
                yield float(moment), state
            taken += size
            x = block[-1]


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


def _starting_step(field: Field, t: float, x: Array, rate: Array, h: float) -> Array:
    """A step of Dormand and Prince's method of order 5."""
    k = [rate]
    for i in range(1, 6):
        k.append(field(t + RK45.C[i] * h, x + h * RK45.A[i, :i] @ np.array(k)))
    return np.asarray(x + h * RK45.B @ np.array(k))
