"""Warm starts of iterations over time, extrapolated from earlier solutions.

Policy: solutions are kept with their times, newest last. A guess for the time t is the polynomial
through the last of them. Samples that are not before t are forgotten first: they stem from a step
that the integrator gave up, or from an earlier evaluation at the same moment. As long as there are
fewer samples than an order needs, the order is lower.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from phalanx.base.arguments import check_fields
from phalanx.base.errors import InvalidInput
from phalanx.mechanism.pose import Array


@final
@dataclass(frozen=True)
class Polynomial:
    """A guess by extrapolation in time.

    Attributes:
        order: 0 takes the solution before, 3 is the cubic of the source.

    Reference:
        Sharf and D'Eleuterio (1993), sec. 5, eq. (19).
    """

    order: int = 3

    def __post_init__(self) -> None:
        check_fields(self)
        if self.order < 0:
            raise InvalidInput(f"a polynomial has an order of 0 or more, got {self.order}.")

    @property
    def samples(self) -> int:
        """How many solutions it rests on."""
        return self.order + 1


PREVIOUS, CUBIC = Polynomial(0), Polynomial(3)


@final
@dataclass
class SolutionHistory:
    """Solutions of the moments before, and what they say of the next.

    Attributes:
        start: How to guess; None begins at zero every time.
    """

    start: Polynomial | None = CUBIC
    _times: deque[float] = field(init=False, repr=False)
    _values: deque[Array] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        length = 0 if self.start is None else self.start.samples
        self._times, self._values = deque(maxlen=length), deque(maxlen=length)

    def __len__(self) -> int:
        return len(self._times)

    @property
    def times(self) -> tuple[float, ...]:
        """When they were, oldest first [s]."""
        return tuple(self._times)

    def guess(self, t: float) -> Array | None:
        """The solution that is to be expected at a time [s]; None when nothing is known.

        Samples that are not before ``t`` are forgotten.
        """
        self._forget_from(t)
        if not self._times:
            return None
        weights = extrapolation_weights(np.array(self._times), t)
        return np.asarray(np.tensordot(weights, np.array(self._values), axes=1))

    def keep(self, t: float, solution: ArrayLike) -> None:
        """Remember the solution of a moment, in the place of any that is not before it.

        Raises:
            InvalidInput: It is not finite, or has another shape than those before.
        """
        value = np.array(solution, dtype=np.float64)
        if not np.isfinite(value).all():
            raise InvalidInput(f"the solution at t = {t:.6g} s is not finite; nothing follows it.")
        self._forget_from(t)
        if self._values and self._values[-1].shape != value.shape:
            raise InvalidInput(
                f"the solution at t = {t:.6g} s has shape {value.shape}, those before have "
                f"{self._values[-1].shape}. Clear the history when the system changes."
            )
        self._times.append(float(t))
        self._values.append(value)

    def clear(self) -> None:
        """Forget everything: after a jump of forces or of the state nothing can be continued."""
        self._times.clear()
        self._values.clear()

    def _forget_from(self, t: float) -> None:
        if not math.isfinite(t):
            raise InvalidInput(f"t={t}; expected a time [s].")
        while self._times and self._times[-1] >= t:
            self._times.pop()
            self._values.pop()


def extrapolation_weights(times: Array, t: float) -> Array:
    """Weights of values at distinct times in the polynomial through them, taken at ``t``.

    Π_{j≠i} (t - t_j) / (t_i - t_j) for each i.
    """
    apart = times[:, None] - times[None, :]
    ahead = np.broadcast_to(t - times, apart.shape).copy()
    np.fill_diagonal(apart, 1.0)
    np.fill_diagonal(ahead, 1.0)
    return np.asarray((ahead / apart).prod(axis=1))
