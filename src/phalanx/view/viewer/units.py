"""Display units: degrees or radians, metres or millimetres.

Inside, everything is SI; a unit only says what stands on a page and what was meant by a number
typed there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

STEPS = 500  # of a slider, at least


@final
@dataclass(frozen=True)
class Unit:
    """A unit.

    Attributes:
        symbol: As it stands behind a number.
        size: How much it is in SI units.
    """

    symbol: str
    size: float


# what one may choose between, by the word for it; the first is how pages begin
ANGLES: Mapping[str, Unit] = {
    "degrees": Unit("°", math.pi / 180),
    "radians": Unit("rad", 1.0),
}
LENGTHS: Mapping[str, Unit] = {"metres": Unit("m", 1.0), "millimetres": Unit("mm", 1e-3)}


@final
@dataclass(frozen=True)
class SliderScale:
    """A slider's numbers in a unit: its ends and steps are round.

    Attributes:
        label: What it is, with the unit.
        unit: Of all numbers here.
        least: Lower end.
        greatest: Upper end.
        step: From one number to the next.
    """

    label: str
    unit: Unit
    least: float
    greatest: float
    step: float

    @staticmethod
    def over(name: str, lower: float, upper: float, unit: Unit) -> SliderScale:
        """A scale between two SI values, of at least :data:`STEPS` steps."""
        step = rounded_down(max(upper - lower, 1e-9) / unit.size / STEPS)
        least, greatest = (round(end / unit.size, _digits(step)) for end in (lower, upper))
        return SliderScale(f"{name} [{unit.symbol}]", unit, least, greatest, step)

    @property
    def digits(self) -> int:
        """Digits behind the point that steps need."""
        return _digits(self.step)

    def of(self, value: float) -> float:
        """The number that stands for an SI value, or the end that is nearest."""
        return min(max(round(value / self.unit.size, self.digits), self.least), self.greatest)


def rounded_down(length: float) -> float:
    """The nearest of 1, 2 and 5 times a power of ten, from below."""
    power = 10.0 ** math.floor(math.log10(length))
    return max(step * power for step in (1, 2, 5) if step * power <= length * (1 + 1e-9))


def _digits(step: float) -> int:
    """Digits behind the point that a round step needs."""
    return max(0, -math.floor(math.log10(step * (1 + 1e-9))))
