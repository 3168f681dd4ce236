"""Microcode of the primitive module: bus drivers and unit operands, Flop by Flop.

The source's Table VII.1 gives it for the module that computes component 3. Here it is written with
places relative to a module, so that one table serves all three: ``own`` is the component that the
module computes, ``next`` and ``after`` the two that follow it in the circle 1, 2, 3. Multiplier 1
sits beside the registers ``next``, multiplier 2 beside ``after``: for component 3,
1 and 2.

Instructions are also words, which a host can write into a chip's memory.
"""

from __future__ import annotations

from dataclasses import dataclass

from phalanx.base.errors import InvalidInput

# what can drive a bus
PLACES = ("own", "next", "after")
OPERANDS = tuple(f"{port}.{place}" for port in "AB" for place in PLACES)
SOURCES = (*OPERANDS, "A.1", "M1", "M2", "ADD")  # A.1: where a scalar sits, in every module

# what a multiplier can take; its own registers are those it sits beside
FACTORS = {
    "buses": ("X1", "X2"),
    "beside": ("A", "B"),
    "bus and A": ("X", "A"),  # the bus of the multiplier's own number
}
SUMS = ("+", "-")


@dataclass(frozen=True)
class Instruction:
    """Instruction of a module for one Flop.

    Buses carry what was in registers and units when the Flop began; units take from buses.

    Attributes:
        x1: What drives bus 1, one of ``SOURCES``; None leaves it floating.
        x2: What drives bus 2.
        m1: What multiplier 1 takes, one of ``FACTORS``; None when it rests.
        m2: What multiplier 2 takes.
        add: ``+`` or ``-``: the adder's X1 + X2 or X1 - X2; None when it rests.
    """

    x1: str | None = None
    x2: str | None = None
    m1: str | None = None
    m2: str | None = None
    add: str | None = None

    def __post_init__(self) -> None:
        """Check names, and that every unit that takes a bus finds it driven."""
        for what, given, known in (
            ("bus 1", self.x1, SOURCES),
            ("bus 2", self.x2, SOURCES),
            ("multiplier 1", self.m1, tuple(FACTORS)),
            ("multiplier 2", self.m2, tuple(FACTORS)),
            ("the adder", self.add, SUMS),
        ):
            if given is not None and given not in known:
                raise InvalidInput(
                    f"{what} of a module takes '{given}'; expected one of {', '.join(known)}."
                )
        needs_both = self.add is not None or "buses" in (self.m1, self.m2)
        for bus, driver, needed in (
            (1, self.x1, needs_both or self.m1 == "bus and A"),
            (2, self.x2, needs_both or self.m2 == "bus and A"),
        ):
            if needed and driver is None:
                raise InvalidInput(f"bus {bus} is read in a Flop in which nothing drives it.")

    @property
    def multiplications(self) -> int:
        """How many of the two multipliers work."""
        return (self.m1 is not None) + (self.m2 is not None)

    @property
    def additions(self) -> int:
        """Whether the adder works, as a number."""
        return int(self.add is not None)

    def encoded(self, *, last: bool) -> int:
        """The instruction as a word of 15 bits; ``last`` ends the operation after it."""
        fields = [
            (_place(SOURCES, self.x1), 4),
            (_place(SOURCES, self.x2), 4),
            (_place(tuple(FACTORS), self.m1), 2),
            (_place(tuple(FACTORS), self.m2), 2),
            (_place(SUMS, self.add), 2),
            (int(last), 1),
        ]
        word = 0
        for field, bits in fields:
            word = word << bits | field
        return word

    @staticmethod
    def decoded(word: int) -> tuple[Instruction, bool]:
        """The instruction of a word, and whether it is the last of its operation."""
        fields = []
        for bits in (1, 2, 2, 2, 4, 4):
            fields.append(word & (1 << bits) - 1)
            word >>= bits
        last, add, m2, m1, x2, x1 = fields
        kinds = tuple(FACTORS)
        return Instruction(
            _named(SOURCES, x1),
            _named(SOURCES, x2),
            _named(kinds, m1),
            _named(kinds, m2),
            _named(SUMS, add),
        ), bool(last)


def _place(names: tuple[str, ...], name: str | None) -> int:
    return 0 if name is None else 1 + names.index(name)


def _named(names: tuple[str, ...], place: int) -> str | None:
    if place > len(names):
        raise InvalidInput(f"a word of microcode names source {place}; there are {len(names)}.")
    return None if place == 0 else names[place - 1]


@dataclass(frozen=True)
class Microprogram:
    """An operation of the module.

    Attributes:
        instructions: One for each Flop.
    """

    instructions: tuple[Instruction, ...]

    @property
    def flops(self) -> int:
        """How long it takes."""
        return len(self.instructions)

    @property
    def result(self) -> str:
        """The unit that holds the result at the end: the adder where the last Flop adds."""
        return "M1" if self.instructions[-1].add is None else "ADD"


_DOT = Microprogram(
    (
        Instruction(x1="A.own", x2="B.own", m1="buses", m2="beside"),
        Instruction(x1="M1", x2="M2", m1="beside", add="+"),
        Instruction(x1="M1", x2="ADD", add="+"),
    )
)

TABLE_VII_1: dict[str, Microprogram] = {
    "VA": Microprogram((Instruction(x1="A.own", x2="B.own", add="+"),)),
    "SV": Microprogram((Instruction(x1="A.1", x2="B.own", m1="buses"),)),
    "VC": Microprogram(
        (
            Instruction(x1="B.after", x2="B.next", m1="bus and A", m2="bus and A"),
            Instruction(x1="M1", x2="M2", add="-"),
        )
    ),
    "VD": _DOT,
    "MV": _DOT,
}
"""Operations of the source's table; a product of matrices is three of a matrix and a vector."""
