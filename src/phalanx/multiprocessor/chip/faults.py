"""Faults of chips, for experiments with the rolling check."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from phalanx.errors import InvalidInput

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
        """Check the kind and the component."""
        if self.kind not in KINDS:
            raise InvalidInput(f"a fault '{self.kind}'; expected one of {', '.join(KINDS)}.")
        if self.component not in (1, 2, 3) or self.cycle < 0:
            raise InvalidInput(
                f"a fault in component {self.component} from cycle {self.cycle} on; expected "
                "component 1 to 3 and a cycle from 0."
            )


def random_faults(
    numbers: list[list[int]], count: int, cycles: int, rng: np.random.Generator
) -> list[Fault]:
    """Faults of chips drawn by chance, one in each of some groups.

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
