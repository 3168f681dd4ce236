"""Fault injection for chips, for experiments with the rolling check."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from phalanx.base.arguments import check_fields, checked
from phalanx.base.errors import InvalidInput
from phalanx.hardware.chip.number_format import NumberFormat
from phalanx.hardware.chip.vamp import Vector

KINDS = ("stuck", "dead")


@dataclass(frozen=True)
class Fault:
    """Something that breaks in a chip, for good.

    Attributes:
        number: Of the chip.
        kind: ``stuck``: one component of its result never changes. ``dead``: it drives nothing any
            more, neither results, which then read as zero, nor signals.
        cycle: In which cycle it breaks, from the first in data mode.
        component: Which component is stuck, 1 to 3.
        value: At what.
    """

    number: int
    kind: str
    cycle: int = 0
    component: int = 1
    value: float = 0.0

    def __post_init__(self) -> None:
        check_fields(self)
        if self.kind not in KINDS:
            raise InvalidInput(f"a fault '{self.kind}'; expected one of {', '.join(KINDS)}.")
        if self.component not in (1, 2, 3) or self.cycle < 0:
            raise InvalidInput(
                f"a fault in component {self.component} from cycle {self.cycle} on; expected "
                "component 1 to 3 and a cycle from 0."
            )


class Breakages:
    """Faults that have happened and that are due.

    Attributes:
        to_come: Faults, some of which may have struck.
    """

    def __init__(self, words: NumberFormat) -> None:
        self.to_come: list[Fault] = []
        self._words = words
        self._broken: dict[int, Fault] = {}

    def strike(self, cycle: int) -> None:
        """Let happen what is due in a cycle."""
        for fault in self.to_come:
            if fault.cycle == cycle:
                self._broken[fault.number] = fault

    def is_dead(self, number: int) -> bool:
        """Whether a chip drives nothing any more."""
        fault = self._broken.get(number)
        return fault is not None and fault.kind == "dead"

    def spoilt(self, number: int, word: Vector) -> Vector:
        """What a chip puts on its wire in place of a word."""
        fault = self._broken.get(number)
        if fault is None:
            return word
        components = list(word)
        components[fault.component - 1] = self._words.word(fault.value)
        return (components[0], components[1], components[2])


@checked
def random_faults(
    numbers: list[list[int]], count: int, cycles: int, rng: np.random.Generator
) -> list[Fault]:
    """Random faults of chips, one in each of some groups.

    Args:
        numbers: Chips that may break, in groups such as the chains of a board.
        count: How many groups get a fault.
        cycles: Within how many cycles from the first they break.
        rng: Source of chance.

    Raises:
        InvalidInput: More faults than groups: one spare bears one fault.
    """
    if count > len(numbers):
        raise InvalidInput(
            f"{count} faults in {len(numbers)} chains; each chain has one spare and bears one "
            "fault. Make more chains, or fewer faults."
        )
    faults = []
    for group in sorted(rng.choice(len(numbers), size=count, replace=False)):
        faults.append(
            Fault(
                int(rng.choice(numbers[group])),
                KINDS[int(rng.integers(2))],
                int(rng.integers(cycles)),
                int(rng.integers(1, 4)),
                float(rng.choice([0.0, 1.0, -0.5])),
            )
        )
    return faults
