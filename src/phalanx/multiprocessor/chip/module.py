"""The primitive module: six registers, two multipliers, an adder, two buses; one scalar component.

Emulated Flop by Flop. In a Flop, buses take what registers and units held when it began, then all
units compute at once. The module counts who drives a bus and who works, so that a microprogram that
asks for more than there is cannot pass unseen.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from phalanx.multiprocessor.chip.microcode import Instruction
from phalanx.multiprocessor.chip.number_format import NumberFormat, Word

PLACES = ("own", "next", "after")


@dataclass(frozen=True)
class Worked:
    """What a module used in one Flop.

    Attributes:
        drivers: How many drove bus 1 and bus 2.
        multipliers: How many of them worked.
        adders: How many of them worked.
    """

    drivers: tuple[int, int]
    multipliers: int
    adders: int


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

    def place(self, name: str) -> int:
        """The register, from 0, that a relative place means: of 1, 2, 3 in a circle."""
        return (self.component - 1 + PLACES.index(name)) % 3

    def step(self, instruction: Instruction) -> Worked:
        """One Flop.

        Raises:
            TooNarrow: A result does not fit into a word.
        """
        x1 = None if instruction.x1 is None else self._driven(instruction.x1)
        x2 = None if instruction.x2 is None else self._driven(instruction.x2)
        held = {}
        for unit, kind, bus, beside in (
            ("M1", instruction.m1, x1, "next"),
            ("M2", instruction.m2, x2, "after"),
        ):
            if kind is not None:
                held[unit] = self._product(kind, x1, x2, bus, self.place(beside))
        if instruction.add is not None:
            assert x1 is not None and x2 is not None, "an instruction drives the buses it reads"
            combine = self.words.total if instruction.add == "+" else self.words.difference
            held["ADD"] = combine(x1, x2)
        self.units |= held
        return Worked(
            (int(x1 is not None), int(x2 is not None)),
            sum(unit in held for unit in ("M1", "M2")),
            int("ADD" in held),
        )

    def _driven(self, source: str) -> Word:
        """What a source puts on a bus."""
        if source in self.units:
            return self.units[source]
        port, _, name = source.partition(".")
        registers = self.a if port == "A" else self.b
        return registers[0 if name == "1" else self.place(name)]

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
