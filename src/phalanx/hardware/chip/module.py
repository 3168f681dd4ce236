"""Primitive module: six registers, two multipliers, an adder, two buses; one scalar component.

Emulated Flop by Flop. In a Flop, buses take what registers and units held when it began, then all
units compute at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from phalanx.hardware.chip.microcode import OPERANDS, PLACES, Instruction
from phalanx.hardware.chip.number_format import NumberFormat, Word


def register(component: int, place: str) -> int:
    """The register, from 0, that a place means in the module of a component, 1 to 3 in a circle."""
    return (component - 1 + PLACES.index(place)) % 3


_REGISTERS = {
    component: {name: (name[0] == "A", register(component, name[2:])) for name in OPERANDS}
    | {"A.1": (True, 0)}
    for component in (1, 2, 3)
}


@dataclass
class Module:
    """One component of a chip's arithmetic.

    Attributes:
        component: Which one it computes, 1 to 3.
        words: How numbers are kept and rounded.
        a: Registers OP-A-1 to OP-A-3.
        b: Registers OP-B-1 to OP-B-3.
        units: What multipliers ``M1``, ``M2`` and the adder ``ADD`` hold.
    """

    component: int
    words: NumberFormat
    a: list[Word] = field(default_factory=lambda: [0, 0, 0])
    b: list[Word] = field(default_factory=lambda: [0, 0, 0])
    units: dict[str, Word] = field(default_factory=lambda: {"M1": 0, "M2": 0, "ADD": 0})

    def __post_init__(self) -> None:
        """Find the registers that this module's multipliers sit beside."""
        self._registers = _REGISTERS[self.component]
        self._beside = register(self.component, "next"), register(self.component, "after")

    def step(self, instruction: Instruction) -> None:
        """One Flop.

        Raises:
            TooNarrow: A result does not fit into a word.
        """
        x1 = None if instruction.x1 is None else self._driven(instruction.x1)
        x2 = None if instruction.x2 is None else self._driven(instruction.x2)
        # units take what buses carry, and buses what units held before: so all results wait
        held = {}
        if instruction.m1 is not None:
            held["M1"] = self._product(instruction.m1, x1, x2, x1, self._beside[0])
        if instruction.m2 is not None:
            held["M2"] = self._product(instruction.m2, x1, x2, x2, self._beside[1])
        if instruction.add is not None:
            assert x1 is not None and x2 is not None, "an instruction drives the buses it reads"
            combine = self.words.total if instruction.add == "+" else self.words.difference
            held["ADD"] = combine(x1, x2)
        self.units.update(held)

    def _driven(self, source: str) -> Word:
        """What a source puts on a bus."""
        if source in self.units:
            return self.units[source]
        is_a, k = self._registers[source]
        return self.a[k] if is_a else self.b[k]

    def _product(
        self, kind: str, x1: Word | None, x2: Word | None, bus: Word | None, beside: int
    ) -> Word:
        if kind == "beside":
            return self.words.product(self.a[beside], self.b[beside])
        if kind == "buses":
            assert x1 is not None and x2 is not None, "an instruction drives the buses it reads"
            return self.words.product(x1, x2)
        assert bus is not None, "an instruction drives the buses it reads"
        return self.words.product(bus, self.a[beside])
