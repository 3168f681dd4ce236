"""Time grid: times as whole numbers, for integer programming."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from phalanx.base.errors import InvalidInput

# times are given in decimal digits, so ratios are fractions of small numbers or rounded
_LARGEST_DENOMINATOR = 10_000
_ROUNDING = 1e-12
_LARGEST_COUNT = 10**9


@dataclass(frozen=True)
class TimeGrid:
    """A unit of which all times are whole multiples.

    Attributes:
        unit: The unit, in the computer's unit of time.
    """

    unit: float

    def count(self, time: float) -> int:
        """How many units a time has."""
        return round(time / self.unit)


def time_grid(times: Iterable[float]) -> TimeGrid:
    """The coarsest grid on which all of these times lie.

    Raises:
        InvalidInput: There is none, but for rounding, with fewer than a thousand million units
            in the longest time.
    """
    different = sorted(set(times) - {0.0})
    if not different:
        return TimeGrid(1.0)
    shortest = different[0]
    ratios = []
    for time in different:
        ratio = Fraction(time / shortest).limit_denominator(_LARGEST_DENOMINATOR)
        if abs(ratio * shortest - time) > _ROUNDING * time:
            raise InvalidInput(
                f"times {shortest:g} and {time:g} have no common unit; an exact search needs times "
                "that are whole multiples of one. Round the computer's times."
            )
        ratios.append(ratio)
    denominator = math.lcm(*(ratio.denominator for ratio in ratios))
    if ratios[-1] * denominator > _LARGEST_COUNT:
        raise InvalidInput(
            f"the common unit of times from {shortest:g} to {different[-1]:g} is too small for an "
            "exact search. Round the computer's times."
        )
    common = math.gcd(*(int(ratio * denominator) for ratio in ratios))
    return TimeGrid(shortest * common / denominator)
